import CSQLite
import Synchronization

/// A SQLite VFS that hands everything to the default one, except that the n-th operation fails.
///
/// A test asks for failure 1, 2, 3 … until the body runs clean, and so meets every place where the
/// disk can refuse. Choose it by ``Connection/Options/vfsName`` or by `vfs=faultline-failing` in a
/// URI. There is one counter for the whole process: connections on other threads share it.
package enum FailureInjectingVFS {
  /// The name SQLite knows it by.
  package static let name = "faultline-failing"

  /// What SQLite asks of a file, by kind. Closing and unlocking are not there: they do not fail.
  package enum Operation: CaseIterable, Sendable {
    /// Opening or creating a file.
    case open
    /// Removing a file, which is how a rollback journal commits.
    case delete
    /// Reading bytes of a file.
    case read
    /// Writing bytes to a file.
    case write
    /// Shortening a file.
    case truncate
    /// Waiting until what was written is on the disk.
    case sync
    /// Taking a lock on the file or on the write-ahead log's index.
    case lock
    /// Mapping a region of the write-ahead log's index.
    case map
  }

  /// How many operations have been asked for since ``failOperation(_:code:among:persistently:)``.
  package static var operationsSeen: Int {
    plan.withLock { $0.seen }
  }

  /// How many of them were made to fail.
  package static var operationsFailed: Int {
    plan.withLock { $0.failed }
  }

  /// Makes the n-th operation from now on fail, counted from one; nil makes none fail.
  ///
  /// Only the kinds in `among` are counted. `code` is a primary or extended result code such as
  /// `SQLITE_IOERR` or `SQLITE_FULL`. A persistent failure is a disk that has died: every
  /// operation after the n-th fails too. Starts both counts anew.
  package static func failOperation(
    _ number: Int?, code: Int32 = SQLITE_IOERR, among: [Operation] = Operation.allCases,
    persistently: Bool = false
  ) {
    plan.withLock {
      $0 = Plan(number: number, code: code, kinds: Set(among), isPersistent: persistently)
    }
  }

  /// What is to fail, and what has happened so far.
  private struct Plan {
    var number: Int?
    var code = SQLITE_IOERR
    var kinds = Set(Operation.allCases)
    var isPersistent = false
    var seen = 0
    var failed = 0

    /// Counts an operation and answers the code it must fail with, if it must.
    mutating func next(_ operation: Operation) -> Int32? {
      guard kinds.contains(operation) else { return nil }
      seen += 1
      guard let number, isPersistent ? seen >= number : seen == number else { return nil }
      failed += 1
      return code
    }
  }

  /// Files are reached from any thread that has a connection, so the counter has its own lock.
  private static let plan = Mutex(Plan())

  /// Counts an operation, then fails it or lets the real VFS do it.
  static func attempt(_ operation: Operation, _ real: () -> Int32) -> Int32 {
    plan.withLock { $0.next(operation) } ?? real()
  }

  /// Tells SQLite about it, the first time somebody asks.
  static func register() {
    _ = registered
  }

  private static let registered: Int32 = {
    sqlite3_vfs_register(FailingFile.vfs, 0)
  }()
}
