import Foundation
import SQLiteConnection

/// A store file, read as another process would read it: through a connection of its own, without
/// the engine.
struct StoreFile {
  /// Where it is.
  let url: URL
  /// An open connection to it; used by the thread that runs, where one runs at a time.
  private nonisolated(unsafe) let connection: Connection?

  init(_ url: URL, through connection: Connection? = nil) {
    self.url = url
    self.connection = connection
  }

  /// Writes the whole database to a file.
  func write(to url: URL) throws {
    if let connection { return try connection.writeSerialized(to: url) }
    try FileManager.default.copyItem(at: self.url, to: url)
  }

  /// How many rows of an entity the file holds.
  func rows(of entity: String) throws -> Int {
    let rows = try query("SELECT count(*) FROM \"Z\(entity.uppercased())\"")
    return rows.first?.first.flatMap { Int($0) } ?? 0
  }

  /// The rows a query returns, each column as text, NULL as `NULL`.
  func query(_ sql: String) throws -> [[String]] {
    if let connection { return try Self.rows(sql, connection) }
    let connection = try Connection(
      path: url.path,
      options: .init(readOnly: true, busyTimeoutMilliseconds: 5_000))
    defer { connection.close() }
    return try Self.rows(sql, connection)
  }

  private static func rows(_ sql: String, _ connection: Connection) throws -> [[String]] {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var rows: [[String]] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { column in
          statement.isNull(column) ? "NULL" : statement.text(column)
        })
    }
    return rows
  }
}
