import Synchronization

/// What the engine has done in this process since the counters were last reset.
package struct EngineCounts: Sendable, Codable, Equatable {
  /// SQL statements run to completion.
  package var statements = 0
  /// Transactions committed.
  package var commits = 0
  /// Object faults fulfilled.
  package var faultsFired = 0
  /// Rows read from a store into snapshots.
  package var rowsFetched = 0
  /// Optimistic-locking conflicts found.
  package var conflicts = 0
  /// Violations of the queue rule found by the checker.
  package var violations = 0
  /// Managed objects registered with a context now.
  package var liveObjects = 0
  /// The most managed objects registered at one time.
  package var liveObjectsPeak = 0
  /// Bytes of the rows in memory, and the most at one time; counted under control only.
  package var rowBytes = 0
  package var rowBytesPeak = 0
  /// Time spent waiting for queues, in nanoseconds.
  package var queueWaitNanoseconds = 0
}

/// The counters behind every figure that is a count and not a time.
package enum EngineCounters {
  /// The name of one counter.
  package enum Name: Int, CaseIterable, Sendable {
    case statements, commits, faultsFired, rowsFetched, conflicts, violations
    case liveObjects, liveObjectsPeak, rowBytes, rowBytesPeak, queueWaitNanoseconds
  }

  /// How many numbers a counter takes: it has 128 bytes to itself, so that threads that count
  /// different things do not wait for each other.
  private static let stride = 16
  private nonisolated(unsafe) static let counters = {
    let count = Name.allCases.count * stride
    let counters = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: count)
    for index in 0..<count { (counters + index).initialize(to: Atomic(0)) }
    return counters
  }()

  private static func counter(_ name: Name) -> UnsafeMutablePointer<Atomic<Int>> {
    counters + name.rawValue * stride
  }

  /// Adds to a counter.
  static func add(_ name: Name, _ amount: Int = 1) {
    if let hook = Scheduling.hook { hook.charge(name, amount) }
    let now = counter(name).pointee.wrappingAdd(amount, ordering: .relaxed).newValue
    if amount > 0, let peak = peak(of: name), now > count(peak) {
      counter(peak).pointee.max(now, ordering: .relaxed)
    }
  }

  /// The counter that keeps the most of a number that goes up and down.
  @inline(__always)
  private static func peak(of name: Name) -> Name? {
    switch name {
    case .liveObjects: .liveObjectsPeak
    case .rowBytes: .rowBytesPeak
    default: nil
    }
  }

  /// The counts as they stand; each is exact, together they are not one instant.
  package static func read() -> EngineCounts {
    EngineCounts(
      statements: count(.statements), commits: count(.commits), faultsFired: count(.faultsFired),
      rowsFetched: count(.rowsFetched), conflicts: count(.conflicts),
      violations: count(.violations), liveObjects: count(.liveObjects),
      liveObjectsPeak: count(.liveObjectsPeak), rowBytes: count(.rowBytes),
      rowBytesPeak: count(.rowBytesPeak),
      queueWaitNanoseconds: count(.queueWaitNanoseconds))
  }

  /// Begins counting anew; live objects and rows are kept, since they are still there.
  package static func reset() {
    for name in Name.allCases where peak(of: name) == nil {
      let kept = Name.allCases.first { peak(of: $0) == name }
      counter(name).pointee.store(kept.map(count) ?? 0, ordering: .relaxed)
    }
  }

  private static func count(_ name: Name) -> Int {
    counter(name).pointee.load(ordering: .relaxed)
  }
}
