import Foundation
import SQLiteConnection
import XCTest

final class ConnectionTests: DatabaseTestCase {
  func testOneTextIsPreparedOnceAndHandedOutEmpty() throws {
    let connection = try Connection(path: ":memory:")
    let first = try connection.statement("SELECT ?")
    try first.bind(Int64(5), at: 1)
    XCTAssertTrue(try first.step())
    first.reset()
    let second = try connection.statement("SELECT ?")
    XCTAssertTrue(first === second)
    XCTAssertTrue(try second.step())
    XCTAssertTrue(second.isNull(0))
  }

  func testTwoLoopsOverOneQueryDoNotDisturbEachOther() throws {
    let connection = try Connection(path: ":memory:")
    let numbers = "SELECT value FROM (SELECT 1 AS value UNION ALL SELECT 2)"
    var pairs: [String] = []
    let outer = try connection.statement(numbers)
    while try outer.step() {
      let inner = try connection.statement(numbers)
      while try inner.step() { pairs.append("\(outer.int64(0))\(inner.int64(0))") }
    }
    XCTAssertEqual(pairs, ["11", "12", "21", "22"])
  }

  func testAFunctionOfOursGetsAndGivesEveryKindOfValue() throws {
    let connection = try Connection(path: ":memory:")
    try connection.define("last", argumentCount: -1) { $0.last ?? .null }
    let statement = try connection.statement(
      "SELECT typeof(last(1)), last(1, 2.5), last('é'), last(x'00ff'), last(NULL) IS NULL, last()")
    XCTAssertTrue(try statement.step())
    XCTAssertEqual(statement.text(0), "integer")
    XCTAssertEqual(statement.double(1), 2.5)
    XCTAssertEqual(statement.text(2), "é")
    XCTAssertEqual(statement.withBlob(3) { Array($0) }, [0, 255])
    XCTAssertEqual(statement.int64(4), 1)
    XCTAssertTrue(statement.isNull(5))
    statement.reset()
    XCTAssertThrowsError(
      try connection.define(String(repeating: "n", count: 999), argumentCount: 0) { _ in .null })
  }

  func testTheDataVersionTellsAForeignCommitFromOnesOwn() throws {
    let one = try Connection(path: path())
    try one.execute("PRAGMA journal_mode = WAL; CREATE TABLE thing(value)")
    let other = try Connection(path: path())
    func versionInTransaction() throws -> UInt32 {
      try one.execute("BEGIN IMMEDIATE")
      defer { try? one.execute("ROLLBACK") }
      return one.dataVersion
    }
    try one.execute("INSERT INTO thing VALUES (1)")
    let own = one.dataVersion
    XCTAssertEqual(try versionInTransaction(), own)
    try other.execute("INSERT INTO thing VALUES (2)")
    XCTAssertNotEqual(try versionInTransaction(), own)
  }

