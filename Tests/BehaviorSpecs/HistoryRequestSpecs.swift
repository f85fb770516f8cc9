import CoreData
import Foundation
import XCTest

/// Asking for history, and deleting it (section C.5).
final class HistoryRequestSpecs: HistoryCase {
  private typealias Request = NSPersistentHistoryChangeRequest

  /// Saves a memo for each author.
  private func save(_ authors: [String?], _ context: NSManagedObjectContext) throws {
    for author in authors {
      context.transactionAuthor = author
      context.new("Memo")
      try context.save()
    }
    context.transactionAuthor = nil
  }

  private func result(
    _ type: NSPersistentHistoryResultType, _ context: NSManagedObjectContext,
    _ request: Request = .fetchHistory(after: nil as NSPersistentHistoryToken?)
  ) throws -> Any? {
    request.resultType = type
    let result = try context.execute(request) as? NSPersistentHistoryResult
    XCTAssertEqual(result?.resultType, type)
    return result?.result
  }

  func testC51_theResultComesInTheFormThatIsAskedFor() throws {
    let context = try makeMemos().viewContext
    XCTAssertEqual(
      Request.fetchHistory(after: Date()).resultType, .transactionsAndChanges)
    let memo = context.new("Memo")
    try context.save()
    memo.setValue("b", forKey: "body")
    try context.save()
    XCTAssertEqual(try result(.statusOnly, context) as? Bool, true)
    XCTAssertEqual(try result(.count, context) as? Int, 2)
    XCTAssertEqual(try result(.objectIDs, context) as? [NSManagedObjectID], [memo.objectID])
    let transactions = try result(.transactionsOnly, context) as? [NSPersistentHistoryTransaction]
    XCTAssertEqual(transactions?.map(\.transactionNumber), [1, 2])
    XCTAssertNil(transactions?.first?.changes)
    let changes = try result(.changesOnly, context) as? [NSPersistentHistoryChange]
    XCTAssertEqual(changes?.map(\.changeType), [.insert, .update])
    XCTAssertNil(changes?.first?.transaction)
  }

  func testC51_historyIsFetchedAfterATokenATransactionOrADate() throws {
    let container = try makeMemos()
    let context = container.viewContext
    try save(["a", "b", "c"], context)
    let all = try context.history()
    XCTAssertEqual(try context.history(after: all[0].token).map(\.author), ["b", "c"])
    XCTAssertEqual(try context.history(.fetchHistory(after: all[1])).map(\.author), ["c"])
    XCTAssertEqual(try context.history(.fetchHistory(after: all[2])).map(\.author), [])
    XCTAssertEqual(
      try context.history(.fetchHistory(after: Date.distantPast)).map(\.author), ["a", "b", "c"])
    let later = all.filter { $0.timestamp > all[1].timestamp }.count
    XCTAssertEqual(try context.history(.fetchHistory(after: all[1].timestamp)).count, later)
    XCTAssertEqual(try context.history(.fetchHistory(after: Date.distantFuture)).count, 0)
  }

  func testC51_aFetchRequestOfTransactionsChoosesAmongThem() throws {
    let context = try makeMemos().viewContext
    try save(["app", "sync", "app", nil], context)
    let fetch = try XCTUnwrap(NSPersistentHistoryTransaction.fetchRequest)
    fetch.predicate = NSPredicate(format: "author == %@", "app")
    XCTAssertEqual(
      try context.history(.fetchHistory(withFetch: fetch)).map(\.transactionNumber), [1, 3])
    let request = Request.fetchHistory(after: try context.history()[0])
    request.fetchRequest = fetch
    XCTAssertEqual(try context.history(request).map(\.words), [["insert Memo"]])
    fetch.predicate = NSPredicate(format: "author == nil OR author == 'sync'")
    fetch.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
    XCTAssertEqual(
      try context.history(.fetchHistory(withFetch: fetch)).map(\.transactionNumber), [4, 2])
  }

  func testC51_aFetchRequestOfChangesLeavesTheTransactionsThatHaveSuchChanges() throws {
    let context = try makeMemos().viewContext
    let memo = context.new("Memo")
    context.new("Folder")
    try context.save()
    memo.setValue("b", forKey: "body")
    try context.save()
    let fetch = try XCTUnwrap(NSPersistentHistoryChange.fetchRequest)
    fetch.predicate = NSPredicate(
      format: "changeType == %d", NSPersistentHistoryChangeType.insert.rawValue)
    XCTAssertEqual(
      try context.history(.fetchHistory(withFetch: fetch)).map { $0.words.sorted() },
      [["insert Folder", "insert Memo"]])
    XCTAssertEqual(try result(.count, context, .fetchHistory(withFetch: fetch)) as? Int, 2)
    fetch.predicate = NSPredicate(format: "changedEntity.name == 'Folder'")
    XCTAssertEqual(
      try context.history(.fetchHistory(withFetch: fetch)).map(\.words), [["insert Folder"]])
    fetch.predicate = NSPredicate(format: "changedEntity == %@", memo.entity)
    XCTAssertEqual(try result(.count, context, .fetchHistory(withFetch: fetch)) as? Int, 2)
    fetch.predicate = NSPredicate(format: "changedObjectID == %@", memo.objectID)
    fetch.sortDescriptors = [NSSortDescriptor(key: "changeID", ascending: false)]
    XCTAssertEqual(
      try context.history(.fetchHistory(withFetch: fetch)).map(\.words),
      [["insert Memo"], ["update Memo [body]"]])
  }

