/// Contexts that wait for each other in a circle: who holds what, waits for what, and where.
package struct Deadlock: Sendable, Codable, Equatable {
  /// How its report begins.
  package static let heading = "CoreData: deadlock:"

  /// The waits, each for a queue that the party of the next one holds, the last for the first's.
  package let waits: [Wait]

  /// The deadlock in one line.
  package var sentence: String { waits.map(\.sentence).joined(separator: "; ") }

  /// The deadlock as the report that a stopped program prints.
  package var report: String {
    let parties = waits.indices.map { index in
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
      \(Self.heading) \(waits.count) parties wait for each other, and none can go on.
      \(parties.joined(separator: "\n"))
        fix      Wait for contexts in one order everywhere, and from inside a block that somebody \
      may wait for use perform instead of performAndWait.
      """
  }
}

/// Turns the circles that the wait graph finds into reports.
struct DeadlockWatcher: WaitWatcher {
  func notePlace() -> @Sendable () -> String { CallSite.noted() }

  func sawCircle(_ circle: [Wait]) { ConcurrencyDebug.report(Deadlock(waits: circle)) }
}
