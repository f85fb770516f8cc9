/// Threads that wait for each other in a cycle: what each holds, what it waits for, and where.
package struct Deadlock: Sendable, Codable, Equatable {
  /// How its report begins.
  package static let heading = "CoreData: deadlock:"

  /// The waits, each for a queue that the next thread holds, the last for the first thread's.
  package let waits: [Wait]

  /// The deadlock in one line.
  package var sentence: String { waits.map(\.sentence).joined(separator: "; ") }

  /// The deadlock as the report that a stopped program prints.
  package var report: String {
    let threads = waits.indices.map { index in
      let wait = waits[index]
      let held = waits[(index + waits.count - 1) % waits.count].queue
      return """
          \(wait.waiter)
            holds    queue "\(held)"
            waits    for queue "\(wait.queue)", held by \(wait.heldBy)
            at       \(wait.place ?? "an unknown place")
        """
    }
    return """
      \(Self.heading) \(waits.count) threads wait for each other, and none can continue.
      \(threads.joined(separator: "\n"))
        fix      Wait for contexts in the same order everywhere. Inside a block that another \
      thread may wait for, use perform instead of performAndWait.
      """
  }
}

/// Turns the cycles that the wait graph finds into reports.
struct DeadlockWatcher: WaitWatcher {
  func notePlace() -> @Sendable () -> String {
    if ConcurrencyDebug.isRepeated { return { CallSite.notLookedUp } }
    return CallSite.noted()
  }

  func sawCycle(_ cycle: [Wait]) { ConcurrencyDebug.report(Deadlock(waits: cycle)) }
}
