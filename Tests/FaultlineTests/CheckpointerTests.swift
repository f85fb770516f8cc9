import Foundation
import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

/// What keeps the write-ahead log short.
final class CheckpointerTests: XCTestCase {
  private var directory = URL(fileURLWithPath: NSTemporaryDirectory())

  override func setUpWithError() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("checkpointer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  override func tearDown() { try? FileManager.default.removeItem(at: directory) }

  private var path: String { directory.appendingPathComponent("Log.sqlite").path }

  private func openWriter() throws -> Connection {
    let writer = try Connection(path: path)
    try writer.execute("PRAGMA page_size = 512; PRAGMA journal_mode = WAL")
    try writer.execute("CREATE TABLE t (x BLOB)")
    writer.stopAutomaticCheckpoints()
    return writer
  }

  /// Makes the log about so many pages longer.
  private func write(_ writer: Connection, pages: Int) throws {
    try writer.execute("INSERT INTO t VALUES (zeroblob(\(pages * 508)))")
  }

  private func makeCheckpointer() -> Checkpointer {
    Checkpointer(label: "test") { [path] in try Connection(path: path) }
  }

  func testAShortLogIsLeftAlone() throws {
    let writer = try openWriter()
    let checkpointer = makeCheckpointer()
    try write(writer, pages: 900)
    checkpointer.committed(on: writer)
    checkpointer.finish()
    try write(writer, pages: 1)
    XCTAssertGreaterThan(writer.logPageCount, 900, "nobody copied it")
  }

  func testALogThatGrewIsCopiedByAJobAndBegunAnew() throws {
    let writer = try openWriter()
    let checkpointer = makeCheckpointer()
    try write(writer, pages: 1100)
    checkpointer.committed(on: writer)
    checkpointer.finish()
    try write(writer, pages: 1)
    XCTAssertLessThan(writer.logPageCount, 100)
  }

  func testASaveCopiesTheLogItselfWhenTheJobsGetNowhere() throws {
    let writer = try openWriter()
    struct NoConnection: Error {}
    let checkpointer = Checkpointer(label: "test") { throw NoConnection() }
    for _ in 0..<4 {
      try write(writer, pages: 1100)
      checkpointer.committed(on: writer)
      checkpointer.finish()
    }
    XCTAssertGreaterThan(writer.logPageCount, 4000)
    try write(writer, pages: 1)
    checkpointer.committed(on: writer)
    try write(writer, pages: 1)
    XCTAssertLessThan(writer.logPageCount, 100)
  }

  func testAStoreWhoseLogIsBeingCopiedLosesNothingWhenItGoesAway() throws {
    let store = try TestStore()
    defer { store.remove() }
    try fill(store.url, notes: 20)
    let reader = try TestStore.open(store.url).viewContext
    XCTAssertEqual(try reader.count(for: NSFetchRequest<Note>(entityName: "Note")), 20)
  }

  /// Saves notes of a megabyte each into a store that is forgotten right after, without a close.
  private func fill(_ url: URL, notes: Int) throws {
    let context = try TestStore.open(url).newBackgroundContext()
    try context.performAndWait {
      let text = String(repeating: "x", count: 1 << 20)
      for _ in 0..<notes { Note(context: context).title = text }
      try context.save()
    }
  }

  func testALogThatAReaderHoldsIsTriedAgainOnlyWhenItIsLonger() throws {
    let writer = try openWriter()
    struct NoConnection: Error {}
    let checkpointer = Checkpointer(label: "test") { throw NoConnection() }
    let reader = try Connection(path: path)
    try reader.execute("BEGIN; SELECT COUNT(*) FROM t")
    var tries = 0
    func commit(pages: Int) throws {
      try write(writer, pages: pages)
      checkpointer.committed(on: writer) { tries += 1 }
      checkpointer.finish()
    }
    try commit(pages: 5000)
    for _ in 0..<20 { try commit(pages: 10) }
    XCTAssertEqual(tries, 2, "for the job, which fails, and for the next save")
    for _ in 0..<20 { try commit(pages: 100) }
    XCTAssertEqual(tries, 6, "2,000 pages later")
    try reader.execute("COMMIT")
    for _ in 0..<20 where writer.logPageCount > 5000 { try commit(pages: 100) }
    XCTAssertLessThan(writer.logPageCount, 200, "now it has succeeded")
  }
}
