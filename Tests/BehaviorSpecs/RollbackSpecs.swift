import CoreData
import Foundation
import XCTest

/// What a rollback announces, and what is left of it (A98 to A100).
final class RollbackSpecs: SpecCase {
  func testA100_K2_rollbackIsAnnouncedWithThreeKeys() throws {
    let context = try makeContainer().viewContext
    let updated = try context.savedAuthor("updated")
    let doomed = try context.savedAuthor("doomed")
    let (updatedID, doomedID) = (updated.objectID, doomed.objectID)
    updated.name = "changed"
    context.delete(doomed)
    let inserted = Author(context: context)
    let insertedID = inserted.objectID
    context.processPendingChanges()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    context.rollback()
    context.processPendingChanges()
    let refreshed = log.entries.reduce(into: Set()) {
      $0.formUnion($1.ids[NSRefreshedObjectsKey] ?? [])
    }
    let deleted = log.entries.reduce(into: Set()) {
      $0.formUnion($1.ids[NSDeletedObjectsKey] ?? [])
    }
    let restored = log.entries.reduce(into: Set()) {
      $0.formUnion($1.ids[NSInsertedObjectsKey] ?? [])
    }
    XCTAssertEqual(refreshed, [updatedID])
    XCTAssertEqual(deleted, [insertedID])
    XCTAssertEqual(restored, [doomedID])
  }

  func testA100_F69_whatWasRefreshedBeforeTheRollbackIsAnnouncedWithIt() throws {
    let container = try makeContainer()
    let (view, other) = (container.viewContext, makeMainContext(container))
    let all = try view.savedAuthors("A", "B", "C")
    let (controller, journal) = try authors(in: view)
    let first = try XCTUnwrap(other.existingObject(with: all[0].objectID) as? Author)
    first.name = "Z"
    try other.save()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: view)
    view.refresh(all[0], mergeChanges: true)
    view.refresh(all[1], mergeChanges: false)
    all[2].name = "discarded"
    view.delete(all[1])
    view.rollback()
    view.processPendingChanges()
    XCTAssertEqual(log.entries.count, 1)
    XCTAssertEqual(
      log.entries.first?.ids[NSRefreshedObjectsKey], [all[0].objectID, all[2].objectID])
    XCTAssertEqual(log.entries.first?.ids[NSInsertedObjectsKey], [all[1].objectID])
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["B", "C", "Z"])
    XCTAssertEqual(
      journal.take(),
      [
        "will change", "Z: move 0.0 to 0.2", "B: update 0.1 to 0.0", "C: update 0.2 to 0.1",
        "did change",
      ])
  }

  func testA100_E23_aRollbackDoesNotMentionWhoCameAndWent() throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    let fleeting = Author(context: context)
    context.delete(fleeting)
    context.rollback()
    XCTAssertEqual(log.entries.count, 0)
    XCTAssertNil(fleeting.managedObjectContext)
    let announced = Author(context: context)
    let id = announced.objectID
    context.processPendingChanges()
    context.delete(announced)
    context.rollback()
    XCTAssertEqual(log.entries.map(\.keys), [[NSInsertedObjectsKey], [NSDeletedObjectsKey]])
    XCTAssertEqual(log.entries.last?.ids[NSDeletedObjectsKey], [id])
  }

  /// What observers do while a rollback is announced, the first time.
  private func rollingBack(
    _ context: NSManagedObjectContext, _ body: @escaping (NSManagedObjectContext) -> Void
  ) -> NotificationLog {
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    nonisolated(unsafe) let body = body
    let isDone = Box(false)
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { _ in
      if isDone.value { return }
      isDone.value = true
      body(context)
    }
    context.rollback()
    NotificationCenter.default.removeObserver(token)
    return log
  }

  func testA98_D12_E24_whatAnObserverOfARollbackDeletesFollowsTheDeleteRules() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle(by: author)
    article.title = "changed"
    let log = rollingBack(context) { $0.delete(author) }
    context.processPendingChanges()
    XCTAssertNil(article.author)
    XCTAssertEqual(log.entries.count, 2)
    XCTAssertEqual(log.entries.last?.ids[NSDeletedObjectsKey], [author.objectID])
    try context.save()
    XCTAssertNil(try makeMainContext(container).only(Article.self).author)
  }

  func testA98_B34_E24_whatAnObserverOfARollbackChangesIsTheNextEvent() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    author.name = "Ida"
    let discarded = Author(context: context)
    let log = rollingBack(context) { context in
      author.born = 1815
      discarded.name = "nobody"
      context.processPendingChanges()
    }
    XCTAssertEqual(log.entries.count, 1)
    context.processPendingChanges()
    XCTAssertEqual(log.entries.count, 2)
    XCTAssertEqual(log.entries.last?.ids[NSUpdatedObjectsKey], [author.objectID])
    XCTAssertEqual(context.updatedObjects, [author])
    author.born = 1816
    context.processPendingChanges()
    XCTAssertEqual(log.entries.count, 3)
    XCTAssertNoThrow(try context.save())
  }
}
