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
  /// Time spent waiting for queues, in nanoseconds.
  package var queueWaitNanoseconds = 0
}

/// The counters behind every figure that is a count and not a time.
package enum EngineCounters {
  /// The name of one counter.
  enum Name: Int, CaseIterable {
    case statements, commits, faultsFired, rowsFetched, conflicts, violations
    case liveObjects, liveObjectsPeak, queueWaitNanoseconds
  }

  private static let statements = Atomic<Int>(0)
  private static let commits = Atomic<Int>(0)
  private static let faultsFired = Atomic<Int>(0)
  private static let rowsFetched = Atomic<Int>(0)
  private static let conflicts = Atomic<Int>(0)
  private static let violations = Atomic<Int>(0)
  private static let liveObjects = Atomic<Int>(0)
  private static let liveObjectsPeak = Atomic<Int>(0)
  private static let queueWaitNanoseconds = Atomic<Int>(0)

  /// Adds to a counter.
  static func add(_ name: Name, _ amount: Int = 1) {
    switch name {
    case .statements: statements.wrappingAdd(amount, ordering: .relaxed)
    case .commits: commits.wrappingAdd(amount, ordering: .relaxed)
    case .faultsFired: faultsFired.wrappingAdd(amount, ordering: .relaxed)
    case .rowsFetched: rowsFetched.wrappingAdd(amount, ordering: .relaxed)
    case .conflicts: conflicts.wrappingAdd(amount, ordering: .relaxed)
    case .violations: violations.wrappingAdd(amount, ordering: .relaxed)
    case .liveObjects: addLive(amount)
    case .liveObjectsPeak: liveObjectsPeak.wrappingAdd(amount, ordering: .relaxed)
    case .queueWaitNanoseconds: queueWaitNanoseconds.wrappingAdd(amount, ordering: .relaxed)
    }
  }

  private static func addLive(_ amount: Int) {
    let now = liveObjects.wrappingAdd(amount, ordering: .relaxed).newValue
    if amount > 0, now > liveObjectsPeak.load(ordering: .relaxed) {
      liveObjectsPeak.store(now, ordering: .relaxed)
    }
  }

  /// The counts as they stand; each is exact, together they are not one instant.
  package static func read() -> EngineCounts {
    EngineCounts(
      statements: statements.load(ordering: .relaxed), commits: commits.load(ordering: .relaxed),
      faultsFired: faultsFired.load(ordering: .relaxed),
      rowsFetched: rowsFetched.load(ordering: .relaxed),
      conflicts: conflicts.load(ordering: .relaxed),
      violations: violations.load(ordering: .relaxed),
      liveObjects: liveObjects.load(ordering: .relaxed),
      liveObjectsPeak: liveObjectsPeak.load(ordering: .relaxed),
      queueWaitNanoseconds: queueWaitNanoseconds.load(ordering: .relaxed))
  }

  /// Begins counting anew; live objects are kept, since they are still there.
  package static func reset() {
    for counter in [Name.statements, .commits, .faultsFired, .rowsFetched, .conflicts, .violations]
    {
      subtract(counter)
    }
    queueWaitNanoseconds.store(0, ordering: .relaxed)
    liveObjectsPeak.store(liveObjects.load(ordering: .relaxed), ordering: .relaxed)
  }

  private static func subtract(_ name: Name) {
    switch name {
    case .statements: statements.store(0, ordering: .relaxed)
    case .commits: commits.store(0, ordering: .relaxed)
    case .faultsFired: faultsFired.store(0, ordering: .relaxed)
    case .rowsFetched: rowsFetched.store(0, ordering: .relaxed)
    case .conflicts: conflicts.store(0, ordering: .relaxed)
    case .violations: violations.store(0, ordering: .relaxed)
    case .liveObjects, .liveObjectsPeak, .queueWaitNanoseconds: break
    }
  }
}
