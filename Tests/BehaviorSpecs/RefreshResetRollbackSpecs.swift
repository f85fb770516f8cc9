import CoreData
import Foundation
import XCTest

/// How an object becomes fresh again and how changes are thrown away (section A.6).
final class RefreshResetRollbackSpecs: SpecCase {
  func testA88_aFetchLeavesTheValuesOfRealisedObjectsAlone() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    let other = makeMainContext(container)
    try other.only(Author.self).name = "Ida"
    try other.save()
    XCTAssertIdentical(try context.only(Author.self), author)
    XCTAssertEqual(author.name, "Ada")
  }

  func testA88_aFetchKeepsPendingChanges() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    author.name = "mine"
    XCTAssertEqual(try context.only(Author.self).name, "mine")
    XCTAssertTrue(author.isUpdated)
  }

  func testA89_stalenessIsAskedOnlyWhenAFaultIsFulfilled() throws {
    let container = try makeContainer()
    let context = container.viewContext
    XCTAssertLessThan(context.stalenessInterval, 0)
    let author = try context.savedAuthor("Ada")
    try writeOutside(name: "Ida")
    context.stalenessInterval = 0
    XCTAssertEqual(author.name, "Ada", "a realised object does not ask")
    context.refresh(author, mergeChanges: false)
    XCTAssertEqual(author.name, "Ida", "zero: never from the cache")
  }

  func testA89_aPositiveIntervalIsTheGreatestAgeOfACachedRow() throws {
    let container = try makeContainer()
    let context = container.viewContext
    context.stalenessInterval = 1_000_000_000
    let author = try context.savedAuthor("Ada")
    let holder = try makeMainContext(container).only(Author.self)
    XCTAssertEqual(holder.name, "Ada")
    try writeOutside(name: "Ida")
    context.refresh(author, mergeChanges: false)
    XCTAssertEqual(author.name, "Ada", "it was read less than thirty years ago")
    context.stalenessInterval = 0.000_000_001
    context.refresh(author, mergeChanges: false)
    XCTAssertEqual(author.name, "Ida", "it was read more than a nanosecond ago")
  }

  func testA38_A93_withDefaultStalenessTheCachedRowHidesAForeignWrite() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    let holder = try makeMainContext(container).only(Author.self)
    XCTAssertEqual(holder.name, "Ada")
    try writeOutside(name: "Ida")
    context.refresh(author, mergeChanges: true)
    XCTAssertEqual(author.name, "Ada")
    context.refresh(author, mergeChanges: false)
    XCTAssertEqual(author.name, "Ada", "the row comes from the cache")
    XCTAssertEqual(holder.name, "Ada")
  }

  func testA90_refreshWithoutMergingDiscardsChangesAndTransients() throws {
    let context = try makeContainer().viewContext
    let article = try context.savedArticle("stored")
    article.title = "changed"
    article.remark = "transient"
    context.refresh(article, mergeChanges: false)
    XCTAssertTrue(article.isFault)
    XCTAssertFalse(article.isUpdated)
    XCTAssertTrue(context.updatedObjects.isEmpty)
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(article.title, "stored")
    XCTAssertNil(article.remark)
  }

  func testA90_refreshWithoutMergingDiscardsAChangedRelationship() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle(by: author)
    article.author = nil
    context.refresh(article, mergeChanges: false)
    context.refresh(author, mergeChanges: false)
    XCTAssertIdentical(article.author, author)
    XCTAssertEqual(author.articles, [article])
    XCTAssertFalse(context.hasChanges)
  }

  func testA90_aChangeAfterADiscardingRefreshInTheSameEventIsTracked() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    context.processPendingChanges()
    author.name = "discarded"
    context.refresh(author, mergeChanges: false)
    author.name = "kept"
    XCTAssertTrue(author.isUpdated)
    XCTAssertTrue(context.hasChanges)
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Author.self).name, "kept")
  }

  func testA90_aDeletionIsDiscardedByARefreshWithoutMerging() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    context.delete(author)
    context.refresh(author, mergeChanges: false)
    XCTAssertFalse(author.isDeleted)
    try context.save()
    XCTAssertEqual(author.name, "Ada")
    XCTAssertEqual(try makeMainContext(container).all(Author.self).count, 1)
  }

  func testA98_aChangeAfterARollbackInTheSameEventIsTracked() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    author.name = "rolled back"
    context.rollback()
    author.name = "kept"
    XCTAssertTrue(context.hasChanges)
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Author.self).name, "kept")
  }

  func testA91_refreshWithMergingReloadsUnderTheChanges() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle("stored")
    article.title = "mine"
    article.remark = "transient"
    let other = makeMainContext(container)
    let theirs = try other.only(Article.self)
    theirs.title = "theirs"
    theirs.body = "their body"
    try other.save()

    context.refresh(article, mergeChanges: true)
    XCTAssertEqual(article.title, "mine")
    XCTAssertEqual(article.body, "their body")
    XCTAssertEqual(article.remark, "transient")
    XCTAssertTrue(article.isUpdated)
    XCTAssertEqual(article.committedValues(forKeys: ["title"])["title"] as? String, "theirs")
  }

  func testA92_savingAfterAMergingRefreshIsNoConflict() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle("stored")
    article.title = "mine"
    let other = makeMainContext(container)
    try other.only(Article.self).body = "their body"
    try other.save()
    context.refresh(article, mergeChanges: true)
    XCTAssertNoThrow(try context.save())
    let stored = try makeContainer().viewContext.only(Article.self)
    XCTAssertEqual([stored.title, stored.body], ["mine", "their body"])
  }

  func testA94_refreshingAllKeepsPendingChangesAndReloadsTheRest() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let mine = try context.savedAuthor("a")
    let theirs = try context.savedAuthor("b")
    mine.name = "a changed"
    let other = makeMainContext(container)
    try XCTUnwrap(other.object(with: theirs.objectID) as? Author).name = "b changed"
    try other.save()
    XCTAssertEqual(theirs.name, "b")
    context.refreshAllObjects()
    XCTAssertEqual(mine.name, "a changed")
    XCTAssertTrue(mine.isUpdated)
    XCTAssertEqual(theirs.name, "b changed")
    XCTAssertFalse(theirs.isUpdated)
  }

  func testA96_resetForgetsEverything() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let kept = try context.savedAuthor("kept")
    kept.name = "changed"
    let inserted = Author(context: context)
    let doomed = try makeDoomed(context)
    context.reset()
    XCTAssertFalse(context.hasChanges)
    XCTAssertTrue(context.registeredObjects.isEmpty)
    XCTAssertTrue(context.insertedObjects.isEmpty)
    for object in [kept, inserted, doomed] { XCTAssertNil(object.managedObjectContext) }
    let again = try context.all(Author.self, by: "name")
    XCTAssertEqual(again.map(\.name), ["doomed", "kept"])
    XCTAssertNotIdentical(again.last, kept)
  }

  func testA96_resetIsAnnouncedByOneKeyOnly() throws {
    let context = try makeContainer().viewContext
    try context.savedAuthor().name = "changed"
    context.processPendingChanges()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    context.reset()
    XCTAssertEqual(log.entries.count, 1)
    let keys = try XCTUnwrap(log.entries.first).keys
    XCTAssertEqual(keys.subtracting(["managedObjectContext"]), [NSInvalidatedAllObjectsKey])
  }

  func testA98_rollbackTakesBackInsertsUpdatesAndDeletes() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let updated = try context.savedAuthor("updated")
    let doomed = try context.savedAuthor("doomed")
    updated.name = "changed"
    context.delete(doomed)
    let inserted = Author(context: context)
    context.rollback()
    XCTAssertEqual(updated.name, "updated")
    XCTAssertFalse(updated.isUpdated)
    XCTAssertFalse(doomed.isDeleted)
    XCTAssertNil(inserted.managedObjectContext)
    try context.save()
    XCTAssertEqual(
      try makeMainContext(container).all(Author.self, by: "name").map(\.name),
      ["doomed", "updated"])
  }

  func testA98_rollbackTakesBackRelationshipsOnBothSides() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle(by: author)
    article.author = nil
    let another = Article(context: context)
    another.author = author
    context.rollback()
    XCTAssertIdentical(article.author, author)
    XCTAssertEqual(author.articles, [article])
  }

  func testA98_rollbackUndoesACascadeThatWasProcessed() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let draft = Draft(context: context)
    draft.owner = author
    try context.save()
    context.delete(author)
    context.processPendingChanges()
    XCTAssertTrue(draft.isDeleted)
    context.rollback()
    XCTAssertFalse(draft.isDeleted)
    XCTAssertIdentical(draft.owner, author)
    XCTAssertEqual(author.drafts, [draft])
  }

  func testA98_rollbackDoesNotRefetch() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    author.name = "mine"
    let other = makeMainContext(container)
    try other.only(Author.self).name = "theirs"
    try other.save()
    context.rollback()
    XCTAssertEqual(author.name, "Ada", "the last values this context saw")
  }

  func testA99_afterRollbackNothingIsPendingAndUndeletedObjectsWork() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    let inserted = Author(context: context)
    context.delete(author)
    context.processPendingChanges()
    context.rollback()
    XCTAssertFalse(context.hasChanges)
    XCTAssertNil(inserted.managedObjectContext)
    XCTAssertIdentical(author.managedObjectContext, context)
    author.name = "Ida"
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Author.self).name, "Ida")
  }

  /// Changes the one author through a coordinator of its own, as another process would.
  private func writeOutside(name: String) throws {
    let outside = try makeContainer().viewContext
    try outside.only(Author.self).name = name
    try outside.save()
  }

  private func makeDoomed(_ context: NSManagedObjectContext) throws -> Author {
    // Saved by another context, so that here only the deletion is pending.
    let other = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    let id = try other.savedAuthor("doomed").objectID
    let doomed = try XCTUnwrap(context.existingObject(with: id) as? Author)
    context.delete(doomed)
    return doomed
  }
}
