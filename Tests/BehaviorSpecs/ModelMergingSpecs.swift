import CoreData
import Foundation
import XCTest

/// Models made of others, and parts that go from one model to another (sections A and C.4).
final class ModelMergingSpecs: SpecCase {
  private func shelves(_ names: [String]) -> NSManagedObjectModel {
    ModelVersion(entities: [
      ModelVersion.Entity(
        name: "Shelf",
        relationships: [
          ModelVersion.Relationship(
            name: "books", destination: "Book", inverse: "shelf", isToMany: true)
        ]),
      ModelVersion.Entity(
        name: "Book", attributes: names.map { ModelVersion.Attribute(name: $0) },
        relationships: [
          ModelVersion.Relationship(name: "shelf", destination: "Shelf", inverse: "books")
        ]),
    ]).model()
  }

  private func metadata(_ model: NSManagedObjectModel) -> [String: Any] {
    [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
  }

  func testC37_aStoresModelIsFoundAmongVersionsInAnyOrder() throws {
    let (first, second) = (shelves(["title"]), shelves(["title", "pages"]))
    first.versionIdentifiers = ["first"]
    second.versionIdentifiers = ["second"]
    for models in [[first, second], [second, first]] {
      let found = try XCTUnwrap(
        NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata(first)))
      XCTAssertEqual(found, first)
      XCTAssertEqual(found.versionIdentifiers, ["first"])
      let books = found.entitiesByName["Shelf"]?.relationshipsByName["books"]
      XCTAssertIdentical(books?.destinationEntity, found.entitiesByName["Book"])
      XCTAssertEqual(books?.inverseRelationship?.name, "shelf")
    }
  }

