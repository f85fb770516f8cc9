import SQLiteConnection
import XCTest

final class StatementTests: DatabaseTestCase {
  private var connection: Connection!

  override func setUpWithError() throws {
    try super.setUpWithError()
    connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE thing(key INTEGER PRIMARY KEY, value)")
  }

  override func tearDownWithError() throws {
    connection = nil
    try super.tearDownWithError()
  }

  /// Stores one value and hands back the statement that stands on its row.
  private func roundTrip(_ bind: (Statement) throws -> Void) throws -> Statement {
    try connection.execute("DELETE FROM thing")
    let insert = try connection.statement("INSERT INTO thing(value) VALUES (?)")
    try bind(insert)
    try insert.run()
    let select = try connection.statement("SELECT value FROM thing")
    XCTAssertTrue(try select.step())
    return select
  }

  func testIntegersOfEverySizeComeBackAsTheyWere() throws {
    for value in [0, 1, -1, 127, 1 << 40, Int64.max, Int64.min] {
      let row = try roundTrip { try $0.bind(value, at: 1) }
      XCTAssertEqual(row.columnType(0), .integer)
      XCTAssertEqual(row.int64(0), value)
    }
  }

  func testFloatingPointNumbersComeBackBitForBit() throws {
    for value in [0.1, -2.5e300, .leastNonzeroMagnitude, .infinity, -.infinity] as [Double] {
      let row = try roundTrip { try $0.bind(value, at: 1) }
      XCTAssertEqual(row.columnType(0), .float)
      XCTAssertEqual(row.double(0).bitPattern, value.bitPattern)
    }
  }

  func testNotANumberIsStoredAsNull() throws {
    XCTAssertTrue(try roundTrip { try $0.bind(Double.nan, at: 1) }.isNull(0))
  }

  func testTextComesBackWhateverItsLengthAndLetters() throws {
    let long = String(repeating: "long ", count: 40_000)
    for value in ["", "a", "fifteen letters", "Ärger 🧵 \u{0} after zero", long] {
      let row = try roundTrip { try $0.bind(value, at: 1) }
      XCTAssertEqual(row.columnType(0), .text)
      XCTAssertFalse(row.isNull(0))
      XCTAssertEqual(row.text(0), value)
    }
  }

  func testTextBoundAsBytesIsTextToo() throws {
    let row = try roundTrip { statement in
      try Array("für".utf8).withUnsafeBytes { try statement.bindText(utf8: $0, at: 1) }
    }
    XCTAssertEqual(row.columnType(0), .text)
    XCTAssertEqual(row.text(0), "für")
  }

  func testBlobsComeBackAndAnEmptyOneIsNotNull() throws {
    for value in [[], [0], [255, 0, 1], Array(repeating: 7, count: 200_000)] as [[UInt8]] {
      let row = try roundTrip { statement in
        try value.withUnsafeBytes { try statement.bind($0, at: 1) }
      }
      XCTAssertEqual(row.columnType(0), .blob)
      XCTAssertEqual(row.withBlob(0) { Array($0) }, value)
    }
  }

  func testBytesThatAreNowhereAreAnEmptyBlob() throws {
    let nowhere = UnsafeRawBufferPointer(start: nil, count: 0)
    XCTAssertEqual(try roundTrip { try $0.bind(nowhere, at: 1) }.columnType(0), .blob)
  }

  func testNullReadsAsNothingOfEveryKind() throws {
    let row = try roundTrip { try $0.bindNull(at: 1) }
    XCTAssertTrue(row.isNull(0))
    XCTAssertEqual(row.columnType(0), .null)
    XCTAssertEqual(row.int64(0), 0)
    XCTAssertEqual(row.double(0), 0)
    XCTAssertEqual(row.text(0), "")
    XCTAssertEqual(row.withBlob(0) { $0.count }, 0)
  }

  func testANumberReadAsTextIsItsDigits() throws {
    XCTAssertEqual(try roundTrip { try $0.bind(Int64(-42), at: 1) }.text(0), "-42")
  }

  func testTextThatIsNotUnicodeIsRepaired() throws {
    let statement = try connection.statement("SELECT CAST(X'6180' AS TEXT)")
    XCTAssertTrue(try statement.step())
    XCTAssertEqual(statement.text(0), "a\u{FFFD}")
  }

  func testWhatWasBoundStaysBoundFromRunToRun() throws {
    try connection.execute("CREATE TABLE pair(a, b)")
    let insert = try connection.statement("INSERT INTO pair VALUES (?, ?)")
    try insert.bind("stays", at: 1)
    for number in 1...3 {
      try insert.bind(String(repeating: "x", count: number * 100), at: 2)
      try insert.run()
    }
    let select = try connection.statement("SELECT a, length(b) FROM pair ORDER BY rowid")
    var rows: [String] = []
    while try select.step() { rows.append("\(select.text(0)) \(select.int64(1))") }
    XCTAssertEqual(rows, ["stays 100", "stays 200", "stays 300"])
  }

  func testBindingWhileRowsAreReadIsRefusedAndDoesNotTouchThem() throws {
    let select = try connection.statement("SELECT ?1 UNION ALL SELECT ?1")
    try select.bind("first", at: 1)
    XCTAssertTrue(try select.step())
    XCTAssertEqual(try error { try select.bind("other", at: 1) }.code, 21)
    XCTAssertEqual(try error { try select.bind(Int64(1), at: 1) }.code, 21)
    XCTAssertTrue(try select.step())
    XCTAssertEqual(select.text(0), "first")
  }

  func testBindingOutOfRangeIsAnError() throws {
    let insert = try connection.statement("INSERT INTO thing(value) VALUES (?)")
    XCTAssertEqual(try error { try insert.bind("a", at: 2) }.code, 25)
    XCTAssertEqual(try error { try insert.bind("a", at: 0) }.code, 25)
    XCTAssertEqual(try error { try insert.bind(Int64(1), at: 2) }.code, 25)
  }

  func testColumnsAreCountedAndNamed() throws {
    let select = try connection.statement("SELECT key, value AS worth FROM thing")
    XCTAssertEqual(select.columnCount, 2)
    XCTAssertEqual(select.columnName(1), "worth")
    XCTAssertEqual(try connection.statement("DELETE FROM thing").columnCount, 0)
  }

  func testAStatementOutlivesItsConnection() throws {
    let select = try connection.statement("SELECT 7")
    connection.close()
    connection = nil
    XCTAssertTrue(try select.step())
    XCTAssertEqual(select.int64(0), 7)
  }
}
