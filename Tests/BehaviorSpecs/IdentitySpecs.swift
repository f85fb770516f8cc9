import CoreData
import Foundation
import XCTest

/// What an object's id is, when it changes and where it may be used (section A.1).
final class IdentitySpecs: SpecCase {
  func testA1_oneRecordHasEqualIdsInEveryContextAndCoordinator() throws {
    let first = try makeContainer()
    let id = try first.viewContext.savedAuthor().objectID
    let inAnotherContext = try makeMainContext(first).only(Author.self).objectID
    let second = try makeContainer()
    let inAnotherCoordinator = try second.viewContext.only(Author.self).objectID
    XCTAssertEqual(id, inAnotherContext)
    XCTAssertEqual(id, inAnotherCoordinator)
    XCTAssertEqual(Set([id, inAnotherContext, inAnotherCoordinator]).count, 1)
  }

  func testA1_differentRecordsHaveDifferentIds() throws {
    let context = try makeContainer().viewContext
    let one = try context.savedAuthor()
    let other = try context.savedAuthor()
    let profile = Profile(context: context)
    try context.save()
    XCTAssertEqual(Set([one.objectID, other.objectID, profile.objectID]).count, 3)
  }

  func testA2_equalIdsMadeByTwoCoordinatorsFindEachOther() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor().objectID
    let other = try makeContainer().viewContext.only(Author.self).objectID
    XCTAssertEqual(id, other)
    XCTAssertEqual(id.hashValue, other.hashValue)
    XCTAssertTrue([id].contains(other))
    XCTAssertEqual(Set([id, other]).count, 1)
    XCTAssertEqual([id: "found"][other], "found")
    let predicate = NSPredicate(format: "SELF == %@", other)
    XCTAssertTrue(predicate.evaluate(with: container.viewContext.object(with: id)))
  }

  func testA3_anInsertedObjectHasATemporaryIdLikeNoOther() throws {
    let context = try makeContainer().viewContext
    let other = try makeContainer(name: "Other").viewContext
    let ids =
      (0..<50).map { _ in Author(context: context).objectID }
      + (0..<50).map { _ in Author(context: other).objectID }
    XCTAssertTrue(ids.allSatisfy(\.isTemporaryID))
    XCTAssertEqual(Set(ids).count, 100)
  }

  func testA4_aPermanentUriNamesStoreEntityAndKey() throws {
    let container = try makeContainer()
    let author = try container.viewContext.savedAuthor()
    let uri = author.objectID.uriRepresentation()
    let store = try XCTUnwrap(container.persistentStoreCoordinator.persistentStores.first)
    XCTAssertEqual(uri.scheme, "x-coredata")
    XCTAssertEqual(uri.host?.lowercased(), store.identifier?.lowercased())
    XCTAssertNotNil(uri.path.wholeMatch(of: #/\/Author\/p[0-9]+/#), uri.path)
  }

  func testA5_aTemporaryUriHasNoHostAndATokenThatBeginsWithT() throws {
    let context = try makeContainer().viewContext
    let uri = Author(context: context).objectID.uriRepresentation().absoluteString
    XCTAssertNotNil(uri.wholeMatch(of: #/x-coredata:\/\/\/Author\/t.+/#), uri)
  }

  func testA6_theUriNamesTheLeafEntityWhileTheFamilySharesOneKeySpace() throws {
    let container = try makeContainer()
    let review = Review(context: container.viewContext)
    let article = Article(context: container.viewContext)
    try container.viewContext.save()
    let fetched = try makeMainContext(container).all(Article.self)
    XCTAssertEqual(
      Set(fetched.map(\.objectID)), [review.objectID, article.objectID])
    let reviewURI = review.objectID.uriRepresentation()
    XCTAssertTrue(reviewURI.path.hasPrefix("/Review/p"), reviewURI.path)
    XCTAssertNotEqual(
      reviewURI.lastPathComponent, article.objectID.uriRepresentation().lastPathComponent)
  }

  func testA7_savingReplacesTheTemporaryIdInTheSameInstance() throws {
    let context = try makeContainer().viewContext
    let author = Author(context: context)
    let before = author.objectID
    let remembered = [before: "Ada"]
    try context.save()
    XCTAssertFalse(author.objectID.isTemporaryID)
    XCTAssertNotEqual(author.objectID, before)
    XCTAssertNil(remembered[author.objectID])
    XCTAssertTrue(before.isTemporaryID, "an id is a value and does not change itself")
    XCTAssertIdentical(context.registeredObject(for: author.objectID), author)
  }

  func testA8_aTemporaryIdHasNoStoreAndAPermanentOneHas() throws {
    let container = try makeContainer()
    let author = Author(context: container.viewContext)
    XCTAssertNil(author.objectID.persistentStore)
    try container.viewContext.save()
    XCTAssertIdentical(
      author.objectID.persistentStore, container.persistentStoreCoordinator.persistentStores.first)
  }

  func testA9_obtainingPermanentIdsConvertsOnlyTemporaryOnesAndWritesNoRow() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let saved = try context.savedAuthor("saved")
    let savedID = saved.objectID
    let inserted = Author(context: context)
    let profile = Profile(context: context)
    try context.obtainPermanentIDs(for: [saved, inserted, profile])
    XCTAssertEqual(saved.objectID, savedID)
    XCTAssertFalse(inserted.objectID.isTemporaryID)
    XCTAssertFalse(profile.objectID.isTemporaryID)
    XCTAssertNotNil(inserted.objectID.persistentStore)
    let outside = try makeContainer().viewContext
    XCTAssertEqual(try outside.all(Author.self).map(\.objectID), [savedID])
    XCTAssertTrue(try outside.all(Profile.self).isEmpty)
  }

  func testA10_anObjectWithAnObtainedIdIsStillUnsaved() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = Author(context: context)
    try context.obtainPermanentIDs(for: [author])
    XCTAssertTrue(author.isInserted)
    XCTAssertTrue(context.insertedObjects.contains(author))
    let other = makeMainContext(container)
    XCTAssertThrowsError(try other.existingObject(with: author.objectID))
    let obtained = author.objectID
    try context.save()
    XCTAssertEqual(author.objectID, obtained)
    XCTAssertEqual(try other.existingObject(with: obtained).objectID, obtained)
  }

  func testA11_anObtainedIdIsNeverGivenToAnotherRecord() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let abandoned = (0..<3).map { _ in Author(context: context) }
    try context.obtainPermanentIDs(for: abandoned)
    let spent = Set(abandoned.map(\.objectID))
    context.rollback()
    let later = try context.savedAuthor("later").objectID
    XCTAssertFalse(spent.contains(later))
    let reopened = try makeContainer().viewContext
    let muchLater = try reopened.savedAuthor("much later").objectID
    XCTAssertFalse(spent.contains(muchLater))
  }

  func testA12_aUriBecomesAnIdOnlyForAStoreThatIsAttachedWhetherOrNotTheRowExists() throws {
    let container = try makeContainer()
    let coordinator = container.persistentStoreCoordinator
    let id = try container.viewContext.savedAuthor().objectID
    XCTAssertEqual(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()), id)

    let nobody = id.uriRepresentation().deletingLastPathComponent()
      .appendingPathComponent("p4711")
    XCTAssertNotNil(coordinator.managedObjectID(forURIRepresentation: nobody))

    let elsewhere = try XCTUnwrap(URL(string: "x-coredata://\(UUID().uuidString)/Author/p1"))
    XCTAssertNil(coordinator.managedObjectID(forURIRepresentation: elsewhere))
  }

  func testA13_theStringFormOfAUriBecomesTheSameId() throws {
    let container = try makeContainer()
    let coordinator = container.persistentStoreCoordinator
    let id = try container.viewContext.savedAuthor().objectID
    XCTAssertEqual(coordinator.managedObjectID(for: id.uriRepresentation().absoluteString), id)
    XCTAssertNil(coordinator.managedObjectID(for: "x-coredata://\(UUID().uuidString)/Author/p1"))
  }

  func testA14_aCopiedStoreFileCarriesTheSameUuidAndThereforeEqualIds() throws {
    let original = try makeContainer()
    let id = try original.viewContext.savedAuthor().objectID
    let coordinator = original.persistentStoreCoordinator
    let uuid = try XCTUnwrap(coordinator.persistentStores.first?.identifier)
    try coordinator.persistentStores.forEach(coordinator.remove)
    for suffix in ["", "-wal", "-shm"] {
      let from = storeURL().path + suffix
      guard FileManager.default.fileExists(atPath: from) else { continue }
      try FileManager.default.copyItem(atPath: from, toPath: storeURL("Copy").path + suffix)
    }
    let copy = try makeContainer(name: "Copy")
    XCTAssertEqual(copy.persistentStoreCoordinator.persistentStores.first?.identifier, uuid)
    XCTAssertEqual(try copy.viewContext.only(Author.self).objectID, id)
  }

  func testA15_anIdTellsItsEntityAndStoreOnAnyThread() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor().objectID
    let read = Box<[String?]>([])
    onAnotherThread {
      read.value = [id.entity.name, id.persistentStore?.identifier]
    }
    let store = container.persistentStoreCoordinator.persistentStores.first
    XCTAssertEqual(read.value, ["Author", store?.identifier])
  }

  func testA15_anIdDoesNotKeepItsStoreAlive() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor().objectID
    XCTAssertNotNil(id.persistentStore)
    let coordinator = container.persistentStoreCoordinator
    container.viewContext.reset()
    try coordinator.persistentStores.forEach(coordinator.remove)
    XCTAssertNil(id.persistentStore)
  }

  func testA16_B50_aChildsInstanceKeepsItsTemporaryIdAfterEverybodySaved() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    author.name = "Ada"
    try child.save()
    try root.save()
    XCTAssertTrue(author.objectID.isTemporaryID)
    let inRoot = try root.only(Author.self)
    XCTAssertFalse(inRoot.objectID.isTemporaryID)
  }

  func testA16_B50_obtainingPermanentIdsBeforeTheChildSavesKeepsBothSidesEqual() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let author = Author(context: child)
    try child.obtainPermanentIDs(for: [author])
    let id = author.objectID
    XCTAssertFalse(id.isTemporaryID)
    try child.save()
    try root.save()
    XCTAssertEqual(author.objectID, id)
    XCTAssertEqual(try root.only(Author.self).objectID, id)
    XCTAssertIdentical(try child.only(Author.self), author)
  }

  func testA9_A16_anIdIsObtainedInAChildAfterItsParentsLetGoOfTheirInstances() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let grandchild = makeMainChild(of: child)
    let author = Author(context: grandchild)
    try grandchild.save()
    try child.save()
    try root.save()
    XCTAssertTrue(root.registeredObjects.isEmpty)
    XCTAssertTrue(child.registeredObjects.isEmpty)
    try grandchild.obtainPermanentIDs(for: [author])
    XCTAssertEqual(author.objectID, try root.only(Author.self).objectID)
    XCTAssertFalse(author.objectID.isTemporaryID)
    author.name = "Ada"
    for context in [grandchild, child, root] { try context.save() }
    XCTAssertEqual(try makeContainer().viewContext.only(Author.self).name, "Ada")
  }
}
