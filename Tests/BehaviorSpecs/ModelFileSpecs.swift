import CoreData
import Foundation
import XCTest

/// What a model file of Xcode becomes (sections C.3 and C.4).
final class ModelFileSpecs: SpecCase {
  /// The folder of the models that the tests share.
  static let models = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Models")

  private var museum: NSManagedObjectModel {
    get throws {
      try XCTUnwrap(
        NSManagedObjectModel(
          contentsOf: Self.models.appendingPathComponent("Museum.xcdatamodeld")))
    }
  }

  private func entity(_ name: String) throws -> NSEntityDescription {
    kept.append(try museum)
    return try XCTUnwrap(kept.last?.entitiesByName[name])
  }

  private var kept: [NSManagedObjectModel] = []

  private func attribute(_ entity: String, _ name: String) throws -> NSAttributeDescription {
    try XCTUnwrap(self.entity(entity).attributesByName[name])
  }

  func testC25_aVersionedFolderGivesTheVersionThatItNames() throws {
    XCTAssertEqual(try museum.versionIdentifiers, ["second"])
    let first = Self.models.appendingPathComponent("Museum.xcdatamodeld/Museum.xcdatamodel")
    let old = try XCTUnwrap(NSManagedObjectModel(contentsOf: first))
    XCTAssertEqual(old.entities.map(\.name), ["Hall"])
    let bare = try XCTUnwrap(
      NSManagedObjectModel(contentsOf: first.appendingPathComponent("contents")))
    XCTAssertEqual(bare, old)
  }

  func testC25_theNameOfACompiledModelLeadsToItsSource() throws {
    let momd = Self.models.appendingPathComponent("Museum.momd")
    XCTAssertEqual(NSManagedObjectModel(contentsOf: momd), try museum)
    let mom = Self.models.appendingPathComponent("Museum.xcdatamodeld/Museum.mom")
    XCTAssertEqual(NSManagedObjectModel(contentsOf: mom)?.entities.count, 1)
  }

  func testC25_everyTypeOfAttributeIsRead() throws {
    let museum = try entity("Museum").attributesByName
    XCTAssertEqual(
      museum.mapValues(\.attributeType),
      [
        "area": .doubleAttributeType, "founded": .integer32AttributeType,
        "logo": .binaryDataAttributeType, "motto": .stringAttributeType,
        "name": .stringAttributeType, "page": .URIAttributeType, "rating": .floatAttributeType,
        "roomCount": .integer64AttributeType, "seat": .compositeAttributeType,
        "stars": .integer16AttributeType, "tags": .transformableAttributeType,
        "anything": .undefinedAttributeType,
      ])
    let artefact = try entity("Artefact").attributesByName
    XCTAssertEqual(artefact["acquired"]?.type, .date)
    XCTAssertEqual(artefact["insured"]?.type, .decimal)
    XCTAssertEqual(artefact["isOnShow"]?.type, .boolean)
    XCTAssertEqual(artefact["serial"]?.type, .uuid)
    let seat = try XCTUnwrap(museum["seat"] as? NSCompositeAttributeDescription)
    XCTAssertEqual(seat.elements.map(\.name), ["city", "latitude"])
    XCTAssertEqual(seat.elements.map(\.type), [.string, .double])
  }

  func testC25_defaultValuesHaveTheTypesOfTheirAttributes() throws {
    XCTAssertEqual(try attribute("Museum", "stars").defaultValue as? NSNumber, 3)
    XCTAssertEqual(try attribute("Museum", "rating").defaultValue as? NSNumber, 2.5)
    XCTAssertEqual(try attribute("Museum", "name").defaultValue as? String, "")
    XCTAssertEqual(
      try attribute("Museum", "page").defaultValue as? URL, URL(string: "https://museum.example"))
    XCTAssertNil(try attribute("Museum", "founded").defaultValue)
    XCTAssertEqual(
      try attribute("Artefact", "insured").defaultValue as? NSDecimalNumber,
      NSDecimalNumber(string: "12.5"))
    XCTAssertEqual(try attribute("Artefact", "isOnShow").defaultValue as? NSNumber, true)
    XCTAssertEqual(
      try attribute("Artefact", "serial").defaultValue as? UUID,
      UUID(uuidString: "00000000-0000-0000-0000-00000000002A"))
    XCTAssertEqual(
      try attribute("Artefact", "acquired").defaultValue as? Date,
      Date(timeIntervalSinceReferenceDate: 86400))
  }

