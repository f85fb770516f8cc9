import CoreData
import Foundation
import XCTest

/// What a context posts, when, and with what in it (sections E.1 to E.3).
final class NotificationSpecs: SpecCase {
  private typealias Context = NSManagedObjectContext

  func testE1_objectsDidChangeListsInsertedUpdatedAndDeletedObjects() throws {
    let context = try makeContainer().viewContext
    let updated = try context.savedAuthor()
    let deleted = try context.savedAuthor()
    let log = NotificationLog([Context.didChangeObjectsNotification], from: context)
    let inserted = Author(context: context)
    updated.name = "changed"
    context.delete(deleted)
    context.processPendingChanges()
    XCTAssertEqual(log.entries.count, 1)
    let ids = try XCTUnwrap(log.entries.first?.ids)
    XCTAssertEqual(ids["inserted"], [inserted.objectID])
    XCTAssertEqual(ids["updated"], [updated.objectID])
    XCTAssertEqual(ids["deleted"], [deleted.objectID])
  }

  func testE1_aRefreshIsListedUnderRefreshed() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let log = NotificationLog([Context.didChangeObjectsNotification], from: context)
    context.refresh(author, mergeChanges: true)
    context.processPendingChanges()
    XCTAssertEqual(log.entries.first?.ids["refreshed"], [author.objectID])
    XCTAssertEqual(log.entries.first?.count("updated"), 0)
  }

  func testE1_aResetCarriesTheIdsOfAllUnderInvalidatedAll() throws {
    let context = try makeContainer().viewContext
    let ids = [try context.savedAuthor(), try context.savedAuthor()].map(\.objectID)
    let found = try context.all(Author.self)
    let seen = Box<[NSManagedObjectID]?>(nil)
    let token = NotificationCenter.default.addObserver(
      forName: Context.didChangeObjectsNotification, object: context, queue: nil
    ) { note in seen.value = note.userInfo?["invalidatedAll"] as? [NSManagedObjectID] }
    defer { NotificationCenter.default.removeObserver(token) }
    context.reset()
    XCTAssertEqual(Set(seen.value ?? []), Set(ids))
    XCTAssertEqual(found.count, 2)
  }

  func testE2_willSaveNamesTheContextAndNothingElse() throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog([Context.willSaveObjectsNotification], from: context)
    try context.savedAuthor()
    XCTAssertEqual(log.entries.map(\.keys), [[]])
  }

  func testE3_didSaveCarriesTheObjectsOfTheSavingContext() throws {
    let context = try makeContainer().viewContext
    let updated = try context.savedAuthor()
    let deleted = try context.savedAuthor()
    let inserted = Author(context: context)
    updated.name = "changed"
    context.delete(deleted)
    let log = NotificationLog([Context.didSaveObjectsNotification], from: context)
    let deletedID = deleted.objectID
    let sameContext = Box<Bool?>(nil)
    let token = NotificationCenter.default.addObserver(
      forName: Context.didSaveObjectsNotification, object: context, queue: nil
    ) { note in
      let context = note.object as? NSManagedObjectContext
      let objects = note.userInfo?["inserted"] as? Set<NSManagedObject>
      sameContext.value = objects?.allSatisfy { $0.managedObjectContext === context }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    let ids = try XCTUnwrap(log.entries.first?.ids)
    XCTAssertEqual(ids["inserted"], [inserted.objectID])
    XCTAssertEqual(ids["updated"], [updated.objectID])
    XCTAssertEqual(ids["deleted"], [deletedID])
    XCTAssertEqual(sameContext.value, true)
  }

  func testE4_E6_theSecondPostingCarriesTheSameAsIds() throws {
    let context = try makeContainer().viewContext
    let updated = try context.savedAuthor()
    let deleted = try context.savedAuthor()
    let deletedID = deleted.objectID
    let inserted = Author(context: context)
    updated.name = "changed"
    context.delete(deleted)
    let seen = Box<[String: Set<NSManagedObjectID>]>([:])
    let token = NotificationCenter.default.addObserver(
      forName: Context.didSaveObjectIDsNotification, object: context, queue: nil
    ) { note in
      for (key, value) in note.userInfo ?? [:] {
        guard let key = key as? String, let ids = value as? Set<NSManagedObjectID> else { continue }
        seen.update { $0[key] = ids }
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    XCTAssertEqual(
      seen.value,
      [
        "inserted_objectIDs": [inserted.objectID], "updated_objectIDs": [updated.objectID],
        "deleted_objectIDs": [deletedID],
      ])
  }

  func testE6_theKeysAreApplesStrings() {
    XCTAssertEqual(
      [
        NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
        NSInvalidatedObjectsKey, NSInvalidatedAllObjectsKey, NSInsertedObjectIDsKey,
        NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey, NSRefreshedObjectIDsKey,
        NSInvalidatedObjectIDsKey,
      ],
      [
        "inserted", "updated", "deleted", "refreshed", "invalidated", "invalidatedAll",
        "inserted_objectIDs", "updated_objectIDs", "deleted_objectIDs", "refreshed_objectIDs",
        "invalidated_objectIDs",
      ])
  }

  func testE7_whatDidNotHappenHasNoEntry() throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog(
      [
        Context.didChangeObjectsNotification, Context.didSaveObjectsNotification,
        Context.didSaveObjectIDsNotification,
      ], from: context)
    try context.savedAuthor()
    XCTAssertEqual(
      log.entries.map { $0.keys.intersection(["inserted", "updated", "deleted"]) },
      [["inserted"], ["inserted"], []])
    XCTAssertEqual(log.entries.last?.keys, ["inserted_objectIDs"])
  }

  func testE8_anObjectInsertedAndThenChangedIsOnlyInserted() throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog([Context.didSaveObjectsNotification], from: context)
    let author = Author(context: context)
    context.processPendingChanges()
    author.name = "changed"
    context.processPendingChanges()
    try context.save()
    XCTAssertEqual(log.entries.first?.ids["inserted"], [author.objectID])
    XCTAssertEqual(log.entries.first?.count("updated"), 0)
  }

  func testE8_anObjectInsertedAndDeletedIsNowhere() throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog([Context.didSaveObjectsNotification], from: context)
    let gone = Author(context: context)
    let kept = Author(context: context)
    context.delete(gone)
    try context.save()
    XCTAssertEqual(log.entries.first?.ids["inserted"], [kept.objectID])
    XCTAssertEqual(log.entries.first?.count("deleted"), 0)
  }

  func testE8_anObjectChangedAndDeletedIsOnlyDeleted() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let id = author.objectID
    let log = NotificationLog([Context.didSaveObjectsNotification], from: context)
    author.name = "changed"
    context.processPendingChanges()
    context.delete(author)
    try context.save()
    XCTAssertEqual(log.entries.first?.ids["deleted"], [id])
    XCTAssertEqual(log.entries.first?.count("updated"), 0)
  }

  func testE9_deletedObjectsStillAnswerWhileTheSaveIsAnnounced() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    let id = author.objectID
    context.delete(author)
    let seen = Box<(id: NSManagedObjectID?, name: String?)>((nil, nil))
    let token = NotificationCenter.default.addObserver(
      forName: Context.didSaveObjectsNotification, object: context, queue: nil
    ) { note in
      let deleted = note.userInfo?["deleted"] as? Set<NSManagedObject>
      let author = deleted?.first as? Author
      seen.value = (author?.objectID, author?.name)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    XCTAssertEqual(seen.value.id, id)
    XCTAssertEqual(seen.value.name, "Ada")
  }

  func testE10_idsArePermanentForARootAndTemporaryForAChild() throws {
    let root = try makeContainer().viewContext
    let child = makeMainChild(of: root)
    let rootLog = NotificationLog([Context.didSaveObjectsNotification], from: root)
    let childLog = NotificationLog([Context.didSaveObjectsNotification], from: child)
    Author(context: child).name = "from the child"
    try child.save()
    try root.save()
    XCTAssertEqual(childLog.entries.first?.ids["inserted"]?.map(\.isTemporaryID), [true])
    XCTAssertEqual(rootLog.entries.first?.ids["inserted"]?.map(\.isTemporaryID), [false])
  }

  func testE12_idsMayBeSentToAnotherThread() throws {
    let context = try makeContainer().newBackgroundContext()
    let seen = Box<Set<NSManagedObjectID>>([])
    let token = NotificationCenter.default.addObserver(
      forName: Context.didSaveObjectIDsNotification, object: context, queue: nil
    ) { note in
      seen.value = note.userInfo?["inserted_objectIDs"] as? Set<NSManagedObjectID> ?? []
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.perform {
      _ = Author(context: context)
      _ = errorCode { try context.save() }
    }
    drain(context)
    let id = try XCTUnwrap(seen.value.first)
    XCTAssertEqual(try reopened().existingObject(with: id).objectID, id)
  }

  func testE14_E16_postingIsSynchronousOnTheSaversThread() throws {
    let context = try makeContainer().newBackgroundContext()
    let log = NotificationLog(
      [
        Context.willSaveObjectsNotification, Context.didChangeObjectsNotification,
        Context.didSaveObjectsNotification,
      ], from: context)
    let before = Box(-1)
    context.perform {
      _ = Author(context: context)
      _ = errorCode { try context.save() }
      before.value = log.entries.count
    }
    drain(context)
    XCTAssertEqual(before.value, 3, "all were posted before save returned")
    XCTAssertTrue(log.entries.allSatisfy { !$0.onMainThread })
    context.performAndWait {
      _ = Author(context: context)
      context.processPendingChanges()
    }
    XCTAssertEqual(log.entries.last?.onMainThread, true, "performAndWait borrows the caller")
  }

  func testE17_anObserverOfNobodyInParticularHearsEveryContext() throws {
    let container = try makeContainer()
    let first = makeMainContext(container)
    let second = makeMainContext(container)
    let all = NotificationLog([Context.didSaveObjectsNotification], from: nil)
    let one = NotificationLog([Context.didSaveObjectsNotification], from: first)
    let ids = [try first.savedAuthor().objectID, try second.savedAuthor().objectID]
    let heard = all.entries.compactMap { $0.ids["inserted"] }.reduce(into: Set()) {
      $0.formUnion($1)
    }
    XCTAssertTrue(heard.isSuperset(of: ids))
    XCTAssertEqual(one.entries.count, 1)
  }

  func testE21_F30_fetchingAndFaultingPostsNothing() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor()
    let context = makeMainContext(container)
    let log = NotificationLog([Context.didChangeObjectsNotification], from: context)
    XCTAssertEqual(try context.all(Author.self).map(\.name), ["Ada"])
    context.processPendingChanges()
    XCTAssertTrue(log.entries.isEmpty)
  }

  func testE22_manyChangesOfOneEventMakeOnePosting() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let log = NotificationLog([Context.didChangeObjectsNotification], from: context)
    for number in 0..<10 { author.name = "\(number)" }
    let others = (0..<3).map { _ in Author(context: context) }
    context.processPendingChanges()
    XCTAssertEqual(log.entries.count, 1)
    XCTAssertEqual(log.entries.first?.ids["updated"], [author.objectID])
    XCTAssertEqual(log.entries.first?.ids["inserted"], Set(others.map(\.objectID)))
  }

  func testE23_K12_anInsertDeletedInTheSameEventIsNotMentioned() throws {
    let context = try makeContainer().viewContext
    let log = NotificationLog([Context.didChangeObjectsNotification], from: context)
    let author = Author(context: context)
    context.delete(author)
    context.processPendingChanges()
    XCTAssertTrue(log.entries.isEmpty)
    XCTAssertFalse(context.hasChanges)
  }

  func testE24_whatAnObserverChangesIsAnEventOfItsOwn() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let depth = Box(0)
    let depthMax = Box(0)
    let postings = Box(0)
    let token = NotificationCenter.default.addObserver(
      forName: Context.didChangeObjectsNotification, object: context, queue: nil
    ) { note in
      depth.update { $0 += 1 }
      postings.update { $0 += 1 }
      depthMax.value = max(depthMax.value, depth.value)
      let context = note.object as? NSManagedObjectContext
      for case let author as Author in note.userInfo?["updated"] as? Set<NSManagedObject> ?? []
      where author.born == 0 {
        author.born = 1815
        context?.processPendingChanges()
      }
      depth.update { $0 -= 1 }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    author.name = "changed"
    context.processPendingChanges()
    context.processPendingChanges()
    XCTAssertEqual(depthMax.value, 1, "nothing is posted inside a posting")
    XCTAssertEqual(postings.value, 2)
    XCTAssertEqual(author.born, 1815)
  }
}
