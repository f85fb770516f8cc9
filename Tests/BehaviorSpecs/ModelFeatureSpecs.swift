import CoreData
import Foundation
import XCTest

/// What templates, fetched properties and derived attributes of a model do.
final class ModelFeatureSpecs: SpecCase {
  private func makeMuseum() throws -> NSPersistentContainer {
    let url = ModelFileSpecs.models.appendingPathComponent("Museum.xcdatamodeld")
    return try makeContainer(model: XCTUnwrap(NSManagedObjectModel(contentsOf: url)))
  }

  private func insert(
    _ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  func testC25_aTemplateIsCopiedWithValuesForItsVariables() throws {
    let container = try makeMuseum()
    let (model, context) = (container.managedObjectModel, container.viewContext)
    for title in ["Dawn", "Dusk"] { _ = insert("Painting", ["title": title], context) }
    try context.save()
    let all = try XCTUnwrap(model.fetchRequestTemplate(forName: "everything"))
    XCTAssertEqual(try context.fetch(all).count, 2)
    let titled = try XCTUnwrap(model.fetchRequestTemplate(forName: "titled"))
    XCTAssertEqual(titled.entityName, "Artefact")
    XCTAssertEqual(titled.fetchLimit, 5)
    XCTAssertFalse(titled.includesSubentities)
    let found = try XCTUnwrap(
      model.fetchRequestFromTemplate(
        withName: "titled", substitutionVariables: ["title": "Dusk"]))
    found.includesSubentities = true
    let titles = try context.fetch(found).map {
      ($0 as? NSManagedObject)?.value(forKey: "title") as? String
    }
    XCTAssertEqual(titles, ["Dusk"])
    XCTAssertNil(model.fetchRequestTemplate(forName: "unknown"))
    XCTAssertEqual(model.fetchRequestTemplatesByName.keys.sorted(), ["everything", "titled"])
    let copy = try XCTUnwrap(model.copy() as? NSManagedObjectModel)
    copy.setFetchRequestTemplate(nil, forName: "titled")
    copy.setFetchRequestTemplate(NSFetchRequest(entityName: "Room"), forName: "rooms")
    XCTAssertEqual(copy.fetchRequestTemplatesByName.keys.sorted(), ["everything", "rooms"])
  }

  func testC11_aFetchedPropertyIsFetchedWithItsObjectInThePredicate() throws {
    let context = try makeMuseum().viewContext
    let museums = ["One", "Two"].map { insert("Museum", ["name": $0], context) }
    for (number, size) in [(1, 10), (2, 60), (3, 90)] {
      _ = insert("Room", ["number": number, "size": size, "museum": museums[0]], context)
    }
    _ = insert("Room", ["size": 70, "museum": museums[1]], context)
    func large(_ museum: NSManagedObject) -> [Int] {
      (museum.value(forKey: "largeRooms") as? [NSManagedObject] ?? [])
        .compactMap { $0.value(forKey: "number") as? Int }.sorted()
    }
    XCTAssertEqual(large(museums[0]), [2, 3])
    try context.save()
    XCTAssertEqual(large(museums[0]), [2, 3])
    XCTAssertEqual(large(museums[1]), [0])
    XCTAssertFalse(museums[0].hasChanges)
  }

  func testC11_thePredicateOfAFetchedPropertyReadsItsUserInfo() throws {
    let owner = SpecModel.entity("Owner", NSManagedObject.self, [SpecModel.text("name")])
    let thing = SpecModel.entity(
      "Thing", NSManagedObject.self, [SpecModel.integer("size"), SpecModel.text("owner")])
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = thing
    request.predicate = NSPredicate(
      format: "owner == $FETCH_SOURCE.name AND size > $FETCHED_PROPERTY.userInfo.least "
        + "AND $FETCHED_PROPERTY.name == 'large' AND $FETCHED_PROPERTY.userInfo.none == nil")
    let large = NSFetchedPropertyDescription()
    large.name = "large"
    large.fetchRequest = request
    large.userInfo = ["least": 20]
    owner.properties.append(large)
    let model = NSManagedObjectModel()
    model.entities = [owner, thing]
    let context = try makeContainer(model: model, name: "Things").viewContext
    let ada = insert("Owner", ["name": "Ada"], context)
    for size in [10, 20, 30, 40] { _ = insert("Thing", ["owner": "Ada", "size": size], context) }
    func sizes() -> [Int] {
      (ada.value(forKey: "large") as? [NSManagedObject] ?? [])
        .compactMap { $0.value(forKey: "size") as? Int }.sorted()
    }
    XCTAssertEqual(sizes(), [30, 40], "in memory")
    try context.save()
    XCTAssertEqual(sizes(), [30, 40], "in the store")
  }

  func testF13_theElementsOfACompositeAreColumnsOfDictionaries() throws {
    let context = try makeMuseum().viewContext
    _ = insert("Museum", ["name": "One", "seat": ["city": "Oslo"]], context)
    try context.save()
    let request = NSFetchRequest<NSDictionary>(entityName: "Museum")
    request.resultType = .dictionaryResultType
    XCTAssertEqual(try context.fetch(request).first?["seat.city"] as? String, "Oslo")
    request.propertiesToFetch = ["name", "seat.city"]
    XCTAssertEqual(
      try context.fetch(request).first as? [String: String], ["name": "One", "seat.city": "Oslo"])
  }

  func testD2_derivedAttributesAreComputedByASave() throws {
    let context = try makeMuseum().viewContext
    let museum = insert("Museum", ["name": "One"], context)
    let room = insert("Room", ["museum": museum], context)
    let painting = insert("Painting", ["title": "Été à Gênes"], context)
    XCTAssertNil(painting.value(forKey: "tidyTitle"))
    let before = Date()
    try context.save()
    XCTAssertEqual(painting.value(forKey: "tidyTitle") as? String, "ete a genes")
    let touched = try XCTUnwrap(painting.value(forKey: "touched") as? Date)
    XCTAssertGreaterThanOrEqual(touched.timeIntervalSince(before), -1)
    XCTAssertEqual(museum.value(forKey: "roomCount") as? Int, 1)
    XCTAssertFalse(context.hasChanges)
    _ = insert("Room", ["museum": museum], context)
    try context.save()
    XCTAssertEqual(museum.value(forKey: "roomCount") as? Int, 2)
    XCTAssertEqual(painting.value(forKey: "touched") as? Date, touched)
    context.delete(room)
    painting.setValue("Dusk", forKey: "title")
    try context.save()
    context.reset()
    let again = try XCTUnwrap(
      context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Museum")).first)
    XCTAssertEqual(again.value(forKey: "roomCount") as? Int, 1)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Painting")
    request.predicate = NSPredicate(format: "tidyTitle == 'dusk'")
    XCTAssertEqual(try context.count(for: request), 1)
  }

  func testD2_whatIsDerivedAcrossARelationshipFollowsTheOtherEnd() throws {
    let context = try makeContainer(model: Self.shop).viewContext
    let order = insert("Order", [:], context)
    let items = [3, 4].map { insert("Item", ["price": $0, "order": order], context) }
    let buyer = insert("Buyer", ["name": "Ada"], context)
    order.setValue(buyer, forKey: "buyer")
    try context.save()
    XCTAssertEqual(order.value(forKey: "total") as? Int, 7)
    XCTAssertEqual(order.value(forKey: "buyerName") as? String, "Ada")
    items[0].setValue(10, forKey: "price")
    buyer.setValue("Grace", forKey: "name")
    order.setValue(buyer, forKey: "buyer")
    XCTAssertFalse(order.hasPersistentChangedValues)
    try context.save()
    XCTAssertEqual(order.value(forKey: "total") as? Int, 14)
    XCTAssertEqual(order.value(forKey: "buyerName") as? String, "Grace")
    context.refresh(order, mergeChanges: false)
    XCTAssertEqual(order.value(forKey: "total") as? Int, 14)
    context.delete(items[1])
    context.delete(buyer)
    try context.save()
    XCTAssertEqual(order.value(forKey: "total") as? Int, 10)
    XCTAssertNil(order.value(forKey: "buyerName"))
  }

  func testD2_aDerivedCopyOfAUuidOrALinkHasItsValue() throws {
    let context = try makeContainer(model: Self.tickets).viewContext
    let (token, link) = (UUID(), URL(string: "https://example.com/a?b=1#c"))
    let ticket = insert("Ticket", ["token": token, "link": link as Any], context)
    let stub = insert("Stub", ["ticket": ticket], context)
    let bare = insert("Ticket", [:], context)
    func expectCopies(_ token: UUID?, _ link: URL?) {
      XCTAssertEqual(ticket.value(forKey: "tokenCopy") as? UUID, token)
      XCTAssertEqual(ticket.value(forKey: "linkCopy") as? URL, link)
      XCTAssertEqual(stub.value(forKey: "token") as? UUID, token)
    }
    try context.save()
    expectCopies(token, link)
    XCTAssertNil(bare.value(forKey: "tokenCopy"))
    XCTAssertNil(bare.value(forKey: "linkCopy"))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Ticket")
    request.predicate = NSPredicate(
      format: "tokenCopy == %@ AND linkCopy == %@", token, link as Any)
    XCTAssertEqual(try context.count(for: request), 1)
    for object in [ticket, stub] { context.refresh(object, mergeChanges: false) }
    expectCopies(token, link)
    let other = UUID()
    ticket.setValue(other, forKey: "token")
    ticket.setValue(nil, forKey: "link")
    try context.save()
    expectCopies(other, nil)
    for object in [ticket, stub] { context.refresh(object, mergeChanges: false) }
    expectCopies(other, nil)
  }

  func testA70_aCompositeIsADictionaryOverItsElements() throws {
    let context = try makeMuseum().viewContext
    let museum = insert("Museum", ["name": "One"], context)
    XCTAssertNil(museum.value(forKey: "seat"))
    museum.setValue(["city": "Oslo", "latitude": 59.5], forKey: "seat")
    let other = insert("Museum", ["name": "Two", "seat": ["latitude": 1.5]], context)
    try context.save()
    context.refresh(museum, mergeChanges: false)
    let seat = try XCTUnwrap(museum.value(forKey: "seat") as? [String: Any])
    XCTAssertEqual(seat["city"] as? String, "Oslo")
    XCTAssertEqual(seat["latitude"] as? Double, 59.5)
    XCTAssertEqual(museum.value(forKeyPath: "seat.city") as? String, "Oslo")
    museum.setValue("Bergen", forKey: "seat.city")
    XCTAssertEqual(museum.changedValues().keys.sorted(), ["seat"])
    XCTAssertEqual(museum.changedValuesForCurrentEvent().keys.sorted(), ["seat"])
    let former = museum.committedValues(forKeys: ["seat"])
    XCTAssertEqual(former.keys.sorted(), ["seat"])
    XCTAssertEqual((former["seat"] as? [String: Any])?["city"] as? String, "Oslo")
    museum.setValue(["city": "Bergen"], forKey: "seat")
    XCTAssertEqual((museum.value(forKey: "seat") as? [String: Any])?.count, 1)
    try context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Museum")
    request.predicate = NSPredicate(format: "seat.city == 'Bergen' OR seat.latitude > 1")
    request.sortDescriptors = [NSSortDescriptor(key: "seat.latitude", ascending: false)]
    XCTAssertEqual(try context.fetch(request), [other, museum])
    other.setValue(nil, forKey: "seat")
    XCTAssertNil(other.value(forKey: "seat"))
    XCTAssertEqual(try context.fetch(request), [museum])
  }

  private static func derived(
    _ name: String, _ type: NSAttributeType, _ expression: String
  ) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.derivationExpression = NSExpression(format: expression)
    return attribute
  }

  private static let tickets: NSManagedObjectModel = {
    let ticket = SpecModel.entity(
      "Ticket", NSManagedObject.self,
      [
        SpecModel.attribute("token", .UUIDAttributeType),
        SpecModel.attribute("link", .URIAttributeType),
        derived("tokenCopy", .UUIDAttributeType, "token"),
        derived("linkCopy", .URIAttributeType, "link"),
      ])
    let stub = SpecModel.entity(
      "Stub", NSManagedObject.self, [derived("token", .UUIDAttributeType, "ticket.token")])
    for entity in [ticket, stub] { entity.managedObjectClassName = "NSManagedObject" }
    SpecModel.relate(
      SpecModel.toMany("stubs", ticket, .nullifyDeleteRule), SpecModel.toOne("ticket", stub))
    let model = NSManagedObjectModel()
    model.entities = [ticket, stub]
    return model
  }()

  private static let shop: NSManagedObjectModel = {
    let order = SpecModel.entity("Order", NSManagedObject.self, [])
    order.managedObjectClassName = "NSManagedObject"
    order.properties = [
      derived("total", .integer64AttributeType, "items.@sum.price"),
      derived("buyerName", .stringAttributeType, "buyer.name"),
    ]
    let item = SpecModel.entity("Item", NSManagedObject.self, [SpecModel.integer("price")])
    let buyer = SpecModel.entity("Buyer", NSManagedObject.self, [SpecModel.text("name")])
    for entity in [item, buyer] { entity.managedObjectClassName = "NSManagedObject" }
    SpecModel.relate(
      SpecModel.toMany("items", order, .nullifyDeleteRule), SpecModel.toOne("order", item))
    SpecModel.relate(
      SpecModel.toOne("buyer", order), SpecModel.toMany("orders", buyer, .nullifyDeleteRule))
    let model = NSManagedObjectModel()
    model.entities = [order, item, buyer]
    return model
  }()

  /// A model of an entity with one composite, which has a mandatory element and another one.
  private func seated(
    _ type: NSManagedObject.Type, isMandatory: Bool
  ) throws -> NSManagedObjectContext {
    let seat = NSCompositeAttributeDescription()
    seat.name = "seat"
    seat.isOptional = !isMandatory
    seat.elements = [
      SpecModel.text("city", optional: false), SpecModel.attribute("row", .integer64AttributeType),
    ]
    let entity = SpecModel.entity("Guild", type, [SpecModel.text("name"), seat])
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return try makeContainer(model: model, name: "\(type) \(isMandatory)").viewContext
  }

  /// The keys that the save of an object with these values complains about.
  private func missing(
    _ values: [String: Any], in context: NSManagedObjectContext
  ) throws -> [String] {
    _ = insert("Guild", values, context)
    defer { context.rollback() }
    do { try context.save() } catch {
      let error = error as NSError
      let all = error.userInfo[NSDetailedErrorsKey] as? [any Error] ?? [error]
      XCTAssertEqual(Set(all.map { ($0 as NSError).code }), [1570])
      return all.compactMap { ($0 as NSError).userInfo[NSValidationKeyErrorKey] as? String }
    }
    return []
  }

  func testD26_aMandatoryCompositeMustHaveAValue() throws {
    for type in [NSManagedObject.self, Guild.self] {
      let context = try seated(type, isMandatory: true)
      XCTAssertEqual(try missing([:], in: context), ["seat"])
      XCTAssertEqual(try missing(["seat": ["row": 1]], in: context), ["seat.city"])
      XCTAssertEqual(try missing(["seat": ["city": "Oslo"]], in: context), [])
    }
  }

  func testD26_theElementsOfACompositeThatIsNilAreNotJudged() throws {
    for type in [NSManagedObject.self, Guild.self] {
      let context = try seated(type, isMandatory: false)
      XCTAssertEqual(try missing([:], in: context), [])
      XCTAssertEqual(try missing(["seat": ["row": 1]], in: context), ["seat.city"])
    }
    XCTAssertEqual(Set(Guild.asked), ["name", "seat"], "an element is no property")
  }
}

/// Something that checks itself.
final class Guild: NSManagedObject {
  /// The keys of the properties asked about.
  nonisolated(unsafe) static var asked: [String] = []

  override func validateValue(_ value: inout Any?, forKey key: String) throws {
    Self.asked.append(key)
    try super.validateValue(&value, forKey: key)
  }
}
