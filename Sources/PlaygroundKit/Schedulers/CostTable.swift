import Faultline

/// What the engine's work costs under control, in virtual nanoseconds.
///
/// The same on every machine, so that what depends on time comes out the same too. It is published
/// in `Guide/reference/costs.md`; whoever changes a figure here raises the version.
enum CostTable {
  /// The version that pages name.
  static let version = 1

  /// A block handed to a queue, or a job to an executor, until it begins.
  static let hop = 5_000
  /// A row written inside a transaction.
  static let rowWritten = 20_000
  /// One SQL statement.
  static let statement = 10_000
  /// One commit.
  static let commit = 2_000_000
  /// One fault fulfilled.
  static let fault = 2_000
  /// One row read from the store.
  static let rowRead = 1_000

  /// What a piece of counted work costs.
  static func cost(of work: EngineCounters.Name, _ amount: Int) -> Int {
    switch work {
    case .statements: amount * statement
    case .commits: amount * commit
    case .faultsFired: amount * fault
    case .rowsFetched: amount * rowRead
    case .conflicts, .violations, .liveObjects, .liveObjectsPeak, .rowBytes, .rowBytesPeak,
      .queueWaitNanoseconds:
      0
    }
  }
}
