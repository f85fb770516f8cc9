import CoreData
import Foundation
import XCTest

/// What becomes of a store when the model has another version (section C.4).
final class MigrationSpecs: VersionsCase {
  private typealias Entity = ModelVersion.Entity
  private typealias Attribute = ModelVersion.Attribute
  private typealias Relationship = ModelVersion.Relationship

  /// People and their pets.
  private var first: ModelVersion {
    ModelVersion(entities: [
      Entity(
        name: "Person",
        attributes: [
          Attribute(name: "name"), Attribute(name: "age", type: .integer64AttributeType),
        ],
        relationships: [
          Relationship(name: "pets", destination: "Pet", inverse: "owner", isToMany: true)
        ]),
      Entity(
        name: "Pet", attributes: [Attribute(name: "name")],
        relationships: [Relationship(name: "owner", destination: "Person", inverse: "pets")]),
    ])
  }

  /// Fills a store of the first version: Ada with Rex and Tom, Bob alone.
  private func fill(_ name: String = "Versions") throws {
    let context = try open(first.model(), name)
    func insert(_ entity: String, _ name: String) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      object.setValue(name, forKey: "name")
      return object
    }
    let ada = insert("Person", "Ada")
    try context.save()
    let bob = insert("Person", "Bob")
    try context.save()
    ada.setValue(Int64(36), forKey: "age")
    bob.setValue(Int64(7), forKey: "age")
    let rex = insert("Pet", "Rex")
    try context.save()
    let tom = insert("Pet", "Tom")
    for pet in [rex, tom] { pet.setValue(ada, forKey: "owner") }
    try context.save()
    try close(context)
  }

  func testC39_C41_aChainOfVersionsKeepsEveryRow() throws {
    try fill()
    for (number, step) in chain.enumerated() {
      for _ in 0..<2 {
        let context = try open(step.version.model())
        XCTAssertEqual(try contents(context), step.expected, "step \(number)")
        try close(context)
      }
    }
    let error = cocoaError(134100) { _ = try open(first.model()) }
    XCTAssertTrue(try XCTUnwrap(error?.localizedDescription).contains("later version"))
    XCTAssertEqual(try contents(open(chain[4].version.model())), chain[4].expected)
  }

  /// Versions one after the other, and what the store holds then.
  private var chain: [(version: ModelVersion, expected: [String: [String: String]])] {
    var steps: [(ModelVersion, [String: [String: String]])] = []
    var version = first
    // Two attributes come.
    version.entities[0].attributes += [
      Attribute(name: "email"),
      Attribute(
        name: "level", type: .integer16AttributeType, isOptional: false, value: 3 as NSNumber),
    ]
    var people = [
      "Person/p1": [
        "name": "Ada", "age": "36", "email": "nil", "level": "3", "pets": "Pet/p1 Pet/p2",
      ],
      "Person/p2": ["name": "Bob", "age": "7", "email": "nil", "level": "3", "pets": ""],
    ]
    var pets = ["Rex", "Tom"].map { ["name": $0, "owner": "Person/p1"] }
    func note() {
      steps.append(
        (version, people.merging(zip(["Pet/p1", "Pet/p2"], pets).map { ($0, $1) }) { $1 }))
    }
    note()

    // An entity, an attribute and both ends of a relationship get other names; one attribute goes.
    version.entities[0] = Entity(
      name: "Human",
      attributes: [
        Attribute(name: "fullName", former: "name"),
        Attribute(name: "age", type: .integer64AttributeType),
      ],
      relationships: [
        Relationship(
          name: "animals", destination: "Pet", inverse: "keeper", isToMany: true, former: "pets")
      ], former: "Person")
    version.entities[1].relationships = [
      Relationship(name: "keeper", destination: "Human", inverse: "animals", former: "owner")
    ]
    people = [
      "Human/p1": ["fullName": "Ada", "age": "36", "animals": "Pet/p1 Pet/p2"],
      "Human/p2": ["fullName": "Bob", "age": "7", "animals": ""],
    ]
    pets = ["Rex", "Tom"].map { ["name": $0, "keeper": "Human/p1"] }
    note()
    steps += laterSteps(&version, &people, pets)
    return steps
  }

  private func laterSteps(
    _ version: inout ModelVersion, _ people: inout [String: [String: String]],
    _ pets: [[String: String]]
  ) -> [(ModelVersion, [String: [String: String]])] {
    let animals = ["Pet/p1": pets[0], "Pet/p2": pets[1]]
    var steps: [(ModelVersion, [String: [String: String]])] = []
    // An entity comes above one and takes an attribute over; others come beside it.
    version.entities[0].former = nil
    version.entities[0].parent = "Being"
    version.entities[0].attributes = [Attribute(name: "age", type: .integer64AttributeType)]
    version.entities += [
      Entity(name: "Being", isAbstract: true, attributes: [Attribute(name: "fullName")]),
      Entity(name: "Alien", parent: "Being"),
      Entity(name: "Toy", attributes: [Attribute(name: "colour")]),
    ]
    steps.append((version, people.merging(animals) { $1 }))

    // The one side leads to many now, and the many side has an order.
    version.entities[0].relationships[0].isOrdered = true
    version.entities[1].relationships[0].isToMany = true
    people["Human/p1"]?["animals"] = "Pet/p1 < Pet/p2"
    steps.append((version, people.merging(animals) { $1 }))

    // An entity goes, and with it the relationship to it.
    version.entities.remove(at: 1)
    version.entities[0].relationships = []
    for name in people.keys { people[name]?["animals"] = nil }
    steps.append((version, people))
    return steps
  }

  func testC39_anIdLeadsToTheSameRecordAfterwards() throws {
    try fill()
    let before = try open(first.model())
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.predicate = NSPredicate(format: "name == 'Bob'")
    let uri = try XCTUnwrap(before.fetch(request).first).objectID.uriRepresentation()
    try close(before)
    var second = first
    second.entities[0].attributes.append(Attribute(name: "email"))
    let context = try open(second.model())
    let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
    let bob = try context.existingObject(with: XCTUnwrap(id))
    XCTAssertEqual(bob.value(forKey: "name") as? String, "Bob")
    bob.setValue("b@example.com", forKey: "email")
    let new = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    try context.save()
    XCTAssertEqual(new.objectID.uriRepresentation().lastPathComponent, "p3")
  }

  func testC39_whatBecomesMandatoryTakesItsDefault() throws {
    try fill()
    let before = try open(first.model())
    _ = NSEntityDescription.insertNewObject(forEntityName: "Person", into: before)
    try before.save()
    try close(before)
    var second = first
    second.entities[0].attributes[0].isOptional = false
    second.entities[0].attributes[0].value = "O'Nobody" as NSString
    let names = try contents(open(second.model())).values.compactMap {
      $0["age"] == nil ? nil : $0["name"]
    }
    XCTAssertEqual(names.sorted(), ["Ada", "Bob", "O'Nobody"])
  }

  func testC40_recordsWithoutAMandatoryValueAreRefusedWith134110() throws {
    try fill()
    var second = first
    second.entities[0].attributes.append(Attribute(name: "email", isOptional: false))
    let error = cocoaError(134110) { _ = try open(second.model()) }
    let reason = try XCTUnwrap(error?.userInfo["reason"] as? String)
    XCTAssertEqual(
      reason,
      "Cannot migrate store in-place: "
        + "Validation error missing attribute values on mandatory destination attribute")
    let inner = error?.userInfo[NSUnderlyingErrorKey] as? NSError
    XCTAssertEqual(inner?.code, 134110)
    XCTAssertEqual(inner?.userInfo["entity"] as? String, "Person")
    XCTAssertEqual(inner?.userInfo["attribute"] as? String, "email")
    XCTAssertEqual(try contents(open(first.model())).count, 4, "the store is what it was")
    let empty = try open(first.model(), "Empty")
    try close(empty)
    _ = try open(second.model(), "Empty")
  }

  func testC40_recordsThatViolateANewConstraintAreRefusedWith134111() throws {
    try fill()
    let before = try open(first.model())
    let twin = NSEntityDescription.insertNewObject(forEntityName: "Person", into: before)
    twin.setValue("Ada", forKey: "name")
    try before.save()
    let model = first.model()
    model.entitiesByName["Person"]?.uniquenessConstraints = [["name"]]
    try close(before)
    cocoaError(134111) { _ = try open(model) }
    let context = try open(first.model())
    for object in context.registeredObjects { context.refresh(object, mergeChanges: false) }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.predicate = NSPredicate(format: "name == 'Ada'")
    try context.delete(XCTUnwrap(context.fetch(request).last))
    try context.save()
    try close(context)
    let again = first.model()
    again.entitiesByName["Person"]?.uniquenessConstraints = [["name"]]
    XCTAssertEqual(try contents(open(again)).count, 4)
  }

  func testC39_numbersBecomeNumbersOfAnotherType() throws {
    let types: [NSAttributeType] = [
      .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .decimalAttributeType, .booleanAttributeType,
    ]
    func version(_ type: NSAttributeType) -> NSManagedObjectModel {
      ModelVersion(entities: [
        Entity(
          name: "Cell",
          attributes: [Attribute(name: "place"), Attribute(name: "value", type: type)])
      ]).model()
    }
    let values: [NSNumber?] = [nil, 0, 1, -7, 2.5, 40_000, 5e9]
    for (old, new) in types.flatMap({ old in types.map { (old, $0) } }) where old != new {
      let name = "\(old.rawValue) \(new.rawValue)"
      let before = try open(version(old), name)
      for (place, value) in values.enumerated() {
        let cell = NSEntityDescription.insertNewObject(forEntityName: "Cell", into: before)
        cell.setValue("\(place)", forKey: "place")
        cell.setValue(Self.fitted(value, old), forKey: "value")
      }
      try before.save()
      try close(before)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Cell")
      request.sortDescriptors = [NSSortDescriptor(key: "place", ascending: true)]
      let after = try open(version(new), name)
      for (cell, value) in zip(try after.fetch(request), values) {
        XCTAssertEqual(
          (cell.value(forKey: "value") as? NSNumber)?.doubleValue,
          Self.fitted(Self.fitted(value, old), new)?.doubleValue, "\(name): \(value ?? -1)")
      }
      try close(after)
    }
  }

  /// A number as an attribute of a type holds it.
  private static func fitted(_ number: NSNumber?, _ type: NSAttributeType) -> NSNumber? {
    guard let value = number?.doubleValue else { return nil }
    return switch type {
    case .integer16AttributeType: NSNumber(value: Int16(max(-32768, min(32767, value))))
    case .integer32AttributeType: NSNumber(value: Int32(max(-0x8000_0000, min(0x7FFF_FFFF, value))))
    case .integer64AttributeType: NSNumber(value: Int64(value))
    case .booleanAttributeType: NSNumber(value: value != 0)
    case .decimalAttributeType: NSDecimalNumber(value: value)
    case .floatAttributeType: NSNumber(value: Float(value))
    default: NSNumber(value: value)
    }
  }

  func testC40_whatCannotBeInferredIsRefusedWith134190AndTheReason() throws {
    try fill()
    func refuse(_ words: String, line: UInt = #line, _ change: (inout ModelVersion) -> Void) throws
    {
      var second = first
      change(&second)
      let error = cocoaError(134140, line: line) { _ = try open(second.model()) }
      let inner = error?.userInfo[NSUnderlyingErrorKey] as? NSError
      XCTAssertEqual(inner?.code, 134190, line: line)
      for key in ["sourceModel", "destinationModel"] {
        XCTAssertTrue(error?.userInfo[key] is NSManagedObjectModel, key, line: line)
      }
      let text = error?.localizedDescription ?? ""
      XCTAssertTrue(text.contains(words), text, line: line)
      cocoaError(134190, line: line) {
        _ = try NSMappingModel.inferredMappingModel(
          forSourceModel: first.model(), destinationModel: second.model())
      }
    }
    try refuse("Person.age changes its type from integer64 to string") {
      $0.entities[0].attributes[1].type = .stringAttributeType
    }
    try refuse("merged") {
      $0.entities[0].parent = "Thing"
      $0.entities[1].parent = "Thing"
      $0.entities.append(Entity(name: "Thing", isAbstract: true))
    }
    try refuse("Person.pets leads to many") {
      $0.entities[0].relationships[0].isToMany = false
    }
    try refuse("abstract") { $0.entities[0].isAbstract = true }
    try refuse("both come from Person") {
      $0.entities[0].former = "Person"
      $0.entities.append(Entity(name: "Someone", former: "Person"))
    }
    try refuse("no entity in common") {
      $0.entities = [Entity(name: "Invoice", attributes: [Attribute(name: "sum")])]
    }
    try refuse("an attribute in one version and a relationship in the other") {
      $0.entities[0].attributes[1] = Attribute(name: "pets")
      $0.entities[0].relationships = []
      $0.entities[1].relationships = []
    }
    XCTAssertEqual(try contents(open(first.model())).count, 4)
  }

  func testC40_aMigrationIsDoneOnlyIfBothOptionsAllowIt() throws {
    try fill()
    var second = first
    second.entities[0].attributes.append(Attribute(name: "email"))
    let refusal = cocoaError(134100) {
      _ = try open(second.model()) { $0.shouldMigrateStoreAutomatically = false }
    }
    let metadata = try XCTUnwrap(refusal?.userInfo["metadata"] as? [String: Any])
    XCTAssertTrue(
      first.model().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    let error = cocoaError(134140) {
      _ = try open(second.model()) { $0.shouldInferMappingModelAutomatically = false }
    }
    let source = error?.userInfo["sourceModel"] as? NSManagedObjectModel
    XCTAssertNotNil(source?.entitiesByName["Person"])
    XCTAssertNil(source?.entitiesByName["Person"]?.attributesByName["email"])
    cocoaError(134100) { _ = try open(second.model()) { $0.isReadOnly = true } }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: second.model())
    func add(_ options: [AnyHashable: Any]?) throws {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL("Versions"),
        options: options)
    }
    cocoaError(134100) { try add(nil) }
    try add([
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ])
    XCTAssertEqual(coordinator.persistentStores.count, 1)
  }

  func testC45_theStoreIsMigratedWhenItIsReportedAsLoaded() throws {
    try fill()
    var second = first
    second.entities[0].attributes.append(Attribute(name: "email"))
    let container = NSPersistentContainer(name: "Versions", managedObjectModel: second.model())
    let description = NSPersistentStoreDescription(url: storeURL("Versions"))
    description.shouldAddStoreAsynchronously = true
    container.persistentStoreDescriptions = [description]
    let loaded = expectation(description: "the store was loaded")
    let thread = Box<Bool?>(nil)
    container.loadPersistentStores { _, error in
      XCTAssertNil(error)
      thread.value = Thread.isMainThread
      loaded.fulfill()
    }
    wait(for: [loaded], timeout: 30)
    XCTAssertEqual(thread.value, false, "an asynchronous store is migrated elsewhere too")
    XCTAssertEqual(try contents(container.viewContext).count, 4)
  }

  func testC38_aNewEntityInAnotherConfigurationLeavesAStoreCompatible() throws {
    let configurations = ["People": ["Person", "Pet"]]
    let before = NSPersistentStoreCoordinator(
      managedObjectModel: first.model(configurations: configurations))
    let old = try before.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: "People", at: storeURL("People"))
    let writer = context(.mainQueueConcurrencyType, on: before)
    NSEntityDescription.insertNewObject(forEntityName: "Pet", into: writer)
      .setValue("Rex", forKey: "name")
    try writer.save()
    writer.reset()
    try before.remove(old)
    var second = first
    second.entities.insert(Entity(name: "Invoice", attributes: [Attribute(name: "sum")]), at: 0)
    let model = second.model(configurations: configurations)
    let after = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try after.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: "People", at: storeURL("People"))
    XCTAssertTrue(
      model.isConfiguration(
        withName: "People", compatibleWithStoreMetadata: after.metadata(for: store)))
    let reader = context(.mainQueueConcurrencyType, on: after)
    XCTAssertEqual(try contents(reader), ["Pet/p1": ["name": "Rex", "owner": ""]])
  }
}
