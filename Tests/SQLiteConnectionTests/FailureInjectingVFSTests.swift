import SQLiteConnection
import XCTest

final class FailureInjectingVFSTests: DatabaseTestCase {
  override func tearDownWithError() throws {
    FailureInjectingVFS.failOperation(nil)
    try super.tearDownWithError()
  }

  /// Opens the database, moves it on by one row in one transaction, and closes it.
  private func addRow(_ path: String, journal: String) throws {
    let options = Connection.Options(
      busyTimeoutMilliseconds: 0, vfsName: FailureInjectingVFS.name)
    let connection = try Connection(path: path, options: options)
    defer { connection.close() }
    try connection.execute("PRAGMA journal_mode = \(journal); PRAGMA synchronous = FULL")
    try connection.execute("CREATE TABLE IF NOT EXISTS thing(value)")
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute("INSERT INTO thing VALUES (1)")
    try connection.execute("COMMIT")
  }

  /// How many rows somebody with a healthy disk finds; nil when the table is not there.
  private func rowsFound(_ path: String) throws -> Int64? {
    let connection = try Connection(path: path)
    XCTAssertEqual(
      try integer("SELECT integrity_check = 'ok' FROM pragma_integrity_check", on: connection), 1)
    guard try integer("SELECT count(*) FROM sqlite_schema", on: connection) == 1 else { return nil }
    return try integer("SELECT count(*) FROM thing", on: connection)
  }

  /// Fails operation 1, 2, 3 … until the body runs clean.
  private func sweep(journal: String, code: Int32, persistently: Bool) throws {
    var number = 0
    var errors = 0
    while true {
      number += 1
      XCTAssertLessThan(number, 500, "the body never runs clean")
      let path = path("\(journal)-\(code)-\(persistently)-\(number).sqlite")
      FailureInjectingVFS.failOperation(number, code: code, persistently: persistently)
      var thrown: SQLiteError?
      do {
        try addRow(path, journal: journal)
      } catch let error as SQLiteError {
        thrown = error
      }
      let failed = FailureInjectingVFS.operationsFailed
      FailureInjectingVFS.failOperation(nil)

      let rows = try rowsFound(path)
      if let thrown {
        errors += 1
        XCTAssertEqual(thrown.code, code, "operation \(number): \(thrown)")
        // An error may come after the commit point, so the row may be there; never a part of it.
        XCTAssertTrue([nil, 0, 1].contains(rows), "\(number): \(String(describing: rows)) rows")
      } else {
        XCTAssertEqual(rows, 1, "operation \(number) failed, nobody was told, and the row is lost")
      }
      if failed == 0 { break }
    }
    XCTAssertGreaterThan(errors, 10)
    XCTAssertGreaterThan(number, 20)
  }

  func testWithARollbackJournalEveryFailureIsToldOrHarmless() throws {
    try sweep(journal: "DELETE", code: 10, persistently: false)
  }

  func testWithAWriteAheadLogEveryFailureIsToldOrHarmless() throws {
    try sweep(journal: "WAL", code: 10, persistently: false)
  }

  func testADiskThatStaysFullIsToldOrHarmless() throws {
    try sweep(journal: "WAL", code: 13, persistently: true)
  }

  func testTheFailureCarriesTheCodeThatWasAskedFor() throws {
    try addRow(path(), journal: "WAL")
    FailureInjectingVFS.failOperation(1, code: 13, among: [.write])
    XCTAssertEqual(try error { try addRow(path(), journal: "WAL") }.code, 13)
    FailureInjectingVFS.failOperation(nil)
    XCTAssertEqual(try rowsFound(path()), 1)
  }

  func testOnlyTheKindsAskedForAreCounted() throws {
    FailureInjectingVFS.failOperation(nil)
    try addRow(path("all.sqlite"), journal: "WAL")
    let all = FailureInjectingVFS.operationsSeen
    FailureInjectingVFS.failOperation(nil, among: [.sync])
    try addRow(path("syncs.sqlite"), journal: "WAL")
    let syncs = FailureInjectingVFS.operationsSeen
    XCTAssertGreaterThan(syncs, 0)
    XCTAssertGreaterThan(all, syncs)
    XCTAssertEqual(FailureInjectingVFS.operationsFailed, 0)
  }

  func testTheVFSCanBeNamedInAURI() throws {
    FailureInjectingVFS.failOperation(1, code: 10, among: [.open])
    let uri = "file:\(path())?vfs=\(FailureInjectingVFS.name)"
    XCTAssertEqual(
      try error { try Connection(path: uri).execute("CREATE TABLE thing(value)") }.code, 10)
    FailureInjectingVFS.failOperation(nil)
    try Connection(path: uri).execute("CREATE TABLE thing(value)")
  }

  func testOtherConnectionsAreLeftAlone() throws {
    FailureInjectingVFS.failOperation(1, persistently: true)
    try Connection(path: path()).execute("CREATE TABLE thing(value)")
    XCTAssertEqual(FailureInjectingVFS.operationsSeen, 0)
  }
}
