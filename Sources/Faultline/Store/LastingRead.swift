import SQLiteConnection
import Synchronization

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
///     fresh ──a read──▶ used ──a read──▶ in a transaction ──the log is too long──▶ retired
///                        ▲                       │
///                        └──a commit is seen─────┘
///
/// An open read transaction keeps SQLite from beginning its log anew. Therefore it ends with the
/// block, and before the block writes. And a block that idles cannot hold the log for long: a save
/// that finds the log at its limit retires the lasting reads that are in a transaction and read
/// nothing at that moment. Their blocks continue with another one.
final class LastingRead {
  /// Whose connection it is.
  let database: Database
  /// The connection that reads.
  let connection: Connection
  private var isUsed = false
  private var mark: LogMark?
  /// The thread of a save may retire it: `use` says which of the two threads may touch the rest.
  private let use = Atomic(Use.idle)
  private let link = WeakLink()

  /// Which thread may touch the connection: the one that reads, or the one that retires it.
  private enum Use: UInt8, AtomicRepresentable {
    case idle, reading, retired
  }

  init(_ database: Database) throws {
    self.database = database
    connection = try database.borrowReader()
    link.lead(to: self)
  }

  deinit {
    link.cut()
    if use.load(ordering: .acquiring) != .retired { giveBack() }
  }

  private func giveBack() {
    // A connection that cannot end its transaction is closed instead of used again.
    if (try? end()) != nil { database.giveBack(connection) }
  }

  // MARK: Retiring

  /// The lasting reads of a database that are in a transaction.
  final class Open: Sendable {
    private let links = Lock<[WeakLink]>([])

    /// Notes a lasting read that begins a transaction.
    fileprivate func insert(_ link: WeakLink) { links.withLock { $0.append(link) } }

    /// Forgets a lasting read that ends its transaction.
    fileprivate func remove(_ link: WeakLink) { links.withLock { $0.removeAll { $0 === link } } }

    /// Ends the transactions of those that read nothing now, because the log is too long.
    func retireIdle() {
      for link in links.withLock({ $0 }) { (link.object as? LastingRead)?.retireIfIdle() }
    }
  }

  private func retireIfIdle() {
    guard
      use.compareExchange(
        expected: .idle, desired: .retired, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed
      ).exchanged
    else { return }
    giveBack()
  }

  private func begin() -> Bool {
    use.compareExchange(
      expected: .idle, desired: .reading, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  /// Ends a use of the connection.
  func finish() { use.store(.idle, ordering: .releasing) }

  /// The one of the block that this thread runs, if it is on a private queue; made if need be.
  static func current(of database: Database) throws -> LastingRead? {
    guard let queue = SerialQueue.current, queue.kind == .private else { return nil }
    if let read = queue.keepsake as? LastingRead, read.database === database { return read }
    let read = try LastingRead(database)
    queue.keepsake = read
    return read
  }

  /// The same one, whose use has begun; another one if that was retired, or is in use.
  static func begin(on database: Database) throws -> LastingRead? {
    if let read = try current(of: database), read.begin() { return read }
    endCurrent(of: database)
    let read = try current(of: database)
    _ = read?.begin()
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
    if mark != nil {
      try connection.statement("BEGIN").run()
      database.openReads.insert(link)
    }
  }

  private func end() throws {
    if mark != nil {
      database.openReads.remove(link)
      try connection.statement("COMMIT").run()
    }
    mark = nil
    isUsed = false
  }
}
