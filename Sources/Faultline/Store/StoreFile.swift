import Foundation
import SQLiteConnection

/// The legal ways to copy or empty a store's file while somebody may have it open.
///
/// Everything happens in one transaction of SQLite's, so other connections see all of it or
/// nothing, and what still lies in a write-ahead log is part of it.
enum StoreFile {
  /// Takes everything out of a store; the file stays, as one that no store has been made in, unless
  /// it is damaged or no database at all.
  static func empty(_ url: URL) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    do {
      try change(url) { try dropTables($0) }
    } catch let error as CocoaError {
      let cause = error.userInfo[NSUnderlyingErrorKey] as? SQLiteError
      guard cause?.isDamage == true else { throw error }
      // Nobody can use what is in it, and who has it open loses nothing.
      remove(url)
    }
  }

  /// Puts in a store's place, or into a new file, what another store holds.
  static func replace(
    _ url: URL, with source: URL, _ pragmas: [String: String] = [:]
  ) throws {
    // SQLite would make a source that is not there, and what is empty would be copied as it is.
    try metadata(source).refuseOtherType(NSSQLiteStoreType, url: source)
    try change(url, pragmas, attaching: source) { connection in
      try dropTables(connection)
      let all = try texts(
        connection,
        "SELECT name, sql FROM source.sqlite_master WHERE sql IS NOT NULL "
          + "AND name NOT LIKE 'sqlite_%' ORDER BY type = 'index'")
      let tables = try texts(
        connection,
        "SELECT name, '' FROM source.sqlite_master WHERE type = 'table' "
          + "AND name NOT LIKE 'sqlite_%'")
      for (_, sql) in all { try connection.execute(sql) }
      for (name, _) in tables {
        try connection.execute("INSERT INTO main.\"\(name)\" SELECT * FROM source.\"\(name)\"")
      }
    }
  }

  /// What the store in a file says about itself.
  static func metadata(_ url: URL) throws -> StoreMetadata {
    guard FileManager.default.fileExists(atPath: url.path) else { throw StoreError.noFile(url) }
    do {
      let connection = try Database.open(url.path, .init(isReadOnly: true))
      defer { connection.close() }
      let tables = try texts(
        connection, "SELECT name, '' FROM sqlite_master WHERE name = 'Z_METADATA'")
      guard !tables.isEmpty else { throw StoreError.noMetadata(url) }
      return try StoreMetadata.read(connection, url: url)
    } catch let error as SQLiteError {
      throw StoreError.opening(error, url: url)
    }
  }

  /// The UUID of the store in a file, with what is in its log or without.
  ///
  /// - Throws: `SQLiteError` if there is no store in it.
  static func uuid(_ url: URL, besideLog: Bool) throws -> String? {
    let connection =
      if besideLog {
        try Database.open(url.path, .init(isReadOnly: true))
      } else {
        // Opened so, SQLite neither looks for a log nor makes one.
        try Connection(path: url.absoluteString + "?immutable=1", options: .init(readOnly: true))
      }
    defer { connection.close() }
    let statement = try connection.statement("SELECT Z_UUID FROM Z_METADATA")
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// Whether two URLs lead to one file, by whatever links.
  static func isSame(_ one: URL, _ other: URL) -> Bool {
    if one.resolvedFile == other.resolvedFile { return true }
    guard let file = FileStamp(at: one.path), let second = FileStamp(at: other.path) else {
      return false
    }
    return file.isSameFile(as: second)
  }

  /// Removes a store's files, whoever has them open.
  static func remove(_ url: URL) {
    for end in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + end)
    }
  }

  /// Changes the database in a file, a SQLite store's if nothing else is said, in one transaction.
  static func change(
    _ url: URL, ofType type: String = NSSQLiteStoreType, _ pragmas: [String: String] = [:],
    attaching source: URL? = nil, _ body: (Connection) throws -> Void
  ) throws {
    do {
      let connection = try Database.open(url.path, .init(pragmas: pragmas, storeType: type))
      defer { connection.close() }
      if let source {
        let attach = try connection.statement("ATTACH DATABASE ? AS source")
        try attach.bind(source.path, at: 1)
        try attach.run()
      }
      try connection.execute("BEGIN IMMEDIATE")
      do {
        try body(connection)
        try connection.execute("COMMIT")
      } catch {
        try? connection.execute("ROLLBACK")
        throw error
      }
    } catch let error as SQLiteError {
      throw StoreError.operation(error, url: url)
    }
  }

  private static func dropTables(_ connection: Connection) throws {
    let tables = try texts(
      connection,
      "SELECT name, '' FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for (name, _) in tables { try connection.execute("DROP TABLE main.\"\(name)\"") }
  }

  private static func texts(_ connection: Connection, _ sql: String) throws -> [(String, String)] {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var rows: [(String, String)] = []
    while try statement.step() { rows.append((statement.text(0), statement.text(1))) }
    return rows
  }
}

extension URL {
  /// The URL by which a file is told from others: without symbolic links and dots.
  var resolvedFile: URL { resolvingSymlinksInPath().standardizedFileURL }
}
