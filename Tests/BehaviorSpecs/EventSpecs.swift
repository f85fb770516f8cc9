import CoreData
import Foundation
import XCTest

/// What ends an event and what happens then (sections B.2 and B.4).
final class EventSpecs: SpecCase {
  func testB10_L6_aBlockIsOneEventAndEndsBeforeTheNextBegins() throws {
    let context = try makeContainer().newBackgroundContext()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    let seenByTheNext = Box(-1)
    context.perform {
      for _ in 0..<3 { _ = Author(context: context) }
    }
    context.perform { seenByTheNext.value = log.entries.count }
    drain(context)
    XCTAssertEqual(seenByTheNext.value, 1)
    XCTAssertEqual(log.entries.count, 1)
    XCTAssertEqual(log.entries.first?.count(NSInsertedObjectsKey), 3)
  }

  func testB12_K3_L6_performAndWaitDoesNotEndAnEvent() throws {
    let context = try makeContainer().newBackgroundContext()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    context.performAndWait {
      for _ in 0..<3 { _ = Author(context: context) }
    }
    XCTAssertEqual(log.entries.count, 0)
    context.performAndWait { context.processPendingChanges() }
    XCTAssertEqual(log.entries.count, 1)
    XCTAssertEqual(log.entries.first?.count(NSInsertedObjectsKey), 3)
  }

  func testB12_K3_aLaterPerformProcessesWhatPerformAndWaitLeft() throws {
    let context = try makeContainer().newBackgroundContext()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    context.performAndWait { _ = Author(context: context) }
    XCTAssertEqual(log.entries.count, 0)
    drain(context)
    drain(context)
    XCTAssertEqual(log.entries.count, 1)
  }

  func testB31_processingPropagatesDeletesAndPostsOnce() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let draft = Draft(context: context)
    draft.owner = author
    let article = try context.savedArticle(by: author)
    context.processPendingChanges()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    context.delete(author)
    let inserted = Author(context: context)
    XCTAssertFalse(draft.isDeleted)
    XCTAssertEqual(log.entries.count, 0)
    context.processPendingChanges()
    XCTAssertTrue(draft.isDeleted)
    XCTAssertNil(article.author)
    XCTAssertEqual(log.entries.count, 1)
    let note = try XCTUnwrap(log.entries.first)
    XCTAssertEqual(note.ids[NSDeletedObjectsKey], [author.objectID, draft.objectID])
    XCTAssertEqual(note.ids[NSInsertedObjectsKey], [inserted.objectID])
    XCTAssertEqual(note.ids[NSUpdatedObjectsKey], [article.objectID])
  }

  func testB31_severalChangesOfOneObjectAreOneEntry() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    context.processPendingChanges()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    for year in 0..<10 { author.born = Int64(year) }
    context.processPendingChanges()
    XCTAssertEqual(log.entries.count, 1)
    XCTAssertEqual(log.entries.first?.ids[NSUpdatedObjectsKey], [author.objectID])
  }

  func testB32_B36_K3_directChangesOnTheMainThreadAreProcessedAtTheEndOfTheTurn() throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    let author = Author(context: context)
    author.name = "Ada"
    XCTAssertEqual(log.entries.count, 0)
    turnMainQueue()
    XCTAssertEqual(log.entries.count, 1)
    XCTAssertEqual(log.entries.first?.ids[NSInsertedObjectsKey], [author.objectID])
    turnMainQueue()
    XCTAssertEqual(log.entries.count, 1, "a turn without changes posts nothing")
  }

  func testB32_refreshesOnTheMainThreadAreAnnouncedAtTheEndOfTheTurn() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    turnMainQueue()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.shouldRefreshRefetchedObjects = true
    let refreshes: [() -> Void] = [
      { context.refresh(author, mergeChanges: true) },
      { context.refresh(author, mergeChanges: false) },
      { context.refresh(author, mergeChanges: true) }, { context.refreshAllObjects() },
      { _ = try? context.fetch(request) },
    ]
    for (number, refresh) in refreshes.enumerated() {
      log.clear()
      if number > 2 { _ = author.name }
      refresh()
      turnMainQueue()
      XCTAssertEqual(
        log.entries.map { $0.ids[NSRefreshedObjectsKey] }, [[author.objectID]], "\(number)")
    }
  }

  func testB32_whatIsInsertedAgainIsAnnouncedAtTheEndOfTheTurn() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    context.delete(author)
    turnMainQueue()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    context.insert(author)
    turnMainQueue()
    XCTAssertFalse(author.isDeleted)
    XCTAssertEqual(log.entries.count, 1)
  }

  func testB33_savingProcessesPendingChangesFirst() throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog(
      [.NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave], from: context)
    _ = Author(context: context)
    try context.save()
    XCTAssertEqual(
      log.entries.prefix(2).map(\.name),
      [.NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave])
    XCTAssertEqual(log.entries.first?.count(NSInsertedObjectsKey), 1)
  }

  func testB34_processingFromWithinAnObserverDoesNotRecurse() throws {
    let context = try makeContainer().viewContext
    let depth = Box((now: 0, most: 0, calls: 0))
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { _ in
      depth.update {
        $0.now += 1
        $0.calls += 1
        $0.most = max($0.most, $0.now)
      }
      if depth.value.calls < 5 { _ = Author(context: context) }
      context.processPendingChanges()
      depth.update { $0.now -= 1 }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    _ = Author(context: context)
    context.processPendingChanges()
    XCTAssertEqual(depth.value.most, 1)
    XCTAssertGreaterThanOrEqual(depth.value.calls, 1)
    XCTAssertTrue(context.hasChanges)
  }

  func testB35_withoutUnprocessedChangesNothingIsPosted() throws {
    let context = try makeContainer().viewContext
    try context.savedAuthor()
    context.processPendingChanges()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    context.processPendingChanges()
    context.processPendingChanges()
    _ = try context.all(Author.self).map(\.name)
    context.processPendingChanges()
    XCTAssertEqual(log.entries.count, 0)
  }
}
