import CoreData
import Foundation
import XCTest

/// What a migration computes for the records that are there when a derived attribute comes (C39).
final class DerivedMigrationSpecs: VersionsCase {
  private typealias Entity = ModelVersion.Entity
  private typealias Attribute = ModelVersion.Attribute
  private typealias Relationship = ModelVersion.Relationship

  /// Orders, among them parcels, with their items, labels and buyers.
  private var version: ModelVersion {
    ModelVersion(entities: [
      Entity(
        name: "Order", attributes: [Attribute(name: "name")],
        relationships: [
          Relationship(name: "items", destination: "Item", inverse: "order", isToMany: true),
          Relationship(name: "buyer", destination: "Buyer", inverse: "orders"),
          Relationship(name: "labels", destination: "Label", inverse: "orders", isToMany: true),
        ]),
      Entity(name: "Parcel", parent: "Order"),
      Entity(
        name: "Item", attributes: [Attribute(name: "price", type: .integer64AttributeType)],
        relationships: [Relationship(name: "order", destination: "Order", inverse: "items")]),
      Entity(
        name: "Buyer", attributes: [Attribute(name: "name")],
        relationships: [
          Relationship(name: "orders", destination: "Order", inverse: "buyer", isToMany: true)
        ]),
      Entity(
        name: "Label", attributes: [Attribute(name: "name")],
        relationships: [
          Relationship(name: "orders", destination: "Order", inverse: "labels", isToMany: true)
        ]),
    ])
  }

  private typealias Derived = (
    entity: String, name: String, type: NSAttributeType, expression: String
  )

  private let derived: [Derived] = [
    ("Order", "total", .integer64AttributeType, "items.@sum.price"),
    ("Order", "labelCount", .integer16AttributeType, "labels.@count"),
    ("Order", "buyerName", .stringAttributeType, "buyer.name"),
    ("Order", "plainName", .stringAttributeType, "canonical:(name)"),
    ("Order", "touched", .dateAttributeType, "now()"),
    ("Item", "orderName", .stringAttributeType, "order.name"),
  ]

  /// The same with derived attributes, of which the whole numbers are mandatory.
  private func deriving(_ version: ModelVersion) -> NSManagedObjectModel {
    let model = version.model()
    for (entity, name, type, expression) in derived {
      let attribute = NSDerivedAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = ![.integer64AttributeType, .integer16AttributeType].contains(type)
      attribute.derivationExpression = NSExpression(format: expression)
      model.entitiesByName[entity]?.properties.append(attribute)
    }
    return model
  }

  /// An order of Ada's with everything, one with nothing, and a parcel with an item.
  private func fill(_ context: NSManagedObjectContext) throws {
    let labels = ["red", "blue"].map { context.new("Label", ["name": $0]) }
    let full = context.new("Order", ["name": "Été", "labels": Set(labels)])
    full.setValue(context.new("Buyer", ["name": "Ada"]), forKey: "buyer")
    _ = context.new("Order", ["name": "None"])
    let parcel = context.new("Parcel", ["name": "Box"])
    for (price, order) in [(3, full), (4, full), (5, parcel)] {
      context.new("Item", ["price": price]).setValue(order, forKey: "order")
    }
    try context.save()
    context.reset()
  }

