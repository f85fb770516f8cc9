import Foundation
import SQLiteConnection
import XCTest

/// A test with a folder of its own for database files.
class DatabaseTestCase: XCTestCase {
  private(set) var folder = URL(fileURLWithPath: "/")

  override func setUpWithError() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("SQLiteConnectionTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws {
    try FileManager.default.removeItem(at: folder)
  }

  /// Where a database file of this test lies.
  func path(_ name: String = "test.sqlite") -> String {
    folder.appendingPathComponent(name).path
  }

  /// The error a body must throw.
  func error(
    line: UInt = #line, thrownBy body: () throws -> Void
  ) throws -> SQLiteError {
    do {
      try body()
    } catch let error as SQLiteError {
      return error
    }
    XCTFail("nothing was thrown", line: line)
    throw CocoaError(.featureUnsupported)
  }

  /// The first column of the first row, as an integer.
  func integer(_ sql: String, on connection: Connection) throws -> Int64? {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : nil
  }
}
