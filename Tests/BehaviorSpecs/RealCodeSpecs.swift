import CoreData
import Foundation
import XCTest

import class CoreData.NSExpression

/// Names and shapes that code written for Apple's framework uses, each as that code uses it.
final class RealCodeSpecs: SpecCase {
  func testD73_C40_theCodesOfErrorsHaveTheirNamesAndNumbers() {
    XCTAssertEqual(CocoaError.Code.managedObjectConstraintMerge.rawValue, 133021)
    XCTAssertEqual(CocoaError.Code.managedObjectContextLocking.rawValue, 132000)
    XCTAssertEqual(CocoaError.Code.persistentStoreCoordinatorLocking.rawValue, 132010)
    XCTAssertEqual(CocoaError.Code.persistentStoreSaveConflicts.rawValue, 134050)
    XCTAssertEqual(CocoaError.Code.externalRecordImport.rawValue, 134200)
    XCTAssertEqual(
      [
        NSManagedObjectContextLockingError, NSPersistentStoreCoordinatorLockingError,
        NSPersistentStoreSaveConflictsError, NSExternalRecordImportError,
      ], [132000, 132010, 134050, 134200])
  }

  func testD61_D73_aConstraintConflictIsCaughtByItsCode() throws {
    let container = try makeContainer(model: SpecModel.catalogue, name: "Catalogue")
    let context = container.viewContext
    for name in ["first", "second"] { _ = context.product("k", name) }
    do {
      try context.save()
      XCTFail("two records have one key")
    } catch let error as CocoaError where error.code == .managedObjectConstraintMerge {
      XCTAssertEqual(context.insertedObjects.count, 2)
    }
    do { try context.save() } catch let error as CocoaError {
      XCTAssertEqual(error.code, .managedObjectConstraintMerge)
      let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
      XCTAssertEqual((list as? [NSConstraintConflict])?.first?.constraint, ["key"])
    }
  }

  func testE4_E5_notificationsOfIdsAreObservedByTheirNames() throws {
    let container = try makeContainer()
    let (saver, view) = (container.viewContext, makeMainContext(container))
    let saved = NotificationLog([.NSManagedObjectContextDidSaveObjectIDs], from: saver)
    let merged = NotificationLog([.NSManagedObjectContextDidMergeChangesObjectIDs], from: view)
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSaveObjectIDs, object: saver, queue: nil
    ) { view.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    try saver.savedAuthor()
    XCTAssertEqual(saved.entries.map(\.keys), [[NSInsertedObjectIDsKey]])
    XCTAssertEqual(merged.entries.map(\.keys), [[NSInsertedObjectIDsKey]])
  }

  func testA32_aClassMayOverrideWhichEntityItRepresents() throws {
    let models = (0..<2).map { _ in Chosen.makeModel() }
    let containers = try models.enumerated().map {
      try makeContainer(model: $1, name: "Chosen \($0)")
    }
    for (container, model) in zip(containers, models) {
      Chosen.model.value = ModelReference(model: model)
      let object = Chosen(context: container.viewContext)
      XCTAssertIdentical(object.entity, model.entitiesByName["Chosen"])
      try container.viewContext.save()
      XCTAssertEqual(try container.viewContext.fetch(Chosen.fetchRequest()).count, 1)
    }
  }

  func testA32_aClassThatNoModelNamesHasAnEntityWithoutAName() {
    XCTAssertNil(Unnamed.entity().name)
    XCTAssertNil(Unnamed.entity().managedObjectModel)
  }

  func testC39_theMappingsOfEntitiesAreFoundByTheirNames() throws {
    let model = SpecModel.library
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: model, destinationModel: model)
    XCTAssertEqual(mapping.entityMappingsByName.count, mapping.entityMappings.count)
    for (name, entity) in mapping.entityMappingsByName { XCTAssertEqual(entity.name, name) }
  }

  func testC12_anExtensionOfTheCoordinatorHasInitialisersOfItsOwn() throws {
    let coordinator = try NSPersistentStoreCoordinator(at: storeURL(), of: SpecModel.library)
    XCTAssertEqual(coordinator.persistentStores.map(\.url), [storeURL()])
    XCTAssertIdentical(
      OwnCoordinator(managedObjectModel: SpecModel.library).managedObjectModel, SpecModel.library)
  }

  func testF13_F49_anExpressionIsMadeOfAKeyPath() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    for count in [10, 20] { try context.savedArticle(by: author).wordCount = Int64(count) }
    try context.save()
    let sum = NSExpressionDescription()
    sum.name = "sum"
    sum.expression = NSExpression(
      forFunction: "sum:", arguments: [NSExpression(forKeyPath: \Article.wordCount)])
    sum.expressionResultType = .integer64AttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Article")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [sum]
    XCTAssertEqual(try context.fetch(request).first?["sum"] as? Int, 30)
    XCTAssertEqual(NSExpression(forKeyPath: \Article.author?.name).keyPath, "author.name")
  }

  func testF16_aRequestOfAClassIsTypedAndCastsToItsOwnTypeOnly() throws {
    let context = try makeContainer().viewContext
    try context.savedArticle()
    let request = Article.fetchRequest()
    XCTAssertNotNil((request as Any) as? NSFetchRequest<Article>)
    XCTAssertEqual(try context.fetch(request).map(\.title), ["On engines"])
    let untyped: NSFetchRequest<NSFetchRequestResult> = Article.fetchRequest()
    XCTAssertNil((untyped as Any) as? NSFetchRequest<Article>)
    XCTAssertNil(
      (NSFetchRequest<NSFetchRequestResult>(entityName: "Article") as Any)
        as? NSFetchRequest<Article>)
    XCTAssertEqual(try (context.fetch(untyped) as? [Article])?.map(\.title), ["On engines"])
    let deletion = NSBatchDeleteRequest(fetchRequest: request)
    XCTAssertNotNil(try context.execute(deletion))
    XCTAssertEqual(try context.count(for: request), 0)
  }
}

extension NSPersistentStoreCoordinator {
  /// Makes a coordinator with a store, as extensions in applications do.
  fileprivate convenience init(at url: URL, of model: NSManagedObjectModel) throws {
    self.init(managedObjectModel: model)
    try addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
  }
}

/// A coordinator with nothing of its own.
private final class OwnCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {}

/// A class that no model names.
private final class Unnamed: NSManagedObject {}

/// Carries a finished model between threads.
struct ModelReference {
  let model: NSManagedObjectModel
}

// The model is finished before it is handed out and not changed afterwards.
extension ModelReference: @unchecked Sendable {}

/// A class that two models name, and that chooses between them.
final class Chosen: NSManagedObject {
  /// The model to choose.
  static let model = Box<ModelReference?>(nil)

  override class func entity() -> NSEntityDescription {
    model.value?.model.entitiesByName["Chosen"] ?? super.entity()
  }

  /// A new model that names the class.
  static func makeModel() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = [SpecModel.entity("Chosen", Chosen.self, [SpecModel.text("name")])]
    return model
  }
}
