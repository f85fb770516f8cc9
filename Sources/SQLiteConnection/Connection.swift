import CSQLite

/// One connection to one SQLite database, with the statements that were prepared on it.
///
/// Used by one thread at a time: it takes no lock of its own (`SQLITE_OPEN_NOMUTEX`), so whoever
/// owns it holds one.
package final class Connection {
  /// How a database is to be opened.
  package struct Options: Sendable {
    /// Whether writing is refused.
    package var readOnly: Bool
    /// How long a statement waits for another connection's lock before it fails with `SQLITE_BUSY`.
    package var busyTimeoutMilliseconds: Int32
    /// Whether a file that is not there is made.
    package var createIfMissing: Bool
    /// The VFS that reaches the file, such as ``FailureInjectingVFS/name``; nil for SQLite's own.
    package var vfsName: String?

    /// Defaults to what a persistent store wants: read, write, create, wait four minutes.
    package init(
      readOnly: Bool = false, busyTimeoutMilliseconds: Int32 = 240_000,
      createIfMissing: Bool = true, vfsName: String? = nil
    ) {
      self.readOnly = readOnly
      self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
      self.createIfMissing = createIfMissing
      self.vfsName = vfsName
    }
  }

  /// The C connection, which statements share.
  let handle: DatabaseHandle
  /// The C connection; nil once it is closed.
  var database: OpaquePointer? { handle.database }
  private var cache = StatementCache()
  private var hasWidenedCache = false
  /// Where the header of the log's index is mapped, for as long as the connection is open.
  var logHeader: UnsafePointer<UInt8>?
  /// What the connection's user keeps with it, by what it is for; goes when the connection does.
  package var kept: [ObjectIdentifier: AnyObject] = [:]

  /// Opens a file, `":memory:"`, or a `file:` URI such as `file:name?mode=memory&cache=shared`.
  ///
  /// SQLite looks into the file at the first statement, so a file that is not a database is
  /// reported by that one, not here.
  package init(path: String, options: Options = .init()) throws(SQLiteError) {
    Self.configureOnce
    if options.vfsName == FailureInjectingVFS.name
      || path.contains("vfs=\(FailureInjectingVFS.name)")
    {
      FailureInjectingVFS.register()
    }
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
    if options.readOnly {
      flags |= SQLITE_OPEN_READONLY
    } else {
      flags |= SQLITE_OPEN_READWRITE | (options.createIfMissing ? SQLITE_OPEN_CREATE : 0)
    }
    var database: OpaquePointer?
    let resultCode = sqlite3_open_v2(path, &database, flags, options.vfsName)
    guard resultCode == SQLITE_OK, let database else {
      let error = SQLiteError(resultCode, on: database, sql: nil)
      sqlite3_close_v2(database)
      throw error
    }
    sqlite3_busy_timeout(database, options.busyTimeoutMilliseconds)
    handle = DatabaseHandle(database)
  }

  /// Reads a database from bytes that ``withSerialized(_:)`` lent; nothing can be written to it.
  package init(reading bytes: [UInt8]) throws(SQLiteError) {
    Self.configureOnce
    var database: OpaquePointer?
    var resultCode = sqlite3_open_v2(
      ":memory:", &database, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE,
      nil)
    let count = bytes.count
    if resultCode == SQLITE_OK, let copy = sqlite3_malloc64(UInt64(max(1, count))) {
      bytes.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(start: copy, count: count).copyMemory(from: $0)
      }
      // Bytes 18 and 19 say that there is a log beside the file, which memory has not.
      if count > 19 { copy.storeBytes(of: 0x0101, toByteOffset: 18, as: UInt16.self) }
      resultCode = sqlite3_deserialize(
        database, "main", copy, sqlite3_int64(count), sqlite3_int64(count),
        UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY))
    } else if resultCode == SQLITE_OK {
      resultCode = SQLITE_NOMEM
    }
    guard resultCode == SQLITE_OK, let database else {
      let error = SQLiteError(resultCode, on: database, sql: nil)
      sqlite3_close_v2(database)
      throw error
    }
    handle = DatabaseHandle(database)
  }

  /// SQLite refuses this once any connection is open, which is harmless: it only costs speed.
  private static let configureOnce: Void = {
    _ = faultline_sqlite3_disable_memory_statistics()
  }()

  deinit {
    close()
  }

  /// Runs the statements of a text one after the other and drops any rows.
  ///
  /// Each is prepared anew; what runs often, `BEGIN` and `COMMIT` included, is cheaper through
  /// ``statement(_:)``.
  package func execute(_ sql: String) throws(SQLiteError) {
    var rest = Substring(sql)
    while !rest.isEmpty {
      let (statement, tail) = try prepare(rest, isKept: false)
      try statement?.run()
      rest = tail
    }
  }

  /// The statement for a text, prepared once and cached, handed out reset and with nothing bound.
  ///
  /// While somebody else still steps through the cached one, a second is prepared and takes its
  /// place, so that two loops over the same query do not disturb each other.
  package func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let cached = cache.reusableStatement(for: sql) {
      cached.clear()
      return cached
    }
    let (prepared, tail) = try prepare(Substring(sql), isKept: true)
    guard let prepared else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "there is no statement", sql: sql)
    }
    guard tail.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
      throw SQLiteError(
        extendedCode: SQLITE_MISUSE, message: "there is more than one statement", sql: sql)
    }
    cache.keep(prepared, for: sql)
    return prepared
  }

  /// How many rows the last `INSERT`, `UPDATE` or `DELETE` changed.
  package var changeCount: Int {
    guard let database = handle.database else { return 0 }
    return Int(sqlite3_changes64(database))
  }

  /// How many times a statement was started here, a failed one and each repeat included.
  package var statementsRun: Int {
    handle.statementsRun
  }

  /// Whether it has not been closed.
  package var isOpen: Bool { handle.database != nil }

  /// Whether a transaction stands open; an error such as `SQLITE_FULL` may have ended it already.
  package var isInTransaction: Bool {
    guard let database = handle.database else { return false }
    return sqlite3_get_autocommit(database) == 0
  }

  /// A number that is another one in a transaction if somebody else has committed since the last,
  /// and after each commit of this connection's own.
  package var dataVersion: UInt32 {
    guard let database = handle.database else { return 0 }
    var version: UInt32 = 0
    sqlite3_file_control(database, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// A number that is another one after each change of a table or an index; does not count among
  /// the statements run.
  package func schemaVersion() throws(SQLiteError) -> Int64 {
    try pragma("main.schema_version") ?? 0
  }

  /// Lets the pages at hand take so many KiB of memory, unless somebody has chosen another limit
  /// than SQLite's own; does not count among the statements run.
  package func widenCache(kibibytes: Int) throws(SQLiteError) {
    if hasWidenedCache { return }
    hasWidenedCache = true
    if try pragma("cache_size") == -2000 { _ = try pragma("cache_size = -\(kibibytes)") }
  }

  /// The number that a pragma answers, if it answers one; does not count among the statements run.
  func pragma(_ words: String) throws(SQLiteError) -> Int64? {
    var prepared: OpaquePointer?
    defer { sqlite3_finalize(prepared) }
    let sql = "PRAGMA \(words)"
    let code = sqlite3_prepare_v2(handle.database, sql, -1, &prepared, nil)
    switch code == SQLITE_OK ? sqlite3_step(prepared) : code {
    case SQLITE_ROW: return sqlite3_column_int64(prepared, 0)
    case SQLITE_DONE: return nil
    default: throw SQLiteError(sqlite3_errcode(handle.database), on: handle.database, sql: sql)
    }
  }

  /// The row id of the last row inserted on this connection.
  package var lastInsertRowID: Int64 {
    guard let database = handle.database else { return 0 }
    return sqlite3_last_insert_rowid(database)
  }

  /// Makes another connection's database a copy of this one.
  package func copy(to other: Connection) throws(SQLiteError) {
    guard let target = other.handle.database, let source = handle.database,
      let backup = sqlite3_backup_init(target, "main", source, "main")
    else { throw SQLiteError(SQLITE_MISUSE, on: other.handle.database, sql: nil) }
    sqlite3_backup_step(backup, -1)
    let resultCode = sqlite3_backup_finish(backup)
    if resultCode != SQLITE_OK { throw SQLiteError(resultCode, on: target, sql: nil) }
  }

  /// Lends the database as the bytes of a file, with what an open transaction has changed.
  package func withSerialized<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
    // SQLite takes the page size before it reads the first page, and a connection that has read
    // nothing yet does not know it.
    _ = try schemaVersion()
    var count: sqlite3_int64 = 0
    guard let database = handle.database,
      let bytes = sqlite3_serialize(database, "main", &count, 0)
    else { throw SQLiteError(SQLITE_NOMEM, on: handle.database, sql: nil) }
    defer { sqlite3_free(bytes) }
    return try body(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  /// Lends the C connection to whoever sets a hook on it, and keeps what the hook is given.
  func watch(keeping watcher: AnyObject, _ body: (OpaquePointer) -> Int32) {
    guard let database = handle.database else { return }
    handle.watcher = watcher
    _ = body(database)
  }

  /// Has each statement fail with `SQLITE_INTERRUPT` after so many instructions of SQLite's virtual
  /// machine, and each value that is longer than so many bytes with `SQLITE_TOOBIG`: a file that
  /// others have written may hold a view without an end.
  package func limit(instructions: Int32, valueBytes: Int32) {
    guard let database = handle.database else { return }
    sqlite3_progress_handler(database, instructions, { _ in 1 }, nil)
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, valueBytes)
  }

  /// Makes the statements that run right now fail with `SQLITE_INTERRUPT`, as soon as they notice.
  ///
  /// The one function that another thread may call, and then only while the owner keeps the
  /// connection from being closed.
  package func interrupt() {
    guard let database = handle.database else { return }
    sqlite3_interrupt(database)
  }

  /// Frees the cached statements and the connection; every statement asked for later is an error.
  package func close() {
    kept = [:]
    cache = StatementCache()
    logHeader = nil
    handle.close()
  }

  /// Prepares the first statement of a text; nil when there is only white space or a comment.
  private func prepare(
    _ sql: Substring, isKept: Bool
  ) throws(SQLiteError) -> (statement: Statement?, tail: Substring) {
    guard let database = handle.database else {
      throw SQLiteError(
        extendedCode: SQLITE_MISUSE, message: "the connection is closed", sql: String(sql))
    }
    var text = sql
    var prepared: OpaquePointer?
    var used = 0
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let resultCode = text.withUTF8 { utf8 -> Int32 in
      utf8.withMemoryRebound(to: CChar.self) { characters in
        var end: UnsafePointer<CChar>?
        let resultCode = sqlite3_prepare_v3(
          database, characters.baseAddress, Int32(characters.count), flags, &prepared, &end)
        if let end, let start = characters.baseAddress { used = end - start }
        return resultCode
      }
    }
    guard resultCode == SQLITE_OK else {
      throw SQLiteError(resultCode, on: database, sql: String(sql))
    }
    let cut = text.utf8.index(text.startIndex, offsetBy: used)
    let own = prepared.map { Statement($0, on: handle, sql: String(text[..<cut])) }
    return (own, text[cut...])
  }
}
