import CoreData
import Foundation
import XCTest

/// Which instances a context knows, which it keeps alive, how they are looked up (section A.2).
final class RegistrationSpecs: SpecCase {
  func testA19_fetchingOrTraversingTwiceYieldsTheIdenticalInstance() throws {
    let container = try makeContainer()
    try container.viewContext.savedArticle(by: container.viewContext.savedAuthor())
    let context = makeMainContext(container)
    let article = try context.only(Article.self)
    let author = try context.only(Author.self)
    XCTAssertIdentical(try context.only(Article.self), article)
    XCTAssertIdentical(article.author, author)
    XCTAssertIdentical(author.articles.first, article)
    XCTAssertIdentical(context.object(with: author.objectID), author)
  }

  func testA20_twoContextsHaveAnInstanceEach() throws {
    let container = try makeContainer()
    let author = try container.viewContext.savedAuthor()
    let other = try makeMainContext(container).only(Author.self)
    XCTAssertNotIdentical(author, other)
    XCTAssertEqual(author.objectID, other.objectID)
    XCTAssertNotEqual(author, other, "objects are equal only to themselves")
  }

  func testA21_registeredObjectAnswersOnlyWhatIsRegistered() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor().objectID
    let context = makeMainContext(container)
    XCTAssertNil(context.registeredObject(for: id))
    let author = try context.only(Author.self)
    XCTAssertIdentical(context.registeredObject(for: id), author)
    XCTAssertTrue(context.registeredObjects.contains(author))
  }

  func testA22_objectWithIdIsAFaultEvenForARecordThatDoesNotExist() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let ghost = context.object(with: try idOfNobody(container))
    XCTAssertTrue(ghost.isFault)
    XCTAssertFalse(ghost.isDeleted, "nobody has looked yet")
    XCTAssertIdentical(context.object(with: ghost.objectID), ghost)
    ghost.willAccessValue(forKey: nil)
    XCTAssertTrue(ghost.isDeleted, "firing the fault shows that there is no record")
  }

  func testA22_objectWithIdOfARecordDoesNotLoadIt() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor("Ada").objectID
    let context = makeMainContext(container)
    let author = try XCTUnwrap(context.object(with: id) as? Author)
    XCTAssertTrue(author.isFault)
    XCTAssertEqual(author.name, "Ada")
  }

  func testA23_existingObjectIsNeverAFault() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor().objectID
    let context = makeMainContext(container)
    XCTAssertFalse(try context.existingObject(with: id).isFault)
    let fault = makeMainContext(container).object(with: id)
    XCTAssertTrue(fault.isFault)
    let reached = try XCTUnwrap(fault.managedObjectContext?.existingObject(with: id))
    XCTAssertIdentical(reached, fault)
    XCTAssertFalse(fault.isFault)
  }

  func testA23_existingObjectThrows133000ForARecordThatDoesNotExist() throws {
    let container = try makeContainer()
    let nobody = try idOfNobody(container)
    XCTAssertThrowsError(try container.viewContext.existingObject(with: nobody)) { error in
      XCTAssertEqual((error as NSError).domain, NSCocoaErrorDomain)
      XCTAssertEqual((error as NSError).code, NSManagedObjectReferentialIntegrityError)
    }
    XCTAssertEqual(NSManagedObjectReferentialIntegrityError, 133_000)
  }

  func testA23_existingObjectThrows133000ForARecordOfAStoreOfOthers() throws {
    let other = try makeContainer(name: "Other").viewContext
    let stranger = try other.savedAuthor().objectID
    let error = cocoaError(133_000) {
      _ = try makeContainer().viewContext.existingObject(with: stranger)
    }
    XCTAssertEqual(error?.userInfo["objectID"] as? NSManagedObjectID, stranger)
  }

  func testA24_K1_anotherContextsTemporaryIdIsAFaultThatCannotBeFulfilled() throws {
    let container = try makeContainer()
    let inserted = Author(context: container.viewContext)
    inserted.name = "Ada"
    let other = makeMainContext(container)
    let ghost = try XCTUnwrap(other.object(with: inserted.objectID) as? Author)
    XCTAssertTrue(ghost.isFault)
    XCTAssertNotIdentical(ghost, inserted)
    XCTAssertNil(ghost.name)
    XCTAssertTrue(ghost.isDeleted)
    XCTAssertEqual(inserted.name, "Ada")
  }

  func testA25_A27_anUnchangedObjectIsForgottenWithItsLastReference() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let id = try insertAndForget(context)
    try context.save()
    let permanent = try XCTUnwrap(context.all(Author.self).first?.objectID)
    XCTAssertNotEqual(permanent, id)
    context.processPendingChanges()
    XCTAssertNil(context.registeredObject(for: permanent))
    XCTAssertTrue(context.registeredObjects.isEmpty)
  }

  func testA25_insertedUpdatedAndDeletedObjectsAreHeld() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let insertedID = try insertAndForget(context)
    XCTAssertNotNil(context.registeredObject(for: insertedID))
    try context.save()

    weak var changed: Author?
    func change() throws {
      let author = try context.only(Author.self)
      author.name = "changed"
      changed = author
    }
    try change()
    XCTAssertEqual(changed?.name, "changed")
    try context.save()
    XCTAssertNil(changed, "after the save nothing holds it")

    weak var doomed: Author?
    func doom() throws {
      let author = try context.only(Author.self)
      context.delete(author)
      doomed = author
    }
    try doom()
    XCTAssertEqual(doomed?.isDeleted, true)
    try context.save()
    XCTAssertNil(doomed)
  }

  func testA25_aDiscardedChangeNoLongerHoldsTheObject() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor()
    let context = makeMainContext(container)
    weak var author: Author?
    func changeAndDiscard() throws {
      let found = try context.only(Author.self)
      found.name = "discarded"
      context.processPendingChanges()
      context.refresh(found, mergeChanges: false)
      author = found
    }
    try changeAndDiscard()
    context.processPendingChanges()
    XCTAssertNil(author)
  }

  func testA25_aRolledBackContextHoldsNothing() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor()
    let context = makeMainContext(container)
    weak var changed: Author?
    weak var inserted: Author?
    func changeAndRollBack() throws {
      let found = try context.only(Author.self)
      changed = found
      found.name = "changed"
      let new = Author(context: context)
      inserted = new
      context.rollback()
    }
    try changeAndRollBack()
    context.processPendingChanges()
    XCTAssertNil(changed)
    XCTAssertNil(inserted)
    XCTAssertTrue(context.registeredObjects.isEmpty)
  }

  func testA26_retainingRegisteredObjectsKeepsThemUntilReset() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor()
    let context = makeMainContext(container)
    XCTAssertFalse(context.retainsRegisteredObjects)
    context.retainsRegisteredObjects = true
    weak var author: Author?
    func look() throws { author = try context.only(Author.self) }
    try look()
    XCTAssertNotNil(author)
    XCTAssertEqual(context.registeredObjects.count, 1)
    context.reset()
    XCTAssertNil(author)
    try look()
    XCTAssertNotNil(author)
    func delete() throws {
      try context.delete(context.only(Author.self))
      try context.save()
    }
    try delete()
    XCTAssertNil(author, "what is no longer registered is no longer held")
  }

  func testA27_aLaterFetchBuildsANewInstance() throws {
    let container = try makeContainer(model: WitnessModel.model)
    let context = container.viewContext
    func insert() throws {
      let witness = Witness(context: context)
      witness.label = "first instance"
      try context.save()
      XCTAssertEqual(try context.only(Witness.self).label, "first instance")
    }
    try insert()
    XCTAssertEqual(try context.only(Witness.self).label, "", "a new instance knows nothing")
  }

  func testA27_realisedNeighboursKeepEachOtherAliveUntilOneIsRefreshed() throws {
    let container = try makeContainer()
    try container.viewContext.savedArticle(by: container.viewContext.savedAuthor())
    let context = makeMainContext(container)
    weak var article: Article?
    weak var author: Author?
    func look() throws {
      let found = try context.only(Article.self)
      article = found
      author = found.author
      XCTAssertEqual(found.author?.articles.count, 1)
    }
    try look()
    XCTAssertNotNil(article)
    XCTAssertNotNil(author)
    func breakCycle() {
      if let article { context.refresh(article, mergeChanges: false) }
    }
    breakCycle()
    XCTAssertNil(author)
    context.reset()
    XCTAssertNil(article)
  }

  func testA28_objectsDoNotKeepTheirContextAlive() throws {
    let container = try makeContainer()
    var context = makeForgottenContext(container)
    weak let watched = context
    let author = try XCTUnwrap(context?.savedAuthor())
    turnMainQueue()
    XCTAssertIdentical(author.managedObjectContext, context)
    context = nil
    XCTAssertNil(watched)
    XCTAssertNil(author.managedObjectContext)
  }

  func testA29_anObjectKeepsItsIdWhenItsContextIsGone() throws {
    let container = try makeContainer()
    let survivor = container.viewContext
    let id = try survivor.savedAuthor().objectID
    var context = makeForgottenContext(container)
    let author = try XCTUnwrap(context?.only(Author.self))
    turnMainQueue()
    context = nil
    XCTAssertNil(author.managedObjectContext)
    XCTAssertEqual(author.objectID, id)
  }

  func testA33_anObjectWithoutContextIsSavedByNobodyUntilInserted() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let entity = try XCTUnwrap(NSEntityDescription.entity(forEntityName: "Author", in: context))
    let author = Author(entity: entity, insertInto: nil)
    author.name = "Ada"
    XCTAssertNil(author.managedObjectContext)
    XCTAssertFalse(author.isInserted)
    XCTAssertFalse(context.hasChanges)
    try context.save()
    XCTAssertTrue(try makeMainContext(container).all(Author.self).isEmpty)

    context.insert(author)
    XCTAssertIdentical(author.managedObjectContext, context)
    XCTAssertTrue(author.isInserted)
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Author.self).name, "Ada")
  }

  func testA33_aLinkBetweenObjectsWithoutContextIsSavedOnceBothAreInserted() throws {
    let context = try makeContainer().viewContext
    func make<Object: NSManagedObject>(_ type: Object.Type, _ name: String) throws -> Object {
      let entity = try XCTUnwrap(NSEntityDescription.entity(forEntityName: name, in: context))
      return Object(entity: entity, insertInto: nil)
    }
    let article = try make(Article.self, "Article")
    article.author = try make(Author.self, "Author")
    let author = try XCTUnwrap(article.author)
    context.insert(article)
    try context.save()
    // A second coordinator reads what lies in the file.
    XCTAssertNil(try makeContainer().viewContext.only(Article.self).author)
    context.insert(author)
    article.body = "changed"
    try context.save()
    let stored = try makeContainer().viewContext.only(Article.self)
    XCTAssertEqual(stored.author?.objectID, author.objectID)
  }

  /// A context that nobody keeps but the test itself.
  private func makeForgottenContext(_ container: NSPersistentContainer) -> NSManagedObjectContext? {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = container.persistentStoreCoordinator
    return context
  }

  /// An id that is well formed but names no row.
  private func idOfNobody(_ container: NSPersistentContainer) throws -> NSManagedObjectID {
    let someone = try container.viewContext.savedAuthor().objectID
    let uri = someone.uriRepresentation().deletingLastPathComponent()
      .appendingPathComponent("p4711")
    return try XCTUnwrap(
      container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri))
  }

  /// Inserts an author and keeps nothing of it but its id.
  private func insertAndForget(_ context: NSManagedObjectContext) throws -> NSManagedObjectID {
    let author = Author(context: context)
    author.name = "forgotten"
    return author.objectID
  }
}
