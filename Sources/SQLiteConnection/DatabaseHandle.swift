import CSQLite

/// The C connection itself, shared by a ``Connection`` and every ``Statement`` prepared on it, so
/// that it is freed only after the last of them.
@usableFromInline
final class DatabaseHandle {
  /// The C connection; nil once it is closed.
  private(set) var database: OpaquePointer?

  /// How many times a statement of this connection was started.
  @usableFromInline var statementsRun = 0

  /// Takes over an open C connection.
  init(_ database: OpaquePointer) {
    self.database = database
  }

  deinit {
    close()
  }

  /// Gives the C connection back; SQLite keeps it alive by itself while a statement is left.
  func close() {
    sqlite3_close_v2(database)
    database = nil
  }
}
