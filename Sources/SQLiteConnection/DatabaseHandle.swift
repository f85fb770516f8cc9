import CSQLite

/// The C connection itself, shared by a ``Connection`` and every ``Statement`` prepared on it, so
/// that it is freed only after the last of them.
@usableFromInline
final class DatabaseHandle {
  /// The C connection; nil once it is closed.
  @exclusivity(unchecked) private(set) var database: OpaquePointer?

  /// How many times a statement of this connection was started.
  @exclusivity(unchecked) @usableFromInline var statementsRun = 0
  /// What a hook on the connection was given.
  var watcher: AnyObject?
  /// How many pages the write-ahead log had after the last commit of this connection.
  private(set) var logPageCount = 0

  /// Takes over an open C connection.
  init(_ database: OpaquePointer) {
    self.database = database
  }

  deinit {
    close()
  }

  /// Has SQLite tell how long the log is, in place of copying it into the database by itself.
  func watchLog() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    // The hook cannot outlive this object, which closes the connection.
    _ = sqlite3_wal_hook(
      database,
      { this, _, _, count in
        Unmanaged<DatabaseHandle>.fromOpaque(this!).takeUnretainedValue().logPageCount = Int(count)
        return SQLITE_OK
      }, this)
  }

  /// Gives the C connection back; SQLite keeps it alive by itself while a statement is left.
  func close() {
    sqlite3_close_v2(database)
    database = nil
  }
}