  func testC51_historyIsDeletedBeforeATokenATransactionOrADate() throws {
    let context = try makeMemos().viewContext
    try save(["a", "b", "c", "d"], context)
    let all = try context.history()
    XCTAssertEqual(try result(.count, context, .deleteHistory(before: all[1])) as? Int, 1)
    XCTAssertEqual(try context.history().map(\.author), ["b", "c", "d"], "that one itself stays")
    let request = Request.deleteHistory(before: all[2].token)
    XCTAssertEqual(request.resultType, .statusOnly)
    XCTAssertEqual(
      (try context.execute(request) as? NSPersistentHistoryResult)?.result as? Bool, true)
    XCTAssertEqual(try context.history().map(\.author), ["c", "d"])
    XCTAssertEqual(
      try result(.count, context, .deleteHistory(before: Date.distantFuture)) as? Int, 2)
    XCTAssertEqual(try context.history().count, 0)
    XCTAssertEqual(
      try result(.changesOnly, context) as? [NSPersistentHistoryChange], [],
      "changes go with their transactions")
  }

  func testC51_numbersAreNotUsedAgainAfterADeletion() throws {
    let context = try makeMemos().viewContext
    try save(["a", "b"], context)
    let coordinator = try XCTUnwrap(context.persistentStoreCoordinator)
    let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
    try context.execute(Request.deleteHistory(before: Date.distantFuture))
    XCTAssertEqual(coordinator.currentPersistentHistoryToken(fromStores: nil), token)
    try save(["c"], context)
    let found = try context.history(after: token)
    XCTAssertEqual(found.map(\.transactionNumber), [3])
    XCTAssertEqual(found.first?.changes?.map(\.changeID), [3])
  }

  func testC51_historyCanBeAskedOfTheCoordinatorAndOfChosenStores() throws {
    let container = try makeMemos()
    let context = container.viewContext
    try save(["a"], context)
    let coordinator = container.persistentStoreCoordinator
    let request = Request.fetchHistory(after: Date.distantPast)
    request.affectedStores = coordinator.persistentStores
    let result = try coordinator.execute(request, with: context) as? NSPersistentHistoryResult
    XCTAssertEqual((result?.result as? [NSPersistentHistoryTransaction])?.count, 1)
    let silent = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL("Silent"))
    request.affectedStores = nil
    XCTAssertEqual(try context.history(request).count, 1, "the other store has none to tell")
    request.affectedStores = [silent]
    cocoaError(134091) { _ = try context.history(request) }
  }

  func testC15_C51_aStoreInMemoryThatIsNotSqliteHasNoHistory() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.memos)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil,
      options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    let context = context(.mainQueueConcurrencyType, on: coordinator)
    context.new("Memo")
    try context.save()
    cocoaError(134091) { _ = try context.history() }
  }

  func testC51_aPredicateOfTransactionsMayCompareTokens() throws {
    let context = try makeMemos().viewContext
    try save(["a", "b", "c"], context)
    let all = try context.history()
    func authors(_ format: String, _ token: NSPersistentHistoryToken) throws -> [String?] {
      let fetch = try XCTUnwrap(NSPersistentHistoryTransaction.fetchRequest)
      fetch.predicate = NSPredicate(format: format, token)
      let found = try result(.transactionsOnly, context, .fetchHistory(withFetch: fetch))
      return (found as? [NSPersistentHistoryTransaction])?.map(\.author) ?? []
    }
    XCTAssertEqual(try authors("token == %@", all[1].token), ["b"])
    XCTAssertEqual(try authors("token != %@", all[1].token), ["a", "c"])
    XCTAssertEqual(try authors("token > %@", all[0].token), ["b", "c"])
    XCTAssertEqual(try authors("token >= %@", all[1].token), ["b", "c"])
    XCTAssertEqual(try authors("token < %@", all[1].token), ["a"])
    XCTAssertEqual(try authors("token <= %@ AND author == 'a'", all[2].token), ["a"])
    XCTAssertEqual(try authors("token > %@", all[2].token), [])
  }

  func testC54_aTokenAfterWhichSomethingWasDeletedHasExpired() throws {
    let context = try makeMemos().viewContext
    try save(["a", "b", "c"], context)
    let all = try context.history()
    try context.execute(Request.deleteHistory(before: all[2]))
    cocoaError(134301) { _ = try context.history(after: all[0].token) }
    XCTAssertEqual(
      try context.history(after: all[1].token).map(\.author), ["c"],
      "everything after it is there still")
    XCTAssertEqual(try context.history().map(\.author), ["c"], "no token, nothing to miss")
    try context.execute(Request.deleteHistory(before: Date.distantFuture))
    cocoaError(134301) { _ = try context.history(after: all[1].token) }
    XCTAssertEqual(try context.history(after: all[2].token).count, 0)
  }

  func testC54_aTokenFromAFutureThatTheStoreDoesNotKnowHasExpired() throws {
    let container = try makeMemos()
    try save(["a"], container.viewContext)
    let coordinator = container.persistentStoreCoordinator
    try coordinator.replacePersistentStore(
      at: storeURL("Copy"), withPersistentStoreFrom: storeURL("Memos"), ofType: NSSQLiteStoreType)
    try save(["b"], container.viewContext)
    let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
    let copy = try makeMemos("Copy").viewContext
    cocoaError(134301) { _ = try copy.history(after: token) }
  }
}
