import TestSupport
import XCTest

@testable import Faultline

/// How many statements batch requests take; each is one more than a transaction's two.
final class BatchStatementTests: XCTestCase {
  private func statements(_ request: NSPersistentStoreRequest, history: Bool = false) throws -> Int
  {
    let store = try TestStore(history: history)
    defer { store.remove() }
    let context = store.container.newBackgroundContext()
    return try context.performOnThisThread {
      for number in 0..<300 { Note(context: context).number = Int64(number) }
      try context.save()
      let before = EngineCounters.read()
      try context.execute(request)
      XCTAssertEqual(EngineCounters.read().rowsFetched, before.rowsFetched)
      return EngineCounters.read().statements - before.statements
    }
  }

  private func deletion() -> NSBatchDeleteRequest {
    let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")
    fetch.predicate = NSPredicate(format: "number >= 100")
    return NSBatchDeleteRequest(fetchRequest: fetch)
  }

  func testADeletionWithoutDeleteRulesIsOneStatement() throws {
    XCTAssertEqual(try statements(deletion()), 3)
    let listed = deletion()
    listed.resultType = .resultTypeObjectIDs
    XCTAssertEqual(try statements(listed), 3)
    let limited = deletion()
    limited.fetchRequest.fetchLimit = 10
    limited.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    XCTAssertEqual(try statements(limited), 3)
  }

  func testAnUpdateIsOneStatement() throws {
    let update = NSBatchUpdateRequest(entityName: "Note")
    update.propertiesToUpdate = ["number": NSExpression(format: "number + 1"), "title": "new"]
    update.resultType = .updatedObjectIDsResultType
    XCTAssertEqual(try statements(update), 3)
  }

  func testAnInsertionWritesManyRowsWithAStatement() throws {
    let rows = (0..<1024).map { ["number": $0, "title": "note \($0)"] as [String: Any] }
    let insert = NSBatchInsertRequest(entityName: "Note", objects: rows)
    XCTAssertLessThan(try statements(insert), 1024 / 16)
  }
}
