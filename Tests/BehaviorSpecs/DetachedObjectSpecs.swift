import CoreData
import Foundation
import XCTest

/// What an object reads once its context has let it go: after a deletion that was saved, after a
/// reset, and after a refresh of what was never saved (sections A.3, A.4 and A.6).
final class DetachedObjectSpecs: SpecCase {
  private func expectEmpty(_ article: Article, line: UInt = #line) {
    XCTAssertTrue(article.isFault, line: line)
    XCTAssertEqual(article.wordCount, 0, line: line)
    XCTAssertFalse(article.isOpen, line: line)
    XCTAssertNil(article.body, line: line)
    XCTAssertNil(article.value(forKey: "title"), line: line)
    XCTAssertNil(article.primitiveValue(forKey: "title"), line: line)
    XCTAssertNil(article.author, line: line)
    XCTAssertTrue(article.tags.isEmpty, line: line)
    XCTAssertTrue(article.changedValues().isEmpty, line: line)
    XCTAssertTrue(article.committedValues(forKeys: nil).isEmpty, line: line)
    XCTAssertTrue(article.objectIDs(forRelationshipNamed: "tags").isEmpty, line: line)
    article.willAccessValue(forKey: nil)
    XCTAssertTrue(article.isFault, line: line)
    XCTAssertNil(article.managedObjectContext, line: line)
  }

  private func full(_ context: NSManagedObjectContext) throws -> Article {
    let article = try context.savedArticle("stored", by: try context.savedAuthor())
    article.body = "text"
    article.wordCount = 7
    let tag = Tag(context: context)
    tag.name = "word"
    article.tags = [tag]
    try context.save()
    return article
  }

  func testA45_A97_K1_anObjectReadsNilOrZeroAfterAReset() throws {
    let context = try makeContainer().viewContext
    let article = try full(context)
    let fault = try full(context)
    context.refresh(fault, mergeChanges: false)
    let fresh = Article(context: context)
    fresh.wordCount = 3
    context.reset()
    for article in [article, fault, fresh] { expectEmpty(article) }
  }

  func testA45_A63_K1_anObjectWhoseDeletionWasSavedReadsNilOrZero() throws {
    let context = try makeContainer().viewContext
    let article = try full(context)
    context.delete(article)
    try context.save()
    XCTAssertFalse(article.isDeleted)
    expectEmpty(article)
  }

  func testA45_E31_K1_anObjectWhoseDeletionWasMergedReadsNilOrZero() throws {
    let container = try makeContainer()
    let (saver, view) = (makeMainContext(container), makeMainContext(container))
    let article = try full(saver)
    let shown = try XCTUnwrap(view.existingObject(with: article.objectID) as? Article)
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: saver, queue: nil
    ) { view.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    saver.delete(article)
    try saver.save()
    view.processPendingChanges()
    expectEmpty(shown)
  }

  func testA95_K2_aRefreshWithoutMergingTurnsAnUnsavedInsertIntoAFaultWithoutARow() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = Author(context: context)
    author.name = "Ada"
    author.born = 1815
    context.refresh(author, mergeChanges: false)
    XCTAssertTrue(author.isFault)
    XCTAssertFalse(author.isInserted)
    XCTAssertFalse(context.hasChanges, "the insertion is a change like any other")
    author.willAccessValue(forKey: nil)
    XCTAssertFalse(author.isFault)
    XCTAssertEqual(author.born, 0)
    XCTAssertNil(author.name)
    context.refresh(author, mergeChanges: false)
    XCTAssertTrue(author.isFault)
    try context.save()
    XCTAssertTrue(try makeMainContext(container).all(Author.self).isEmpty)
  }

  func testA95_F73_E22_observersHearOfAnInsertThatARefreshTookBack() throws {
    let context = try makeContainer().viewContext
    let changes = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    let (controller, journal) = try authors(in: context)
    let fleeting = Author(context: context)
    context.refresh(fleeting, mergeChanges: false)
    context.processPendingChanges()
    XCTAssertEqual(changes.entries.count, 0)
    XCTAssertEqual(journal.take(), [])
    let shown = Author(context: context)
    shown.name = "Ada"
    context.processPendingChanges()
    _ = journal.take()
    context.refresh(shown, mergeChanges: false)
    context.processPendingChanges()
    context.processPendingChanges()
    XCTAssertEqual(journal.take(), ["will change", "?: delete 0.0 to nil", "did change"])
    XCTAssertEqual(controller.fetchedObjects?.count, 0)
  }

  func testA95_K2_aMergingRefreshLeavesAnUnsavedInsertAlone() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = Author(context: context)
    author.name = "Ada"
    context.refresh(author, mergeChanges: true)
    context.refreshAllObjects()
    XCTAssertTrue(author.isInserted)
    XCTAssertEqual(author.name, "Ada")
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Author.self).name, "Ada")
  }
}
