import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

/// Reads of one block share a transaction and still see every commit, whoever makes it.
final class LastingReadTests: XCTestCase {
  private func withStore(_ body: (TestStore, Database) throws -> Void) throws {
    let store = try TestStore()
    defer { store.remove() }
    let coordinator = store.container.persistentStoreCoordinator
    let database = try XCTUnwrap(coordinator.persistentStores.first).database
    let context = store.container.newBackgroundContext()
    try context.performOnThisThread {
      for number in 0..<300 { Note(context: context).number = Int64(number) }
      try context.save()
    }
    try body(store, database)
  }

  private func numbers(_ context: NSManagedObjectContext) throws -> [Int64] {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.shouldRefreshRefetchedObjects = true
    request.fetchLimit = 1
    return try context.fetch(request).map(\.number)
  }

  func testEachReadOfABlockSeesTheLastCommitOfAnotherConnection() throws {
    try withStore { store, database in
      let other = try Connection(path: store.url.path)
      let context = store.container.newBackgroundContext()
      try context.performOnThisThread {
        for number in Int64(1000)..<1050 {
          try other.execute("UPDATE ZNOTE SET ZNUMBER = \(number), Z_OPT = Z_OPT + 1")
          XCTAssertEqual(try numbers(context), [number])
          XCTAssertEqual(try numbers(context), [number])
          XCTAssertEqual(try numbers(context), [number])
          let read = try XCTUnwrap(try LastingRead.current(of: database))
          XCTAssertTrue(read.connection.isInTransaction)
        }
      }
    }
  }

  func testTheTransactionBeginsWithTheSecondReadAndEndsWithTheBlock() throws {
    try withStore { store, database in
      let context = store.container.newBackgroundContext()
      let connection = try context.performOnThisThread {
        _ = try numbers(context)
        let read = try XCTUnwrap(try LastingRead.current(of: database))
        XCTAssertFalse(read.connection.isInTransaction)
        _ = try numbers(context)
        XCTAssertTrue(read.connection.isInTransaction)
        return read.connection
      }
      XCTAssertFalse(connection.isInTransaction)
      XCTAssertNil(context.queue.keepsake)
    }
  }

  func testASaveOfTheBlockEndsItsReadsSoThatTheLogCanBeginAnew() throws {
    try withStore { store, _ in
      let other = try Connection(path: store.url.path)
      let context = store.container.newBackgroundContext()
      func busyAfterCheckpoint() throws -> Int64 {
        let checkpoint = try other.statement("PRAGMA wal_checkpoint(TRUNCATE)")
        defer { checkpoint.reset() }
        XCTAssertTrue(try checkpoint.step())
        return checkpoint.int64(0)
      }
      try other.execute("PRAGMA busy_timeout = 0")
      try context.performOnThisThread {
        let request = NSFetchRequest<Note>(entityName: "Note")
        let notes = try context.fetch(request)
        notes[0].number += 1
        _ = try context.count(for: request)
        _ = try context.count(for: request)
        try other.execute("UPDATE ZNOTE SET ZNUMBER = 7, Z_OPT = Z_OPT + 1 WHERE Z_PK > 100")
        XCTAssertEqual(try busyAfterCheckpoint(), 1, "the reads hold the log")
        try context.save()
        XCTAssertEqual(try busyAfterCheckpoint(), 0)
      }
    }
  }

  func testAStoreCanBeDestroyedAndRemovedInABlockThatHasRead() throws {
    try withStore { store, database in
      let coordinator = store.container.persistentStoreCoordinator
      let context = store.container.newBackgroundContext()
      try context.performOnThisThread {
        for _ in 0..<3 { _ = try numbers(context) }
        let read = try XCTUnwrap(try LastingRead.current(of: database)).connection
        try coordinator.remove(try XCTUnwrap(coordinator.persistentStores.first))
        XCTAssertFalse(read.isInTransaction)
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
      }
    }
  }

  func testFaultsOfOneBlockCostAStatementEachAndNoMore() throws {
    try withStore { store, _ in
      let context = store.container.newBackgroundContext()
      try context.performOnThisThread {
        let request = NSFetchRequest<Note>(entityName: "Note")
        request.includesPropertyValues = false
        let notes = try context.fetch(request)
        let before = EngineCounters.read()
        XCTAssertEqual(notes.reduce(0) { $0 + $1.number }, 300 * 299 / 2)
        let after = EngineCounters.read()
        XCTAssertEqual(after.statements - before.statements, 300)
        XCTAssertEqual(after.faultsFired - before.faultsFired, 300)
      }
    }
  }

  //   block                      another context
  //   reads twice, then idles    saves until the log is at its limit: the transaction ends
  //   reads the last commit
  func testABlockThatIdlesDoesNotKeepTheLogFromBeginningAnew() throws {
    try withStore { store, _ in
      let (idle, busy) = (
        store.container.newBackgroundContext(), store.container.newBackgroundContext()
      )
      try idle.performOnThisThread {
        for _ in 0..<2 { _ = try numbers(idle) }
        try busy.performOnThisThread {
          for number in 0..<12 {
            let note = try XCTUnwrap(
              try busy.fetch(NSFetchRequest<Note>(entityName: "Note")).first)
            // Another letter each time: SQLite does not write a page that stays the same.
            let letter = number.isMultiple(of: 2) ? "x" : "y"
            note.title = String(repeating: letter, count: 8 << 20)
            note.number = Int64(number)
            try busy.save()
          }
        }
        XCTAssertEqual(try idle.count(for: NSFetchRequest<Note>(entityName: "Note")), 300)
        XCTAssertTrue(
          try idle.fetch(NSFetchRequest<Note>(entityName: "Note")).contains { $0.number == 11 })
        _ = try numbers(idle)
      }
      let log = try FileManager.default.attributesOfItem(atPath: store.url.path + "-wal")
      let bytes = try XCTUnwrap(log[.size] as? NSNumber).intValue
      XCTAssertLessThan(bytes, 80 << 20, "12 saves of 8 MB each; the limit is 4,000 pages")
    }
  }
}