  func testC25_settingsOfPropertiesAndEntitiesAreRead() throws {
    let artefact = try entity("Artefact")
    XCTAssertTrue(artefact.isAbstract)
    XCTAssertEqual(artefact.renamingIdentifier, "Object")
    XCTAssertEqual(artefact.versionHashModifier, "fired")
    XCTAssertEqual(artefact.userInfo?["shelf"] as? String, "7")
    let title = try attribute("Artefact", "title")
    XCTAssertFalse(title.isOptional)
    XCTAssertEqual(title.renamingIdentifier, "name")
    XCTAssertTrue(title.isIndexedBySpotlight)
    XCTAssertEqual(title.userInfo?["said"] as? String, "\"hello\" & <bye>")
    XCTAssertEqual(try attribute("Artefact", "code").renamingIdentifier, "code")
    XCTAssertTrue(try attribute("Artefact", "serial").preservesValueInHistoryOnDeletion)
    XCTAssertTrue(try attribute("Museum", "logo").allowsExternalBinaryDataStorage)
    XCTAssertTrue(try attribute("Museum", "motto").isTransient)
    XCTAssertEqual(
      try attribute("Museum", "tags").valueTransformerName, "NSSecureUnarchiveFromData")
    XCTAssertEqual(try entity("Exhibition").managedObjectClassName, "Exhibition")
  }

  func testC25_relationshipsAreTiedToTheirDestinationsAndInverses() throws {
    let artefact = try entity("Artefact")
    let room = try XCTUnwrap(artefact.relationshipsByName["room"])
    XCTAssertFalse(room.isToMany)
    XCTAssertEqual(room.destinationEntity?.name, "Room")
    XCTAssertEqual(room.inverseRelationship?.name, "artefacts")
    XCTAssertEqual(room.deleteRule, .nullifyDeleteRule)
    let shows = try XCTUnwrap(artefact.relationshipsByName["shows"])
    XCTAssertTrue(shows.isToMany)
    XCTAssertEqual(shows.deleteRule, .denyDeleteRule)
    let back = try XCTUnwrap(shows.inverseRelationship)
    XCTAssertIdentical(back.inverseRelationship, shows)
    XCTAssertTrue(back.isOrdered)
    XCTAssertEqual([back.minCount, back.maxCount], [1, 9])
    let museum = try entity("Museum")
    XCTAssertEqual(museum.relationshipsByName["rooms"]?.deleteRule, .cascadeDeleteRule)
    XCTAssertEqual(museum.relationshipsByName["parking"]?.deleteRule, .noActionDeleteRule)
    XCTAssertNil(museum.relationshipsByName["parking"]?.inverseRelationship)
  }

  func testC25_subentitiesHaveWhatTheirParentsHave() throws {
    let painting = try entity("Painting")
    XCTAssertEqual(painting.superentity?.name, "Artefact")
    XCTAssertNotNil(painting.attributesByName["title"])
    XCTAssertEqual(
      painting.superentity?.subentities.compactMap(\.name).sorted(), ["Painting", "Sculpture"])
  }

  func testC11_C25_configurationsConstraintsAndIndexesAreRead() throws {
    let model = try museum
    XCTAssertEqual(model.configurations, ["Archive"])
    XCTAssertEqual(
      model.entities(forConfigurationName: "Archive")?.compactMap(\.name),
      ["Artefact", "Painting", "Sculpture"])
    XCTAssertEqual(
      model.entitiesByName["Museum"]?.uniquenessConstraints as? [[String]],
      [["name"], ["page", "founded"]])
    let index = try XCTUnwrap(model.entitiesByName["Artefact"]?.indexes.first)
    XCTAssertEqual(index.name, "byTitle")
    XCTAssertEqual(index.elements.map(\.propertyName), ["title", "acquired"])
    XCTAssertEqual(index.elements.map(\.isAscending), [false, true])
    let old = try XCTUnwrap(
      NSManagedObjectModel(
        contentsOf: Self.models.appendingPathComponent("Museum.xcdatamodeld/Museum.xcdatamodel")))
    XCTAssertEqual(
      old.entities[0].indexes.map(\.name), ["byLabelIndex", "compoundIndex"])
    XCTAssertEqual(
      old.entities[0].attributesByName["floor"]?.defaultValue as? NSNumber, 0)
  }

