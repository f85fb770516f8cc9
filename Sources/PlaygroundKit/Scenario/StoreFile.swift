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

  /// A store whose bytes are `bytes`, which code that is not ours has written.
  ///
  /// - Throws: `Complaint` when they are no database, or one that computes what it holds.
  init(_ url: URL, holding bytes: [UInt8]) throws(Complaint) {
    do {
      self.init(url, through: try Self.limited(Connection(reading: bytes)))
    } catch let error as Complaint {
      throw error
    } catch {
      throw Complaint(.input, "\(url.lastPathComponent) cannot be read: \(error)")
    }
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
  /// - Throws: `Complaint` when something else is in the place of the file or of its log, or when
  ///   the database computes what it holds.
  static func connection(to path: String) throws -> Connection {
    for file in ["", "-wal", "-shm", "-journal"].map({ path + $0 })
    where !LeftFile.isRegular(file) {
      throw Complaint(.input, "\((file as NSString).lastPathComponent) is no file any more.")
    }
    return try limited(
      Connection(path: path, options: .init(readOnly: true, busyTimeoutMilliseconds: 5_000)))
  }

  /// The same connection with limits to what a query takes.
  ///
  /// A limit of instructions is none of time: one of them may compare texts for years, and a view
  /// that sorts fills the disk. So a database may hold tables and indexes, and no table may have a
  /// column that is computed. What it says of itself it may say wrongly, all but the text of a
  /// `CREATE`, which is what SQLite reads.
  private static func limited(_ connection: Connection) throws -> Connection {
    connection.limit(instructions: 50_000_000, valueBytes: 1 << 24)
    let odd = try connection.statement(
      """
      SELECT 1 FROM sqlite_master WHERE sql IS NOT NULL AND (
        substr(sql, 1, 13) NOT IN ('CREATE TABLE ', 'CREATE INDEX ')
          AND substr(sql, 1, 20) <> 'CREATE UNIQUE INDEX '
        OR upper(sql) GLOB '*[^A-Z0-9_]AS[^A-Z0-9_]*')
      """)
    defer { odd.reset() }
    guard try !odd.step() else {
      throw Complaint(.input, "The store holds a view, a trigger or a column that is computed.")
    }
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
