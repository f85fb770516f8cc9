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
    let connection = try Self.connection(to: url.path)
    defer { connection.close() }
    return try Self.rows(sql, connection)
  }

  /// A connection that reads a file, which code that is not ours may have written.
  ///
  /// - Throws: `Complaint` when something else is in the place of the file or of its log.
  static func connection(to path: String) throws -> Connection {
    for file in ["", "-wal", "-shm", "-journal"].map({ path + $0 })
    where !LeftFile.isRegular(file) {
      throw Complaint(.input, "\((file as NSString).lastPathComponent) is no file any more.")
    }
    let connection = try Connection(
      path: path, options: .init(readOnly: true, busyTimeoutMilliseconds: 5_000))
    connection.limit(instructions: 50_000_000, valueBytes: 1 << 24)
    return connection
  }

  /// The most text that a query may return, in bytes.
  private static let textBytesMax = 1 << 26

  private static func rows(_ sql: String, _ connection: Connection) throws -> [[String]] {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var rows: [[String]] = []
    var bytes = 0
    while try statement.step() {
      let row = (0..<statement.columnCount).map { column in
        statement.isNull(column) ? "NULL" : statement.text(column)
      }
      bytes += row.reduce(0) { $0 + $1.utf8.count }
      guard bytes <= textBytesMax else {
        throw Complaint(.input, "A query of the store returns more than 64 MB of text.")
      }
      rows.append(row)
    }
    return rows
  }
}