  func testA85_C25_limitsOfTheEditorBecomeErrorsWithCodes() throws {
    let container = try makeContainer(model: museum)
    let context = container.viewContext
    func codes(_ entity: String, _ values: [String: Any]) throws -> [Int] {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      for (key, value) in values { object.setValue(value, forKey: key) }
      defer { context.delete(object) }
      do {
        try object.validateForInsert()
        return []
      } catch {
        let detailed = (error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError]
        return (detailed ?? [error as NSError]).map(\.code).sorted()
      }
    }
    XCTAssertEqual(try codes("Painting", ["title": "Dawn", "code": "AB-1"]), [])
    XCTAssertEqual(try codes("Painting", ["title": "No"]), [1670])
    XCTAssertEqual(
      try codes("Painting", ["title": String(repeating: "o", count: 41), "code": "x"]),
      [1660, 1680])
    XCTAssertEqual(
      try codes(
        "Painting", ["title": "Dawn", "acquired": Date(timeIntervalSinceReferenceDate: -1)]),
      [1640])
    XCTAssertEqual(
      try codes("Painting", ["title": "Dawn", "acquired": Date.distantFuture]), [1630])
    XCTAssertEqual(try codes("Museum", ["founded": 1499]), [1620])
    XCTAssertEqual(try codes("Museum", ["founded": 2101]), [1610])
    XCTAssertEqual(try codes("Museum", ["founded": 1500]), [])
  }

  func testC25_aClassIsFoundByItsBareNameBeforeItIsUsed() throws {
    for name in ["UnusedPlaque", NSStringFromClass(UnusedLabel.self)] {
      let plaque = NSEntityDescription()
      plaque.name = "Plaque"
      plaque.managedObjectClassName = name
      plaque.properties = [SpecModel.text("words")]
      let model = NSManagedObjectModel()
      model.entities = [plaque]
      let context = try makeContainer(model: model, name: name).viewContext
      let object = NSEntityDescription.insertNewObject(forEntityName: "Plaque", into: context)
      XCTAssertTrue(NSStringFromClass(type(of: object)).hasSuffix(name))
    }
  }

  func testC25_aContainerWithoutAModelIsEmpty() throws {
    let container = NSPersistentContainer(name: "NoModelHasThisName")
    XCTAssertEqual(container.managedObjectModel.entities, [])
    XCTAssertEqual(container.name, "NoModelHasThisName")
  }

  func testC25_aContainerFindsItsModelByName() throws {
    let copy = Bundle.main.bundleURL.appendingPathComponent("ModelFileSpecs.resources")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: copy) }
    try FileManager.default.copyItem(
      at: Self.models.appendingPathComponent("Museum.xcdatamodeld"),
      to: copy.appendingPathComponent("Museum.xcdatamodeld"))
    XCTAssertEqual(NSPersistentContainer(name: "Museum").managedObjectModel, try museum)
    XCTAssertEqual(NSManagedObjectModel.mergedModel(from: nil), try museum)
    let bundle = try XCTUnwrap(Bundle(path: copy.path))
    XCTAssertEqual(NSManagedObjectModel.mergedModel(from: [bundle]), try museum)
  }

  func testC36_aCopyIsEqualAndMayBeChangedThoughTheModelIsInUse() throws {
    let model = try museum
    let context = try makeContainer(model: model).viewContext
    _ = NSEntityDescription.insertNewObject(forEntityName: "Museum", into: context)
    let copy = try XCTUnwrap(model.copy() as? NSManagedObjectModel)
    XCTAssertEqual(copy, model)
    XCTAssertEqual(copy.versionChecksum, model.versionChecksum)
    XCTAssertEqual(copy.entityVersionHashesByName, model.entityVersionHashesByName)
    XCTAssertEqual(copy.entities(forConfigurationName: "Archive")?.count, 3)
    let room = try XCTUnwrap(copy.entitiesByName["Room"])
    XCTAssertIdentical(
      room.relationshipsByName["museum"]?.destinationEntity, copy.entitiesByName["Museum"])
    room.properties += [SpecModel.text("smell")]
    XCTAssertNotEqual(copy, model)
    XCTAssertNotEqual(copy.versionChecksum, model.versionChecksum)
  }

  func testC37_C38_modelsAreMergedAndChosenByTheMetadataOfAStore() throws {
    let model = try museum
    let hall = try XCTUnwrap(
      NSManagedObjectModel(
        contentsOf: Self.models.appendingPathComponent("Museum.xcdatamodeld/Museum.xcdatamodel")))
    let both = try XCTUnwrap(NSManagedObjectModel(byMerging: [model, hall, model]))
    XCTAssertEqual(both.entities.count, 7)
    XCTAssertEqual(both.versionIdentifiers, ["second", ""])
    let container = try makeContainer(model: hall, name: "Hall")
    let metadata = try XCTUnwrap(
      container.persistentStoreCoordinator.persistentStores.first?.metadata)
    XCTAssertEqual(
      NSManagedObjectModel(byMerging: [model, hall], forStoreMetadata: metadata), hall)
    XCTAssertNil(NSManagedObjectModel(byMerging: [model], forStoreMetadata: metadata))
  }
}

/// A class that nothing but the model's text names.
final class UnusedPlaque: NSManagedObject {}

/// The same, named with its module.
final class UnusedLabel: NSManagedObject {}
