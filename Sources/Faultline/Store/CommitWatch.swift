import SQLiteConnection

/// Tells whether anybody has committed to a database since it was last asked.
///
/// It has a connection of its own, because SQLite counts for each connection the commits of others.
final class CommitWatch: @unchecked Sendable {
  private let connection: Connection
  private let state: Lock<Int64>

  /// Begins to count; what was committed before is not told.
  init(_ database: Database) throws {
    connection = try database.openReader()
    state = Lock(0)
    _ = try hasNew()
  }

  /// Whether there are commits of others since the last question.
  func hasNew() throws -> Bool {
    try state.withLock { last in
      let statement = try connection.statement("PRAGMA data_version")
      defer { statement.reset() }
      let version = try statement.step() ? statement.int64(0) : last
      defer { last = version }
      return version != last
    }
  }
}

// Safe to share: `connection` is used inside `state`'s lock only.
