import CoreData
import Foundation

/// A type of attribute with values that are all different.
struct TypeSample {
  /// The name of the type.
  let name: String
  /// The type.
  let type: NSAttributeType
  /// Different values of it.
  let values: [Any]
  /// One more.
  let another: Any

  /// All types that have values to tell apart.
  static var all: [TypeSample] {
    [
      TypeSample("integer 16", .integer16AttributeType, [1, 2], another: 3),
      TypeSample("integer 64", .integer64AttributeType, [1, Int64.max], another: Int64.min),
      TypeSample("boolean", .booleanAttributeType, [true], another: false),
      TypeSample("double", .doubleAttributeType, [0.1, 0.2, 1e300], another: -0.5),
      TypeSample("float", .floatAttributeType, [Float(0.1), Float(3)], another: Float(7.5)),
      TypeSample(
        "decimal", .decimalAttributeType,
        [NSDecimalNumber(string: "0.1"), NSDecimalNumber(string: "12345678901234567890.5")],
        another: NSDecimalNumber(string: "1.10")),
      TypeSample("string", .stringAttributeType, ["a", "b", "A"], another: "ä"),
      TypeSample(
        "date", .dateAttributeType,
        [Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 1.5)],
        another: Date(timeIntervalSinceReferenceDate: -8)),
      TypeSample("data", .binaryDataAttributeType, [Data([1]), Data()], another: Data([1, 2])),
      TypeSample(
        "uuid", .UUIDAttributeType,
        [
          UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
          UUID(uuid: (0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
        ], another: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
      TypeSample(
        "uri", .URIAttributeType,
        [URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b")],
        another: URL(fileURLWithPath: "/c")),
    ]
  }

  private init(_ name: String, _ type: NSAttributeType, _ values: [Any], another: Any) {
    self.name = name
    self.type = type
    self.values = values
    self.another = another
  }

  /// A coordinator with a store whose one entity has one unique attribute of the type.
  func coordinator(at url: URL) throws -> NSPersistentStoreCoordinator {
    let entity = NSEntityDescription()
    entity.name = "Sample"
    entity.properties = [SpecModel.attribute("value", type)]
    entity.uniquenessConstraints = [["value"]]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    return coordinator
  }

  /// Inserts an object with a value.
  func insert(_ value: Any, in context: NSManagedObjectContext) {
    NSEntityDescription.insertNewObject(forEntityName: "Sample", into: context)
      .setValue(value, forKey: "value")
  }

  /// How many objects the store has.
  func count(in context: NSManagedObjectContext) throws -> Int {
    try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Sample"))
  }
}

/// Two contexts that insert, change and delete products with few keys at random, and save.
struct ConstraintWalk {
  private var generator: SeededGenerator
  private let url: URL
  /// What was found wrong, with the steps that led there.
  private(set) var complaints: [String] = []
  private var steps: [String] = []

  /// The walk that belongs to the seed, on a store of its own.
  init(seed: Int, at url: URL) {
    generator = SeededGenerator(seed: seed)
    self.url = url
  }

  private mutating func number(below bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &generator)
  }

  /// Walks under a policy, and compares file and context after each save.
  mutating func run(_ policy: Policy, keep: (AnyObject) -> Void) throws {
    let coordinator = try openCatalogue(at: url)
    keep(coordinator)
    let contexts = (0..<2).map { _ in context(.mainQueueConcurrencyType, on: coordinator) }
    for context in contexts { context.mergePolicy = policy.policy }
    for round in 0..<6 {
      let saver = contexts[number(below: 2)]
      for _ in 0..<(1 + number(below: 6)) { try step(in: saver) }
      do { try saver.save() } catch { complaints.append("\(steps): \(error)") }
      if saver.hasChanges { complaints.append("\(steps): something is pending") }
      let fresh = try openCatalogue(at: url)
      let file = try lines(context(.mainQueueConcurrencyType, on: fresh))
      for context in contexts { context.refreshAllObjects() }
      for context in contexts where try lines(context) != file {
        complaints.append("\(steps): round \(round): \(try lines(context)) but \(file)")
      }
      let keys = file.compactMap { $0.split(separator: " ").first }.filter { $0 != "-" }
      if Set(keys).count != keys.count { complaints.append("\(steps): \(file)") }
    }
  }

  private mutating func step(in context: NSManagedObjectContext) throws {
    let products = try context.all(Product.self)
    let key = ["a", "b", "c", "d", nil][number(below: 5)]
    let value = "\(number(below: 100))"
    let kind = number(below: 10)
    steps.append("\(kind)\(key ?? "-")\(value)")
    guard !products.isEmpty, kind > 4 else {
      let product =
        kind == 0 ? SpecialProduct(context: context) : context.product(key, value)
      (product.key, product.name) = (key, value)
      (product as? SpecialProduct)?.code = key
      let pointer = Pointer(context: context)
      pointer.name = value
      pointer.target = product
      return
    }
    let sorted = products.sorted { ($0.key ?? "", $0.name ?? "") < ($1.key ?? "", $1.name ?? "") }
    let product = sorted[number(below: sorted.count)]
    switch kind {
    case 5, 6: product.key = key
    case 7: product.name = value
    case 8: context.delete(product)
    default:
      let tag = ProductTag(context: context)
      tag.name = value
      product.tags.insert(tag)
    }
  }

  private func lines(_ context: NSManagedObjectContext) throws -> [String] {
    let products = try context.all(Product.self).map { product in
      let tags = product.tags.compactMap(\.name).sorted().joined(separator: ",")
      let pointers = product.pointers.compactMap(\.name).sorted().joined(separator: ",")
      return "\(product.key ?? "-") \(product.name ?? "-") [\(tags)] [\(pointers)]"
    }
    return products.sorted()
  }
}
