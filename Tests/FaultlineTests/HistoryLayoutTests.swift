import Foundation
import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

/// How a history lies in the file, and what becomes of it when the disk fails.
final class HistoryLayoutTests: XCTestCase {
  /// The rows of a query, each as its columns' texts joined by bars; nothing stands for NULL.
  private func rows(_ sql: String, _ url: URL) throws -> [String] {
    let connection = try Connection(path: url.path, options: .init(readOnly: true))
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.isNull($0) ? "" : statement.text($0) }
          .joined(separator: "|"))
    }
    return rows
  }

  private func columns(_ table: String, _ url: URL) throws -> [String] {
    try rows("SELECT name || ' ' || type FROM pragma_table_info('\(table)')", url)
  }

  func testAHistoryLiesInCoreDatasTables() throws {
    let store = try TestStore(history: true)
    defer { store.remove() }
    XCTAssertEqual(
      try columns("ATRANSACTION", store.url),
      [
        "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZAUTHORTS INTEGER",
        "ZBUNDLEIDTS INTEGER", "ZCONTEXTNAMETS INTEGER", "ZPROCESSIDTS INTEGER", "ZTIMESTAMP FLOAT",
        "ZAUTHOR VARCHAR", "ZBUNDLEID VARCHAR", "ZCONTEXTNAME VARCHAR", "ZPROCESSID VARCHAR",
        "ZQUERYGEN BLOB",
      ])
    XCTAssertEqual(
      try columns("ACHANGE", store.url),
      [
        "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZCHANGETYPE INTEGER", "ZENTITY INTEGER",
        "ZENTITYPK INTEGER", "ZTRANSACTIONID INTEGER", "ZCOLUMNS BLOB",
      ], "no attribute of the model is preserved, so there is no column for one")
    XCTAssertEqual(
      try columns("ATRANSACTIONSTRING", store.url),
      ["Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZNAME VARCHAR"])
    XCTAssertEqual(
      try rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT > 16000", store.url),
      ["16001|CHANGE|0", "16002|TRANSACTION|0", "16003|TRANSACTIONSTRING|0"])
  }

  func testEveryChangeIsARowThatNamesEntityKeyAndPropertiesAndNamesAreKeptOnce() throws {
    let store = try TestStore(history: true)
    defer { store.remove() }
    let context = store.container.newBackgroundContext()
    try context.performOnThisThread {
      context.transactionAuthor = "author"
      let note = Note(context: context)
      try context.save()
      (note.title, note.number) = ("title", 7)
      try context.save()
      context.delete(note)
      try context.save()
    }
    // The properties in order of name are date, folder, number, title.
    XCTAssertEqual(
      try rows(
        "SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, HEX(ZCOLUMNS) "
          + "FROM ACHANGE", store.url),
      ["1|16001||0|2|1|1|", "2|16001||1|2|1|2|30", "3|16001||2|2|1|3|"])
    XCTAssertEqual(
      try rows("SELECT Z_PK, ZAUTHORTS, ZCONTEXTNAMETS, ZAUTHOR FROM ATRANSACTION", store.url),
      ["1|1||", "2|1||", "3|1||"])
    XCTAssertEqual(
      try rows("SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = 1", store.url), ["author"])
    XCTAssertEqual(try rows("SELECT COUNT(*) FROM ATRANSACTIONSTRING", store.url), ["2"])
    XCTAssertEqual(
      try rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000", store.url), ["3", "3", "2"])
  }

  func testAStoreWithoutHistoryHasNoneOfItsTables() throws {
    let store = try TestStore()
    defer { store.remove() }
    XCTAssertEqual(
      try rows("SELECT name FROM sqlite_master WHERE name LIKE 'A%'", store.url), [])
  }

  /// Makes the 1st, 2nd, 3rd … operation of the disk fail during one save until it runs clean.
  ///
  /// Allowed at each: the rows and their transaction are there, or neither is.
  func testRowsAndTheirTransactionAreWrittenTogetherOrNotAtAll() throws {
    var number = 1
    var failures = 0
    while number < 500 {
      let store = try TestStore(vfs: FailureInjectingVFS.name, history: true)
      defer { store.remove() }
      let context = store.container.newBackgroundContext()
      let isClean = context.performOnThisThread {
        for _ in 0..<20 { _ = Note(context: context) }
        FailureInjectingVFS.failOperation(number, among: [.read, .write, .sync, .lock])
        return (try? context.save()) != nil && FailureInjectingVFS.operationsFailed == 0
      }
      FailureInjectingVFS.failOperation(nil)
      let stored = try rows(
        "SELECT (SELECT COUNT(*) FROM ZNOTE), (SELECT COUNT(*) FROM ACHANGE), "
          + "(SELECT COUNT(*) FROM ATRANSACTION), "
          + "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001)", store.url)
      XCTAssertTrue([["0|0|0|0"], ["20|20|1|20"]].contains(stored), "\(number): \(stored)")
      if isClean { break }
      failures += 1
      number += 1
    }
    XCTAssertGreaterThan(failures, 3)
    XCTAssertLessThan(number, 500, "the save never ran clean")
  }
}