  func testAStatementLeftHalfWayIsUsedAgain() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE thing(value); INSERT INTO thing VALUES (1), (2)")
    XCTAssertTrue(try connection.statement("SELECT value FROM thing").step())
    // The half-read query would forbid this: SQLite answers that the table is locked.
    _ = try connection.statement("SELECT value FROM thing")
    try connection.execute("DROP TABLE thing")
  }

  func testAStatementThatFellOutOfTheCacheStillWorks() throws {
    let connection = try Connection(path: ":memory:")
    let early = try connection.statement("SELECT 'early'")
    for number in 0..<300 {
      let statement = try connection.statement("SELECT \(number)")
      XCTAssertTrue(try statement.step())
      XCTAssertEqual(statement.int64(0), Int64(number))
      statement.reset()
    }
    XCTAssertFalse(try connection.statement("SELECT 'early'") === early)
    XCTAssertTrue(try early.step())
    XCTAssertEqual(early.text(0), "early")
  }

  func testExecuteRunsEveryStatementOfAText() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      "CREATE TABLE thing(value); -- a remark\n INSERT INTO thing VALUES ('ä;'), (2);\n;  ")
    XCTAssertEqual(connection.changeCount, 2)
    XCTAssertEqual(connection.lastInsertRowID, 2)
    XCTAssertEqual(try integer("SELECT count(*) FROM thing", on: connection), 2)
  }

  func testStatementsAreCountedWhenTheyStart() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE thing(value); BEGIN; COMMIT")
    XCTAssertEqual(connection.statementsRun, 3)
    let insert = try connection.statement("INSERT INTO thing VALUES (?)")
    for value in 0..<10 as Range<Int64> {
      try insert.bind(value, at: 1)
      try insert.run()
    }
    XCTAssertEqual(connection.statementsRun, 13)
    let select = try connection.statement("SELECT value FROM thing")
    while try select.step() {}
    XCTAssertEqual(connection.statementsRun, 14)
  }

  func testATransactionIsSeenWhileItIsOpen() throws {
    let connection = try Connection(path: ":memory:")
    XCTAssertFalse(connection.isInTransaction)
    try connection.execute("BEGIN")
    XCTAssertTrue(connection.isInTransaction)
    try connection.execute("ROLLBACK")
    XCTAssertFalse(connection.isInTransaction)
  }

  func testAskingForNoStatementOrTwoIsAnError() throws {
    let connection = try Connection(path: ":memory:")
    XCTAssertEqual(try error { _ = try connection.statement(" -- nothing") }.code, 21)
    XCTAssertEqual(try error { _ = try connection.statement("SELECT 1; SELECT 2") }.code, 21)
    XCTAssertTrue(try connection.statement("SELECT 1 ; ").step())
  }

  func testTheCacheIsWidenedUnlessSomebodyChoseItsSize() throws {
    for (chosen, expected) in [(nil, -8000), (-10, -10), (10, 10)] as [(Int?, Int64)] {
      let connection = try Connection(path: ":memory:")
      if let chosen { try connection.execute("PRAGMA cache_size = \(chosen)") }
      let before = connection.statementsRun
      try connection.widenCache(kibibytes: 8000)
      try connection.widenCache(kibibytes: 9000)
      XCTAssertEqual(connection.statementsRun, before)
      let size = try connection.statement("PRAGMA cache_size")
      XCTAssertTrue(try size.step())
      XCTAssertEqual(size.int64(0), expected)
    }
  }

  func testAClosedConnectionRefusesEverything() throws {
    let connection = try Connection(path: ":memory:")
    connection.close()
    connection.close()
    XCTAssertEqual(try error { _ = try connection.statement("SELECT 1") }.code, 21)
    XCTAssertEqual(try error { try connection.execute("SELECT 1") }.code, 21)
    XCTAssertFalse(connection.isInTransaction)
    XCTAssertEqual(connection.changeCount, 0)
    connection.interrupt()
  }

  func testConnectionsToOneSharedMemoryDatabaseSeeTheSameRows() throws {
    for uri in ["file:\(UUID())?mode=memory&cache=shared", "file:/\(UUID())?vfs=memdb"] {
      let one = try Connection(path: uri)
      let two = try Connection(path: uri)
      try one.execute("CREATE TABLE thing(value); INSERT INTO thing VALUES (3)")
      XCTAssertEqual(try integer("SELECT value FROM thing", on: two), 3)
    }
  }

  func testAReadOnlyConnectionReadsAndRefusesToWrite() throws {
    try Connection(path: path()).execute("CREATE TABLE thing(value)")
    let reader = try Connection(path: path(), options: .init(readOnly: true))
    XCTAssertEqual(try integer("SELECT count(*) FROM thing", on: reader), 0)
    XCTAssertEqual(try error { try reader.execute("INSERT INTO thing VALUES (1)") }.code, 8)
  }

  func testAFileThatIsNotThereIsMadeOnlyWhenWanted() throws {
    let options = Connection.Options(createIfMissing: false)
    XCTAssertEqual(try error { _ = try Connection(path: path(), options: options) }.code, 14)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path()))
  }

  func testAFileThatIsNoDatabaseIsNamedSo() throws {
    try Data(repeating: 65, count: 4096).write(to: URL(fileURLWithPath: path()))
    let connection = try Connection(path: path())
    let error = try error { _ = try connection.statement("SELECT * FROM sqlite_schema").step() }
    XCTAssertEqual(error.code, 26)
    XCTAssertEqual(error.message, "file is not a database")
  }

  func testAWriterThatWaitsInVainIsToldTheDatabaseIsBusy() throws {
    let one = try Connection(path: path())
    try one.execute("PRAGMA journal_mode = WAL; CREATE TABLE thing(value); BEGIN IMMEDIATE")
    let two = try Connection(path: path(), options: .init(busyTimeoutMilliseconds: 1))
    XCTAssertEqual(try error { try two.execute("BEGIN IMMEDIATE") }.code, 5)
    try one.execute("COMMIT")
    try two.execute("BEGIN IMMEDIATE; COMMIT")
  }

  func testAnInterruptEndsAQueryThatNeverWould() throws {
    let connection = try Connection(path: ":memory:")
    let endless = try connection.statement(
      "WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up) SELECT n FROM up")
    XCTAssertTrue(try endless.step())
    connection.interrupt()
    XCTAssertEqual(try error { while try endless.step() {} }.code, 9)
    XCTAssertEqual(try integer("SELECT 1", on: connection), 1)
  }
}

final class SQLiteErrorTests: DatabaseTestCase {
  func testAnErrorShowsTheStatementAndNoBoundValue() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE person(name TEXT UNIQUE)")
    let sql = "INSERT INTO person VALUES (?)"
    let insert = try connection.statement(sql)
    try insert.bind("very secret", at: 1)
    try insert.run()
    let error = try error { try insert.run() }
    XCTAssertEqual(error.code, 19)
    XCTAssertEqual(error.extendedCode, 2067)
    XCTAssertEqual(error.message, "UNIQUE constraint failed: person.name")
    XCTAssertEqual(error.sql, sql)
    XCTAssertTrue("\(error)".contains(sql))
    XCTAssertFalse("\(error)".contains("secret"))
    XCTAssertFalse(String(reflecting: error).contains("secret"))
  }

  func testAfterAnErrorTheStatementCanRunAgain() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE person(name TEXT NOT NULL)")
    let insert = try connection.statement("INSERT INTO person VALUES (?)")
    XCTAssertEqual(try error { try insert.run() }.extendedCode, 1299)
    try insert.bind("Ada", at: 1)
    try insert.run()
    XCTAssertEqual(connection.changeCount, 1)
  }

  func testTextThatIsNoSQLIsNamedWithItsText() throws {
    let connection = try Connection(path: ":memory:")
    let error = try error { try connection.execute("CREATE TABLE a(b); SELEKT 1") }
    XCTAssertEqual(error.code, 1)
    XCTAssertEqual(error.message, "near \"SELEKT\": syntax error")
    XCTAssertEqual(error.sql, " SELEKT 1")
  }

  func testAPlaceWhereNoFileCanBeIsAnError() throws {
    let error = try error { _ = try Connection(path: path("missing/folder.sqlite")) }
    XCTAssertEqual(error.code, 14)
    XCTAssertNil(error.sql)
  }
}
