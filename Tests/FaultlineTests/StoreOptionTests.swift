import Faultline
import Foundation
import SQLiteConnection
import TestSupport
import XCTest

/// What the options of a store do to its file (rule C23).
final class StoreOptionTests: XCTestCase {
  private func reopen(
    _ store: TestStore, _ options: [String: NSObject]
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: TestStore.model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: store.url, options: options)
    return coordinator
  }

  private func number(_ sql: String, _ store: TestStore) throws -> Int64 {
    let connection = try Connection(path: store.url.path, options: .init(readOnly: true))
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : 0
  }

  private func filled() throws -> TestStore {
    let store = try TestStore()
    let context = store.container.viewContext
    for number in 0..<300 {
      Note(context: context).title = String(repeating: "\(number) ", count: 500)
    }
    try context.save()
    return store
  }

  func testC23_theAnalyzeOptionRenewsTheStatistics() throws {
    let store = try filled()
    defer { store.remove() }
    let table = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"
    _ = try reopen(store, [:])
    XCTAssertEqual(try number(table, store), 0)
    _ = try reopen(store, [NSSQLiteAnalyzeOption: true as NSNumber])
    XCTAssertEqual(try number(table, store), 1)
  }

  func testC23_theVacuumOptionRewritesTheFileWithoutGaps() throws {
    let store = try filled()
    defer { store.remove() }
    let context = store.container.viewContext
    for note in try context.fetch(NSFetchRequest<Note>(entityName: "Note")) {
      context.delete(note)
    }
    try context.save()
    XCTAssertGreaterThan(try number("PRAGMA freelist_count", store), 0)
    _ = try reopen(store, [NSSQLiteManualVacuumOption: true as NSNumber])
    XCTAssertEqual(try number("PRAGMA freelist_count", store), 0)
  }

  private func size(_ file: URL) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
  }

  /// How long the log was after each of thirty saves of a store opened with these pragmas.
  private func logLengths(_ pragmas: [String: String]) throws -> [Int] {
    let store = try TestStore(pragmas: pragmas)
    defer { store.remove() }
    let log = URL(fileURLWithPath: store.url.path + "-wal")
    let context = store.container.viewContext
    var lengths: [Int] = []
    for _ in 0..<30 {
      Note(context: context).title = "one more"
      try context.save()
      lengths.append(size(log))
    }
    // Whoever finds the files as they are now, after a crash for example, finds every note.
    let copy = store.directory.appendingPathComponent("Copy.sqlite")
    try FileManager.default.copyItem(at: store.url, to: copy)
    if size(log) > 0 {
      try FileManager.default.copyItem(at: log, to: URL(fileURLWithPath: copy.path + "-wal"))
    } else {
      XCTAssertFalse(FileManager.default.fileExists(atPath: store.url.path + "-shm"))
    }
    let notes = NSFetchRequest<Note>(entityName: "Note")
    XCTAssertEqual(try TestStore.open(copy).viewContext.count(for: notes), 30, "\(pragmas)")
    return lengths
  }

  func testSavesThatWaitForTheDiskHaveRoomInTheLog() throws {
    let synced = try logLengths(["synchronous": "FULL"])
    XCTAssertGreaterThan(synced[0], 1 << 20)
    XCTAssertLessThan(Set(synced).count, 4)
    XCTAssertEqual(Set(try logLengths([:])).count, 30)
    XCTAssertEqual(
      Set(try logLengths(["synchronous": "FULL", "journal_mode": "DELETE"])), [0])
  }
}
