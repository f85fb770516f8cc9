import SQLiteConnection

/// The reads of one block of a private queue, in one transaction for as long as nobody commits.
///
/// Beginning and ending a read transaction costs more than reading a row by its key: bare SQLite
/// found one in 3.5 µs with a transaction of its own and in 0.9 µs without. So the second read of
/// a block begins a transaction, and the next ones stay in it.
///
/// What they read is what each would have read alone: before each, the header of the log's index,
/// which all processes share and every commit changes, is compared with what it was before the
/// transaction began. If it differs the transaction ends and another begins.
///
///     fresh ──a read──▶ used ──a read──▶ in a transaction
///                        ▲                       │
///                        └──a commit is seen─────┘
///
/// An open read transaction keeps SQLite from beginning its log anew. Therefore it ends with the
/// block, and before the block writes.
final class LastingRead {
  /// Whose connection it is.
  let database: Database
  /// The connection that reads.
  let connection: Connection
  private var isUsed = false
  private var mark: LogMark?

  init(_ database: Database) throws {
    self.database = database
    connection = try database.borrowReader()
  }

  deinit {
    // A connection that cannot end its transaction is closed instead of used again.
    if (try? end()) != nil { database.giveBack(connection) }
  }

  /// The one of the block that this thread runs, if it is on a private queue; made if need be.
  static func current(of database: Database) throws -> LastingRead? {
    guard let queue = SerialQueue.current, queue.kind == .private else { return nil }
    if let read = queue.keepsake as? LastingRead, read.database === database { return read }
    let read = try LastingRead(database)
    queue.keepsake = read
    return read
  }

  /// Ends what the block that this thread runs has open.
  static func endCurrent(of database: Database) {
    guard let queue = SerialQueue.current, let read = queue.keepsake as? LastingRead,
      read.database === database
    else { return }
    queue.keepsake = nil
  }

  /// Makes sure that the next read sees the last commit.
  func renew() throws {
    if let mark {
      if connection.logMark == mark { return }
      try end()
    }
    guard isUsed else {
      isUsed = true
      return
    }
    // Taken before the transaction begins: a commit between the two makes it look old, not new.
    mark = connection.logMark
    if mark != nil { try connection.statement("BEGIN").run() }
  }

  private func end() throws {
    if mark != nil { try connection.statement("COMMIT").run() }
    mark = nil
    isUsed = false
  }
}
