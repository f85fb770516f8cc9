import Foundation
import SQLiteConnection

/// How a store's file is opened, made if there is none, and held against the model.
extension Database {
  /// Opens a connection with the pragmas of a store; if files are given, to these and no others.
  static func open(
    _ path: String, _ settings: Settings, amid files: StoreFiles? = nil
  ) throws -> Connection {
    let settings = MemoryConnections.reaching(path, settings)
    if let kept = MemoryConnections.take(path, settings) { return kept }
    try files?.check()
    let connection = try Connection(
      path: path,
      options: .init(
        readOnly: settings.isReadOnly, busyTimeoutMilliseconds: settings.timeoutMilliseconds,
        createIfMissing: files == nil, vfsName: settings.vfsName))
    if let files {
      // Opens the log, so that the look covers it too.
      _ = try connection.schemaVersion()
      try files.check()
    } else {
      StoreFiles.removeOrphans(beside: connection.filePath)
    }
    SQLDebug.watch(connection)
    try PredicateFunctions.define(on: connection)
    if !settings.isReadOnly {
      // Large pages make inserts cheaper; SQLite heeds this before the first table only.
      try connection.execute("PRAGMA page_size = 16384")
      try chooseJournal(connection, settings.isAtomic ? "DELETE" : "WAL")
      try connection.execute("PRAGMA synchronous = NORMAL")
      // SQLite's own default; Debian's writes zeros over whatever is deleted, if nobody asks.
      try connection.execute("PRAGMA secure_delete = OFF")
      connection.stopAutomaticCheckpoints()
    }
    for (name, value) in settings.pragmas.sorted(by: { $0.key < $1.key }) {
      // Names and values of pragmas are words; anything else would be SQL of somebody's own.
      guard (name + value).allSatisfy({ $0.isLetter || $0.isNumber || "_-".contains($0) }) else {
        throw StoreError.pragma(name, value)
      }
      try connection.execute("PRAGMA \(name) = \(value)")
    }
    return connection
  }

  /// Keeps a log, or none beside a file that is read as a whole.
  ///
  /// Where two are about to do so, SQLite fails without waiting; who asks for the file first waits.
  private static func chooseJournal(_ connection: Connection, _ mode: String) throws {
    while true {
      do { return try connection.execute("PRAGMA journal_mode = \(mode)") } catch {
        guard error.isBusy else { throw error }
        try connection.execute("BEGIN EXCLUSIVE; COMMIT")
      }
    }
  }

  /// Says why a store is read only.
  static func warnOfHistory(_ url: URL?) {
    StandardError.write(
      "CoreData: warning: the store at \(url?.path ?? "memory") has a history and was opened "
        + "without NSPersistentHistoryTrackingKey; it is read only.")
  }

  /// Whether the file has a write-ahead log.
  static func hasLog(_ connection: Connection) throws -> Bool {
    let mode = try connection.statement("PRAGMA journal_mode")
    defer { mode.reset() }
    return try mode.step() && mode.text(0).lowercased() == "wal"
  }

  /// Makes the store if there is none.
  static func make(
    _ connection: Connection, schema: Schema, _ settings: Settings, url: URL?
  ) throws {
    if try holdsStore(connection) { return }
    guard !settings.isReadOnly else { throw StoreError.emptyReadOnly(url) }
    try connection.execute("BEGIN IMMEDIATE")
    // Somebody else may have made the store meanwhile.
    if try !holdsStore(connection) { try create(connection, schema, settings) }
    try connection.execute("COMMIT")
  }

  /// Reads what the store says about itself, and stops who has another model.
  static func prepare(
    _ connection: Connection, schema: Schema, _ settings: Settings, url: URL?
  ) throws -> StoreMetadata {
    let metadata = try StoreMetadata.read(connection, url: url)
    try metadata.refuseOtherType(settings.storeType, url: url)
    try maintain(connection, settings)
    if !settings.ignoresVersions { try refuseOtherModel(metadata, schema, connection, url) }
    return metadata
  }

  /// Stops who has another version of the model than the one the store was written with.
  static func refuseOtherModel(
    _ metadata: StoreMetadata, _ schema: Schema, _ connection: Connection, _ url: URL?
  ) throws {
    let isSameVersion = metadata.hashes == schema.hashes
    guard try isSameVersion && schema.hasNumbers(of: connection) else {
      throw OtherModel(
        error: StoreError.otherModel(url, metadata, schema: schema),
        written: metadata.hashes, isSameVersion: isSameVersion,
        isOtherConfiguration: !schema.lacking(of: metadata.hashes).isEmpty)
    }
  }

  private static func holdsStore(_ connection: Connection) throws -> Bool {
    let statement = try connection.statement(
      "SELECT COUNT(*) FROM sqlite_master WHERE name = 'Z_METADATA'")
    defer { statement.reset() }
    return try statement.step() && statement.int64(0) > 0
  }

  private static func create(
    _ connection: Connection, _ schema: Schema, _ settings: Settings
  ) throws {
    var metadata = StoreMetadata(uuid: Scheduling.uuid().uuidString, list: [:])
    metadata.describe(schema, type: settings.storeType)
    for sql in schema.creation + schema.fetchIndexes { try connection.execute(sql) }
    if settings.keepsConstraints {
      for sql in schema.uniqueIndexes { try connection.execute(sql) }
    }
    try metadata.write(connection)
    try schema.cacheModel(on: connection)
  }

  private static func maintain(_ connection: Connection, _ settings: Settings) throws {
    if settings.isReadOnly { return }
    if settings.vacuums { try connection.execute("VACUUM") }
    if settings.analyzes { try connection.execute("ANALYZE") }
  }
}
