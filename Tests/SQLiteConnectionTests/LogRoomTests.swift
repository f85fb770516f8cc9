import Foundation
import SQLiteConnection
import XCTest

/// The zeros behind the end of a write-ahead log.
final class LogRoomTests: DatabaseTestCase {
  override func tearDownWithError() throws {
    FailureInjectingVFS.failOperation(nil)
    try super.tearDownWithError()
  }

  private func open(vfs: String? = nil) throws -> Connection {
    let connection = try Connection(path: path(), options: .init(vfsName: vfs))
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    try connection.execute("CREATE TABLE IF NOT EXISTS thing(value)")
    connection.stopAutomaticCheckpoints()
    return connection
  }

  private func insert(_ value: Int, on connection: Connection, hasRoom: Bool = true) throws {
    try connection.execute("BEGIN IMMEDIATE")
    if hasRoom { connection.makeLogRoom() }
    try connection.execute("INSERT INTO thing VALUES (\(value)); COMMIT")
  }

  private func log() throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path() + "-wal"))
  }

  /// What somebody finds who has the files as they are now, but not the log's index.
  private func valuesAfterCrash() throws -> [Int64] {
    let copy = path("copy-\(UUID().uuidString).sqlite")
    for end in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path() + end, toPath: copy + end)
    }
    let connection = try Connection(path: copy)
    XCTAssertEqual(
      try integer("SELECT integrity_check = 'ok' FROM pragma_integrity_check", on: connection), 1)
    let statement = try connection.statement("SELECT value FROM thing ORDER BY value")
    var values: [Int64] = []
    while try statement.step() { values.append(statement.int64(0)) }
    // It can be written, too.
    try connection.execute("DELETE FROM thing")
    XCTAssertEqual(try integer("SELECT COUNT(*) FROM thing", on: connection), 0)
    return values
  }

  func testCommitsGoIntoTheRoomUntilLittleIsLeft() throws {
    let connection = try open()
    XCTAssertTrue(try connection.syncsCommits())
    try insert(0, on: connection)
    let first = try log().count
    XCTAssertGreaterThan(first, 1 << 20)
    var lengths: Set<Int> = []
    for value in 1..<400 {
      try insert(value, on: connection)
      lengths.insert(try log().count)
    }
    XCTAssertEqual(lengths, [first, first + (1 << 20)])
    XCTAssertEqual(try valuesAfterCrash(), (0..<400).map(Int64.init))
  }

  func testRoomIsMadeBehindWhatOthersCommitted() throws {
    let one = try open()
    let other = try open()
    for round in 0..<300 {
      try insert(3 * round, on: one)
      try insert(3 * round + 1, on: other, hasRoom: false)
      let before = try log()
      try one.execute("BEGIN IMMEDIATE")
      one.makeLogRoom()
      try one.execute("ROLLBACK")
      XCTAssertEqual(try log().prefix(before.count), before, "round \(round)")
      try insert(3 * round + 2, on: other)
    }
    XCTAssertEqual(try valuesAfterCrash(), (0..<900).map(Int64.init))
  }

  func testALogThatBeginsAnewHasItsRoomAlready() throws {
    let connection = try open()
    for value in 0..<20 { try insert(value, on: connection) }
    let length = try log().count
    try connection.checkpoint()
    for value in 20..<40 { try insert(value, on: connection) }
    XCTAssertLessThan(connection.logPageCount, 25, "it began anew")
    XCTAssertEqual(try log().count, length)
    XCTAssertEqual(try valuesAfterCrash(), (0..<40).map(Int64.init))
  }

  func testACommitGoesOnWhereTheDiskRefusesTheRoom() throws {
    for number in 1...16 {
      let connection = try open(vfs: FailureInjectingVFS.name)
      try connection.execute("DELETE FROM thing; PRAGMA wal_checkpoint(TRUNCATE)")
      try connection.execute("INSERT INTO thing VALUES (-1); BEGIN IMMEDIATE")
      FailureInjectingVFS.failOperation(number, among: [.write])
      connection.makeLogRoom()
      XCTAssertEqual(FailureInjectingVFS.operationsFailed, 1, "write \(number)")
      FailureInjectingVFS.failOperation(nil)
      try connection.execute("INSERT INTO thing VALUES (\(number)); COMMIT")
      XCTAssertEqual(try valuesAfterCrash(), [-1, Int64(number)])
    }
  }
}