  func testC37_anEarlierVersionIsFoundInAVersionedModel() throws {
    let folder = directory.appendingPathComponent("Models.bundle")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let museum = ModelFileSpecs.models.appendingPathComponent("Museum.xcdatamodeld")
    try FileManager.default.copyItem(
      at: museum, to: folder.appendingPathComponent("Museum.xcdatamodeld"))
    let old = try XCTUnwrap(
      NSManagedObjectModel(contentsOf: museum.appendingPathComponent("Museum.xcdatamodel")))
    let new = try XCTUnwrap(NSManagedObjectModel(contentsOf: museum))
    let bundle = try XCTUnwrap(Bundle(path: folder.path))
    for model in [old, new] {
      XCTAssertEqual(
        NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata(model)), model)
    }
  }

  func testAnEntityThatSeveralModelsHaveIsTheParentOfTheirOthers() throws {
    let animal = ModelVersion.Entity(
      name: "Animal", attributes: [ModelVersion.Attribute(name: "name")])
    let dog = ModelVersion.Entity(name: "Dog", parent: "Animal")
    let models = [[animal], [animal, dog]].map { ModelVersion(entities: $0).model() }
    for models in [models, models.reversed()] {
      let merged = try XCTUnwrap(NSManagedObjectModel(byMerging: models))
      let dog = try XCTUnwrap(merged.entitiesByName["Dog"])
      XCTAssertIdentical(dog.superentity, merged.entitiesByName["Animal"])
      XCTAssertNotNil(dog.attributesByName["name"])
    }
  }

  func testACopyKeepsItsIndexes() throws {
    let model = shelves(["title"])
    let book = try XCTUnwrap(model.entitiesByName["Book"])
    let index = NSFetchIndexDescription(
      name: "byTitle",
      elements: [
        NSFetchIndexElementDescription(
          property: try XCTUnwrap(book.propertiesByName["title"]), collationType: .binary)
      ])
    index.partialIndexPredicate = NSPredicate(format: "title != nil")
    book.indexes = [index]
    let copy = try XCTUnwrap(model.copy() as? NSManagedObjectModel).entitiesByName["Book"]
    XCTAssertIdentical(
      copy?.indexes.first?.elements.first?.property, copy?.propertiesByName["title"])
    XCTAssertNotNil(copy?.indexes.first?.partialIndexPredicate)
  }

  func testA34_whatIsTakenOutOfAModelCanJoinAnother() throws {
    let (first, second) = (shelves(["title"]), NSManagedObjectModel())
    let book = try XCTUnwrap(first.entitiesByName["Book"])
    first.entities.removeAll { $0 === book }
    XCTAssertNil(book.managedObjectModel)
    second.entities = [book]
    XCTAssertIdentical(book.managedObjectModel, second)
    let title = try XCTUnwrap(book.propertiesByName["title"])
    book.properties = []
    let page = SpecModel.entity("Page", NSManagedObject.self, [title])
    XCTAssertIdentical(title.entity, page)
  }

  func testA34_anEntityThatIsNoSubentityAnyMoreInheritsNothing() {
    let child = SpecModel.entity("Dog", NSManagedObject.self, [])
    let parent = SpecModel.entity("Animal", NSManagedObject.self, [SpecModel.text("name")])
    parent.subentities = [child]
    XCTAssertNotNil(child.propertiesByName["name"])
    parent.subentities = []
    XCTAssertNil(child.superentity)
    XCTAssertNil(child.propertiesByName["name"])
  }

  func testC25_settingsOfTemplatesAreRead() throws {
    let url = directory.appendingPathComponent("contents")
    try Data(
      """
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Hall"><attribute name="label" attributeType="String"/></entity>
        <fetchRequest name="plain" entity="Hall"/>
        <fetchRequest name="told" entity="Hall" includePendingChanges="NO"
          returnDistinctResults="YES"/>
        <fetchRequest name="other" entity="Hall" includesPendingChanges="NO"/>
      </model>
      """.utf8
    ).write(to: url)
    let model = try XCTUnwrap(NSManagedObjectModel(contentsOf: url))
    func template(_ name: String) throws -> NSFetchRequest<any NSFetchRequestResult> {
      try XCTUnwrap(model.fetchRequestTemplate(forName: name))
    }
    XCTAssertTrue(try template("plain").includesPendingChanges)
    XCTAssertFalse(try template("plain").returnsDistinctResults)
    XCTAssertFalse(try template("told").includesPendingChanges)
    XCTAssertTrue(try template("told").returnsDistinctResults)
    XCTAssertFalse(try template("other").includesPendingChanges)
  }

  func testAPropertyIsCopiedForAnotherEntity() throws {
    let name = SpecModel.text("name", optional: false, default: "none")
    let first = SpecModel.entity("First", NSManagedObject.self, [name])
    let copy = try XCTUnwrap(name.copy() as? NSAttributeDescription)
    copy.name = "title"
    let second = SpecModel.entity("Second", NSManagedObject.self, [copy])
    XCTAssertEqual(name.name, "name")
    XCTAssertIdentical(name.entity, first)
    XCTAssertIdentical(copy.entity, second)
    XCTAssertEqual(copy.defaultValue as? String, "none")
    XCTAssertFalse(copy.isOptional)
    let column = NSExpressionDescription()
    column.expression = NSExpression(forKeyPath: "name")
    column.resultType = .string
    let other = try XCTUnwrap(column.copy() as? NSExpressionDescription)
    XCTAssertEqual(other.expression?.keyPath, "name")
    XCTAssertEqual(other.resultType, .string)
  }

  func testAnEntityIsCopiedWithPropertiesOfItsOwn() throws {
    let model = shelves(["title"])
    let book = try XCTUnwrap(model.entitiesByName["Book"])
    let title = try XCTUnwrap(book.propertiesByName["title"])
    book.indexes = [
      NSFetchIndexDescription(
        name: "byTitle",
        elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
    ]
    let copy = try XCTUnwrap(book.copy() as? NSEntityDescription)
    XCTAssertNil(copy.managedObjectModel)
    XCTAssertEqual(copy.versionHash, book.versionHash)
    let own = try XCTUnwrap(copy.propertiesByName["title"])
    XCTAssertIdentical(own.entity, copy)
    XCTAssertIdentical(title.entity, book)
    XCTAssertIdentical(copy.indexes.first?.elements.first?.property, own)
    let shelf = copy.relationshipsByName["shelf"]
    XCTAssertIdentical(shelf?.destinationEntity, model.entitiesByName["Shelf"])
    XCTAssertEqual(shelf?.inverseRelationship?.name, "books")
  }

  func testTheTypeOfAnAttributeSaysOfWhichClassItsValuesAre() throws {
    func name(_ type: NSAttributeType) -> String? {
      SpecModel.attribute("a", type).attributeValueClassName
    }
    XCTAssertEqual(name(.stringAttributeType), "NSString")
    XCTAssertEqual(name(.integer16AttributeType), "NSNumber")
    XCTAssertEqual(name(.booleanAttributeType), "NSNumber")
    XCTAssertEqual(name(.decimalAttributeType), "NSDecimalNumber")
    XCTAssertEqual(name(.dateAttributeType), "NSDate")
    XCTAssertEqual(name(.binaryDataAttributeType), "NSData")
    XCTAssertEqual(name(.UUIDAttributeType), "NSUUID")
    XCTAssertEqual(name(.URIAttributeType), "NSURL")
    let colour = SpecModel.attribute("colour", .transformableAttributeType)
    XCTAssertNil(colour.attributeValueClassName)
    colour.attributeValueClassName = "Colour"
    let copy = try XCTUnwrap(colour.copy() as? NSAttributeDescription)
    XCTAssertEqual(copy.attributeValueClassName, "Colour")
    copy.attributeType = .stringAttributeType
    copy.attributeValueClassName = nil
    XCTAssertEqual(copy.attributeValueClassName, "NSString")
  }

  func testC36_propertiesHaveHashesToo() {
    let (one, other) = (SpecModel.text("a"), SpecModel.text("a"))
    XCTAssertEqual(one.versionHash, other.versionHash)
    other.versionHashModifier = "anew"
    XCTAssertNotEqual(one.versionHash, other.versionHash)
    XCTAssertNotEqual(one.versionHash, SpecModel.integer("a").versionHash)
  }

  func testTheWordsOfAModelAreKeptInItsCopies() throws {
    let model = shelves(["title"])
    XCTAssertNil(model.localizationDictionary)
    model.localizationDictionary = ["Entity/Book": "Buch"]
    let copy = try XCTUnwrap(model.copy() as? NSManagedObjectModel)
    XCTAssertEqual(copy.localizationDictionary, ["Entity/Book": "Buch"])
    XCTAssertEqual(copy, model)
  }
}
