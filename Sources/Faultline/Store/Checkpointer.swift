import SQLiteConnection

/// Copies a store's write-ahead log into its database beside the saves, so that no save waits for
/// that.
///
///     idle ──a commit made the log `pagesDue` longer──▶ busy ──the job has run──▶ idle
///
/// - idle: no job stands on the queue.
/// - busy: one does, or runs. Saves go on meanwhile and make the log longer.
///
/// SQLite begins the log anew only when all of it has been copied, which a store that is always
/// written never gets to. So there is a limit, `pagesMax`, at which a save waits for the job and
/// copies the rest itself, as SQLite does by default at every `pagesDue`. Reads that hold the log
/// and can be ended are ended at the limit. If another reader holds it, the next save tries again
/// when the log is `pagesDue` longer.
///
/// Nothing is lost without a checkpoint: what was committed is in the log, and the next who opens
/// the file finds it there. That is why an error is not reported; the next job tries again.
final class Checkpointer: Sendable {
  /// By how many pages the log grows between two jobs: SQLite's own figure.
  private static let pagesDue = 1000
  /// The length of the log at which a save waits until all of it is copied.
  private static let pagesMax = 4 * pagesDue

  private struct State {
    var isBusy = false
    /// The length of the log at the last job.
    var pagesSeen = 0
    /// The length of the log when a save last copied it; 0 if it has begun anew since.
    var pagesTried = 0

    /// Whether a save is to copy the log itself, which it then does.
    mutating func beginsCopy(_ pages: Int) -> Bool {
      if pages < pagesTried { pagesTried = 0 }
      guard pages >= max(pagesMax, pagesTried + pagesDue) else { return false }
      pagesTried = pages
      return true
    }
  }

  private let open: @Sendable () throws -> Connection
  private let queue: SerialQueue
  private let state = Lock(State())

  /// Makes the checkpointer of a file, which a job of it reaches by a connection of its own.
  init(label: String, open: @escaping @Sendable () throws -> Connection) {
    self.open = open
    queue = SerialQueue(label: "checkpoint of \(label)", kind: .private)
  }

  /// Looks at the log after a commit; the caller is inside the writer's queue.
  ///
  /// - Parameter endReads: ends the reads that hold the log and can be ended; called at its limit.
  func committed(on writer: Connection, endReads: () -> Void = {}) {
    let pages = writer.logPageCount
    let isDue = state.withLock { state -> Bool in
      // A log that is shorter than it was has begun anew.
      state.pagesSeen = min(state.pagesSeen, pages)
      guard !state.isBusy, pages - state.pagesSeen >= Self.pagesDue else { return false }
      state.isBusy = true
      state.pagesSeen = pages
      return true
    }
    if isDue {
      if pages >= Self.pagesMax { endReads() }
      queue.async { self.run() }
    } else if state.withLock({ $0.beginsCopy(pages) }) {
      finish()
      endReads()
      try? writer.checkpoint()
    }
  }

  private func run() {
    try? copyLog()
    state.withLock { $0.isBusy = false }
  }

  private func copyLog() throws {
    let connection = try open()
    // A connection does not know of the log before it has read something.
    try connection.execute("PRAGMA schema_version")
    try connection.checkpoint()
  }

  /// Waits for a running job; after this nothing of the checkpointer has the file open.
  func finish() {
    // Asked first, because an idle queue would be one more switch point of every store's end.
    if state.withLock({ $0.isBusy }) { queue.sync {} }
  }
}