  /// The derived values of each order by its name and of each item by its price, but for the time,
  /// of which only whether it is there.
  private func values(_ context: NSManagedObjectContext) throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    for (entity, key) in [("Order", "name"), ("Item", "price")] {
      for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
        found[object.value(forKey: key).map { "\($0)" } ?? "nil"] =
          derived.filter { $0.entity == entity }.map { derived in
            let value = object.value(forKey: derived.name)
            if derived.type == .dateAttributeType { return value is Date ? "now" : "nil" }
            return value.map { "\($0)" } ?? "nil"
          }
      }
    }
    return found
  }

  func testC39_aDerivedAttributeThatComesHasItsValuesAsIfTheRecordsWereSaved() throws {
    let before = try open(version.model())
    try fill(before)
    try close(before)
    let migrated = try open(deriving(version))
    XCTAssertEqual(
      try values(migrated),
      [
        "Été": ["7", "2", "Ada", "ete", "now"], "None": ["0", "0", "nil", "none", "now"],
        "Box": ["5", "0", "nil", "box", "now"],
        "3": ["Été"], "4": ["Été"], "5": ["Box"],
      ])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Order")
    request.predicate = NSPredicate(format: "total > 4 AND plainName BEGINSWITH 'b'")
    XCTAssertEqual(try migrated.count(for: request), 1, "the store has the values too")
    let saved = try open(deriving(version), "Saved")
    try fill(saved)
    XCTAssertEqual(try values(migrated), try values(saved))
  }

  func testC39_whatIsDerivedOfAnElementOfACompositeComesToo() throws {
    func model(_ more: [NSPropertyDescription]) -> NSManagedObjectModel {
      let seat = NSCompositeAttributeDescription()
      seat.name = "seat"
      seat.elements = [SpecModel.text("city")]
      let model = NSManagedObjectModel()
      model.entities = [SpecModel.entity("Club", NSManagedObject.self, [seat] + more)]
      return model
    }
    let before = try open(model([]))
    before.new("Club", ["seat": ["city": "Bergen"]])
    before.new("Club")
    try before.save()
    try close(before)
    let town = NSDerivedAttributeDescription()
    town.name = "town"
    town.attributeType = .stringAttributeType
    town.derivationExpression = NSExpression(format: "uppercase:(seat.city)")
    let clubs = try contents(open(model([town])))
    XCTAssertEqual([1, 2].map { clubs["Club/p\($0)"]?["town"] }, ["BERGEN", "nil"])
  }

  func testC39_aDerivedCopyOfAUuidOrALinkComesWithItsValue() throws {
    let copies: [(name: String, type: NSAttributeType)] = [
      ("token", .UUIDAttributeType), ("link", .URIAttributeType),
    ]
    func model(_ more: [NSPropertyDescription]) -> NSManagedObjectModel {
      let model = NSManagedObjectModel()
      model.entities = [
        SpecModel.entity(
          "Ticket", NSManagedObject.self,
          copies.map { SpecModel.attribute($0.name, $0.type) } + more)
      ]
      return model
    }
    let (token, link) = (UUID(), URL(string: "https://example.com/a?b=1#c"))
    let before = try open(model([]))
    before.new("Ticket", ["token": token, "link": link as Any])
    before.new("Ticket")
    try before.save()
    try close(before)
    let migrated = try open(
      model(
        copies.map { copy in
          let attribute = NSDerivedAttributeDescription()
          attribute.name = copy.name + "Copy"
          attribute.attributeType = copy.type
          attribute.derivationExpression = NSExpression(forKeyPath: copy.name)
          return attribute
        }))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Ticket")
    request.predicate = NSPredicate(
      format: "tokenCopy == %@ AND linkCopy == %@", token, link as Any)
    let found = try migrated.fetch(request)
    XCTAssertEqual(found.map { $0.value(forKey: "tokenCopy") as? UUID }, [token])
    XCTAssertEqual(found.map { $0.value(forKey: "linkCopy") as? URL }, [link])
    request.predicate = NSPredicate(format: "tokenCopy == nil AND linkCopy == nil")
    XCTAssertEqual(try migrated.count(for: request), 1)
  }

  func testC39_whatIsDerivedAlreadyIsKeptWithItsTime() throws {
    let before = try open(deriving(version))
    try fill(before)
    func times(_ context: NSManagedObjectContext) throws -> [Date?] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Order")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      return try context.fetch(request).map { $0.value(forKey: "touched") as? Date }
    }
    let known = try times(before)
    try close(before)
    var next = version
    next.entities[0].attributes.append(Attribute(name: "note"))
    XCTAssertEqual(try times(open(deriving(next))), known)
  }
  /// Tags with these attributes, a text that is derived by an expression, and the time of the last
  /// save.
  private func tags(
    _ attributes: [NSAttributeDescription], _ expression: String
  ) -> NSManagedObjectModel {
    let derived: [(name: String, type: NSAttributeType, expression: String)] = [
      ("other", .stringAttributeType, expression), ("touched", .dateAttributeType, "now()"),
    ]
    let model = NSManagedObjectModel()
    model.entities = [
      SpecModel.entity(
        "Tag", NSManagedObject.self,
        attributes
          + derived.map { derived in
            let attribute = NSDerivedAttributeDescription()
            attribute.name = derived.name
            attribute.attributeType = derived.type
            attribute.derivationExpression = NSExpression(format: derived.expression)
            return attribute
          })
    ]
    return model
  }

  private func tag(_ context: NSManagedObjectContext) throws -> (other: String?, touched: Date?) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    let found = try XCTUnwrap(try context.fetch(request).first)
    return (found.value(forKey: "other") as? String, found.value(forKey: "touched") as? Date)
  }

  func testC36_C39_whatIsDerivedOtherwiseIsComputedAnewAndItsTimeStays() throws {
    let name = { SpecModel.text("name") }
    let before = try open(tags([name()], "lowercase:(name)"))
    before.new("Tag", ["name": "Ada"])
    try before.save()
    let known = try tag(before)
    XCTAssertEqual(known.other, "ada")
    try close(before)
    let migrated = try tag(open(tags([name()], "uppercase:(name)")))
    XCTAssertEqual(migrated.other, "ADA")
    XCTAssertNotNil(known.touched)
    XCTAssertEqual(migrated.touched, known.touched)
  }

  func testC39_whatLooksAtAnAttributeThatHasAnotherOriginNowFollowsIt() throws {
    let before = try open(tags([SpecModel.text("name"), SpecModel.text("title")], "name"))
    before.new("Tag", ["name": "Ada", "title": "Countess"])
    try before.save()
    XCTAssertEqual(try tag(before).other, "Ada")
    try close(before)
    let name = SpecModel.text("name")
    name.renamingIdentifier = "title"
    XCTAssertEqual(try tag(open(tags([name], "name"))).other, "Countess")
  }

  func testC36_theVersionHashCoversWhatAnAttributeIsDerivedBy() {
    func hash(_ expression: String) -> Data? {
      tags([SpecModel.text("name")], expression).entityVersionHashesByName["Tag"]
    }
    XCTAssertEqual(hash("lowercase:(name)"), hash("lowercase:( name )"))
    XCTAssertNotEqual(hash("lowercase:(name)"), hash("uppercase:(name)"))
  }
}
