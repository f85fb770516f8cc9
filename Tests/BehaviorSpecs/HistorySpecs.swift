import CoreData
import Foundation
import XCTest

/// What a store's history records (section C.5).
final class HistorySpecs: HistoryCase {
  func testC46_withoutTheOptionNothingIsRecordedAndHistoryIsRefused() throws {
    let context = try makeMemos(history: false).viewContext
    context.new("Memo")
    try context.save()
    cocoaError(134091) { _ = try context.history() }
    XCTAssertNil(
      context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil))
  }

  func testC46_aStoreOnceOpenedWithHistoryIsReadOnlyWithoutIt() throws {
    let url = storeURL("Memos")
    try withExtendedLifetime(try openMemos(at: url)) { container in
      container.viewContext.new("Memo", ["topic": "kept"])
      try container.viewContext.save()
    }
    let without = try makeMemos(history: false)
    let context = without.viewContext
    XCTAssertEqual(without.persistentStoreCoordinator.persistentStores.first?.isReadOnly, true)
    XCTAssertEqual(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Memo")).count, 1)
    context.new("Memo")
    cocoaError(513) { try context.save() }
    cocoaError(134091) { _ = try context.history() }
    let again = try makeMemos()
    again.viewContext.new("Memo")
    XCTAssertNoThrow(try again.viewContext.save())
    XCTAssertEqual(try again.viewContext.history().count, 2)
  }

  func testC46_aReadOnlyStoreTellsItsHistoryIfItIsOpenedWithTheOption() throws {
    let writer = try makeMemos().viewContext
    writer.new("Memo")
    try writer.save()
    let reader = try makeMemos(readOnly: true).viewContext
    XCTAssertEqual(try reader.history().map(\.words), [["insert Memo"]])
    cocoaError(513) {
      try reader.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
    }
  }

  func testC47_everySaveIsOneTransaction() throws {
    let context = try makeMemos().viewContext
    let memo = context.new("Memo", ["topic": "a"])
    context.new("Letter", ["topic": "b"])
    try context.save()
    memo.setValue("text", forKey: "body")
    try context.save()
    try context.save()
    context.delete(memo)
    try context.save()
    XCTAssertEqual(
      try context.history().map { $0.words.sorted() },
      [["insert Letter", "insert Memo"], ["update Memo [body]"], ["delete Memo"]])
    XCTAssertEqual(try context.history().map(\.transactionNumber), [1, 2, 3])
  }

  func testC47_whatIsNotStoredIsNoTransaction() throws {
    let context = try makeMemos().viewContext
    let memo = context.new("Memo")
    try context.save()
    memo.setValue("glad", forKey: "mood")
    try context.save()
    let unsaved = context.new("Memo")
    try context.obtainPermanentIDs(for: [unsaved])
    try context.execute(NSBatchInsertRequest(entityName: "Memo", objects: []))
    try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Folder")))
    XCTAssertEqual(try context.history().count, 1)
  }

  func testC47_aSaveThatFailsLeavesNoTransaction() throws {
    let container = try makeMemos()
    let (one, other) = (container.viewContext, makeMainContext(container))
    let memo = one.new("Memo")
    try one.save()
    let twin = try other.existingObject(with: memo.objectID)
    twin.setValue("theirs", forKey: "topic")
    try other.save()
    memo.setValue("mine", forKey: "topic")
    one.new("Memo")
    cocoaError(133020) { try one.save() }
    XCTAssertEqual(try one.history().map(\.words), [["insert Memo"], ["update Memo [topic]"]])
    one.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try one.save()
    XCTAssertEqual(try one.history().last?.words, ["insert Memo", "update Memo [topic]"])
  }

  func testC47_everyBatchRequestIsOneTransaction() throws {
    let context = try makeMemos().viewContext
    try context.execute(
      NSBatchInsertRequest(entityName: "Memo", objects: [["topic": "a"], ["topic": "b"]]))
    let update = NSBatchUpdateRequest(entityName: "Memo")
    update.predicate = NSPredicate(format: "topic == 'a'")
    update.propertiesToUpdate = ["body": "text", "topic": "c"]
    try context.execute(update)
    try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Memo")))
    XCTAssertEqual(
      try context.history().map(\.words),
      [
        ["insert Memo", "insert Memo"], ["update Memo [body, topic]"],
        ["delete Memo", "delete Memo"],
      ])
  }

  func testC47_F85_aBatchDeletionTellsWhatItEmptiedToo() throws {
    let context = try makeMemos().viewContext
    let folder = context.new("Folder")
    let memo = context.new("Memo", ["folder": folder])
    let letter = context.new("Letter", ["folder": folder])
    try context.save()
    let before = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
    try context.execute(NSBatchDeleteRequest(objectIDs: [folder.objectID]))
    let transaction = try XCTUnwrap(try context.history(after: before).first)
    XCTAssertEqual(
      transaction.words.sorted(),
      ["delete Folder", "update Letter [folder]", "update Memo [folder]"])
    XCTAssertEqual(
      Set(transaction.changes?.map(\.changedObjectID) ?? []),
      [folder.objectID, memo.objectID, letter.objectID])
  }

  func testC47_changesOfSeveralStoresAreATransactionInEach() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.memos)
    let context = context(.mainQueueConcurrencyType, on: coordinator)
    let stores = try ["One", "Other"].map { name in
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL(name),
        options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    }
    for store in stores { context.assign(context.new("Memo"), to: store) }
    try context.save()
    let found = try context.history()
    XCTAssertEqual(found.map(\.storeID), stores.map(\.identifier))
    XCTAssertEqual(found.map(\.words), [["insert Memo"], ["insert Memo"]])
    let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
    XCTAssertEqual(try context.history(after: token).count, 0)
    XCTAssertEqual(
      try context.history(after: found[0].token).map(\.storeID), [stores[1].identifier],
      "a store that the token does not name is told from its beginning")
  }

  func testC48_C49_aTransactionTellsWhoMadeItWhereAndWhen() throws {
    let container = try makeMemos()
    let context = container.newBackgroundContext()
    let start = Date()
    try context.performAndWait {
      context.name = "importer"
      context.transactionAuthor = "sync"
      context.new("Memo")
      try context.save()
      context.new("Memo")
      try context.save()
      context.transactionAuthor = nil
      context.name = nil
      context.new("Memo")
      try context.save()
    }
    let found = try container.viewContext.history()
    XCTAssertEqual(found.map(\.author), ["sync", "sync", nil], "an author stays until it is unset")
    XCTAssertEqual(found.map(\.contextName), ["importer", "importer", nil])
    XCTAssertEqual(Set(found.map(\.processID)), [ProcessInfo.processInfo.processName])
    XCTAssertEqual(found.map(\.bundleID.isEmpty), [false, false, false])
    let store = container.persistentStoreCoordinator.persistentStores[0]
    XCTAssertEqual(Set(found.map(\.storeID)), [store.identifier])
    for transaction in found {
      // A stored date is rounded as a double is.
      XCTAssertGreaterThan(transaction.timestamp.timeIntervalSince(start), -1)
    }
    XCTAssertEqual(
      found.last?.token,
      container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil))
  }

  func testC49_aBatchRequestHasTheAuthorOfItsContext() throws {
    let context = try makeMemos().viewContext
    context.transactionAuthor = "cleaner"
    try context.execute(NSBatchInsertRequest(entityName: "Memo", objects: [[:]]))
    XCTAssertEqual(try context.history().map(\.author), ["cleaner"])
    XCTAssertEqual(try context.history().map(\.contextName), ["viewContext"])
  }

  func testC50_anUpdateNamesThePropertiesThatItWrote() throws {
    let context = try makeMemos().viewContext
    let memo = context.new("Letter", ["topic": "a"])
    let (folder, label) = (context.new("Folder"), context.new("Label"))
    try context.save()
    let before = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
    memo.setValue("b", forKey: "topic")
    memo.setValue("reader", forKey: "reader")
    memo.setValue("glad", forKey: "mood")
    memo.setValue(folder, forKey: "folder")
    memo.setValue(NSSet(array: [label]), forKey: "labels")
    try context.save()
    let changes = try XCTUnwrap(try context.history(after: before).first?.changes)
    let names = Dictionary(
      uniqueKeysWithValues: changes.map {
        ($0.changedObjectID, $0.updatedProperties?.map(\.name).sorted() ?? [])
      })
    XCTAssertEqual(names[memo.objectID], ["folder", "labels", "reader", "topic"])
    XCTAssertEqual(names[folder.objectID], ["memos"])
    XCTAssertEqual(names[label.objectID], ["memos"])
    let properties = try XCTUnwrap(
      changes.first { $0.changedObjectID == memo.objectID }?.updatedProperties)
    XCTAssertTrue(properties.contains(try XCTUnwrap(memo.entity.propertiesByName["topic"])))
  }

  func testC50_aDeletionKeepsTheValuesThatTheModelPreserves() throws {
    let context = try makeMemos().viewContext
    let (written, number) = (Date(timeIntervalSinceReferenceDate: 1000), UUID())
    let values: [String: Any] = ["topic": "t", "written": written, "number": number, "body": "b"]
    let (memo, letter) = (context.new("Memo", values), context.new("Letter", values))
    let folder = context.new("Folder", ["name": "f"])
    try context.save()
    memo.setValue("unsaved", forKey: "topic")
    context.delete(memo)
    context.delete(folder)
    try context.save()
    try context.execute(NSBatchDeleteRequest(objectIDs: [letter.objectID]))
    let changes = try context.history().flatMap { $0.changes ?? [] }
    XCTAssertEqual(changes.map { $0.tombstone == nil }.filter { $0 }.count, 4)
    for change in changes where change.changeType == .delete {
      guard change.changedObjectID != folder.objectID else {
        XCTAssertNil(change.tombstone, "a folder has nothing to preserve")
        continue
      }
      XCTAssertEqual(change.tombstone?.count, 3)
      XCTAssertEqual(change.tombstone?["topic"] as? String, "t")
      XCTAssertEqual(change.tombstone?["written"] as? Date, written)
      XCTAssertEqual(change.tombstone?["number"] as? UUID, number)
      XCTAssertNil(change.updatedProperties)
    }
  }

  func testC50_changesAreNumberedAndBelongToTheirTransaction() throws {
    let context = try makeMemos().viewContext
    for _ in 0..<100 { context.new("Memo") }
    try context.save()
    context.new("Memo")
    try context.save()
    let found = try context.history()
    XCTAssertEqual(found.map { $0.changes?.count }, [100, 1])
    XCTAssertEqual(found.flatMap { $0.changes ?? [] }.map(\.changeID), Array(1...101))
    XCTAssertIdentical(found[1].changes?.first?.transaction, found[1])
  }

  /// The second save has begun, or is about to, before the first transaction ends.
  func testC5_C47_aSaveThatMeetsAnOpenTransactionIsTheNextOne() throws {
    let container = try makeMemos()
    let (isInside, mayCommit, isSaving) = (Gate(), Gate(), Gate())
    let finished = expectation(description: "both have saved")
    finished.expectedFulfillmentCount = 2
    let (first, second) = (container.newBackgroundContext(), container.newBackgroundContext())
    first.enqueue {
      let isFirst = Box(true)
      let insertion = NSBatchInsertRequest(
        entityName: "Memo",
        dictionaryHandler: { _ in
          if isFirst.value {
            isFirst.value = false
            return false
          }
          isInside.open()
          mayCommit.pass()
          return true
        })
      XCTAssertNil(errorCode { try first.execute(insertion) })
      finished.fulfill()
    }
    XCTAssertTrue(isInside.pass())
    second.enqueue {
      second.new("Folder")
      isSaving.open()
      XCTAssertNil(errorCode { try second.save() })
      finished.fulfill()
    }
    XCTAssertTrue(isSaving.pass())
    XCTAssertEqual(try container.viewContext.history().count, 0)
    mayCommit.open()
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(
      try container.viewContext.history().map(\.words), [["insert Memo"], ["insert Folder"]])
  }

  /// The size of the file of a store whose records were changed again and again.
  private func sizeAfterManyChanges(_ name: String, purging: Bool) throws -> Int {
    do {
      let container = try openMemos(at: storeURL(name))
      let context = container.viewContext
      try context.execute(
        NSBatchInsertRequest(entityName: "Memo", objects: Array(repeating: [:], count: 2000)))
      for round in 0..<8 {
        let update = NSBatchUpdateRequest(entityName: "Memo")
        update.propertiesToUpdate = ["topic": "\(round)"]
        try context.execute(update)
        if purging {
          try context.execute(
            NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
        }
      }
      let store = try XCTUnwrap(container.persistentStoreCoordinator.persistentStores.first)
      try container.persistentStoreCoordinator.remove(store)
    }
    let size = try FileManager.default.attributesOfItem(atPath: storeURL(name).path)[.size]
    return try XCTUnwrap(size as? Int)
  }

  func testI22_aHistoryThatNobodyPurgesMakesTheFileGrow() throws {
    let purged = try sizeAfterManyChanges("Purged", purging: true)
    let kept = try sizeAfterManyChanges("Kept", purging: false)
    XCTAssertGreaterThan(kept, purged + 2000 * 8 * 4, "each of 16,000 changes takes some bytes")
  }

  func testC47_A104_aRecordThatComesBackIsInsertedAgain() throws {
    let container = try makeMemos()
    let (one, other) = (container.viewContext, makeMainContext(container))
    let memo = one.new("Memo", ["topic": "a"])
    try one.save()
    let twin = try other.existingObject(with: memo.objectID)
    twin.setValue("wanted", forKey: "topic")
    one.delete(memo)
    try one.save()
    other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try other.save()
    XCTAssertEqual(
      try one.history().map(\.words), [["insert Memo"], ["delete Memo"], ["insert Memo"]])
  }

  func testC49_B41_aBatchRequestOfAChildHasTheAuthorOfTheRootContextThatHasOne() throws {
    let root = try makeMemos().newBackgroundContext()
    let middle = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    middle.parent = root
    let child = makeMainChild(of: middle)
    (root.name, child.name, child.transactionAuthor) = ("root", "child", "child")
    func insert(_ topic: String) throws {
      _ = try child.execute(NSBatchInsertRequest(entityName: "Memo", objects: [["topic": topic]]))
    }
    root.transactionAuthor = "root"
    try insert("A")
    root.transactionAuthor = nil
    middle.transactionAuthor = "middle"
    try insert("B")
    middle.transactionAuthor = nil
    try insert("C")
    let found = try root.performAndWait { try root.history() }
    XCTAssertEqual(found.map(\.author), ["root", "middle", "child"])
    XCTAssertEqual(found.map(\.contextName), ["root", "root", "root"])
  }
}
