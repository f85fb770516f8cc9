import SQLiteConnection

/// A connection inside a read transaction that stays open: what it reads stays as it was.
///
/// It holds a read mark of the write-ahead log. While it lives, SQLite cannot copy all of the log
/// into the file, so the log grows with every save; it ends with the last reference.
final class HeldRead: @unchecked Sendable {
  /// The database that is held, and kept alive.
  let database: Database
  private let connection: Lock<Connection>
  /// The rows of this state that some object holds; the store's own cache has newer ones.
  let rowCache = WeakTable<Snapshot>()

  /// Takes a connection over and begins; the state is that of the last commit.
  init(_ connection: Connection, of database: Database) throws {
    self.connection = Lock(connection)
    self.database = database
    try connection.execute("BEGIN")
    // SQLite takes its mark at the first look into the file.
    let look = try connection.statement("SELECT Z_VERSION FROM Z_METADATA")
    _ = try look.step()
    look.reset()
  }

  deinit {
    // A connection that cannot end its transaction is closed instead of used again.
    connection.withLock { connection in
      if (try? connection.execute("COMMIT")) != nil { database.giveBack(connection) }
    }
  }

  /// Lends the connection; contexts that share a generation take turns.
  func read<T>(_ body: (Connection) throws -> T) throws -> T {
    try connection.withLock { connection in
      // After some errors SQLite ends the transaction, and newer rows would be mixed with these.
      guard connection.isInTransaction else { throw StoreError.lostGeneration(database.url) }
      return try database.run(connection, body)
    }
  }
}

// Safe to share: `connection` is a lock, the rest is constant or has one.
