import Foundation

/// A thread that waits for a queue, and the thread inside that queue.
package struct Wait: Sendable, Codable, Equatable {
  /// The thread that waits, with the queue whose block it is running.
  package let waiter: String
  /// The label of the queue it waits for.
  package let queue: String
  /// The thread inside that queue.
  package let heldBy: String
  /// How long it has waited, in nanoseconds.
  package let nanoseconds: Int
  /// Where its call stands, if a watcher noted it.
  package var place: String?

  /// The wait as a sentence.
  package var sentence: String {
    "\(waiter) waits for queue \"\(queue)\", held by \(heldBy)" + (place.map { ", at \($0)" } ?? "")
  }
}

/// Learns of waits that can never end.
package protocol WaitWatcher: Sendable {
  /// Notes where the running thread stands; the answer finds out its name when it is needed.
  func notePlace() -> @Sendable () -> String
  /// The running thread begins a wait that closes a cycle; it waits when this returns.
  func sawCycle(_ cycle: [Wait])
}

/// Which thread waits for which queue; written only when a thread has to wait.
///
/// A cycle is closed by the last of its parties to wait. Each party enters its own wait before it
/// looks, both under one lock, so that the last one sees all the others; and a queue has no holder
/// from the moment it is passed on until its next party no longer waits, so that a cycle that was
/// seen is one.
package enum WaitGraph {
  private struct Edge {
    let request: SerialQueue.Request
    let inside: String?
    let isMain: Bool
    let since: UInt64
    let place: (@Sendable () -> String)?
    /// Whether another party runs the block that this party waits for.
    var isServed = false
    /// What this party is woken to answer.
    var given: SerialQueue.Request?

    var queue: SerialQueue { request.queue }

    /// How long the wait had lasted at a time, which may have been read just before it began.
    func waited(until now: UInt64) -> Int { now > since ? Int(now - since) : 0 }
  }

  private static let edges = Lock<[UInt: Edge]>([:])
  private static let watcherStorage = Lock<(any WaitWatcher)?>(nil)

  /// Learns of cycles; nil at first.
  static var watcher: (any WaitWatcher)? {
    get { watcherStorage.withLock { $0 } }
    set { watcherStorage.withLock { $0 = newValue } }
  }

  /// What becomes of a wait that closes a cycle.
  private enum Closed {
    case deadlock([UInt], in: [UInt: Edge])
    /// This party is to answer a request instead.
    case own(SerialQueue.Request)
    /// The party of a request that waits is to answer another, which it was given.
    case others(SerialQueue.Request)
  }

  /// The running party begins to wait for its request; if there is an answer, it does not wait yet,
  /// but answers that other request first.
  static func begin(_ request: SerialQueue.Request) -> SerialQueue.Request? {
    let party = request.party
    let watcher = watcher
    let inside = SerialQueue.current
    let isMain = MainThread.isCurrent
    // No party waits for one that is inside no queue.
    let isHolder = isMain || inside != nil
    let edge = Edge(
      request: request, inside: inside?.label, isMain: isMain, since: Scheduling.nowNanoseconds,
      place: isHolder ? watcher?.notePlace() : nil)
    let closed = edges.withLock { edges -> Closed? in
      edges[party] = edge
      guard isHolder, let cycle = cyclePath(from: party, in: edges) else { return nil }
      guard let (asker, answerer) = opening(of: cycle, in: edges) else {
        return .deadlock(cycle, in: edges)
      }
      let request = edges[asker].unsafelyUnwrapped.request
      if answerer == party {
        edges[party] = nil
        return .own(request)
      }
      edges[answerer]?.given = request
      return (edges[answerer]?.request).map { .others($0) }
    }
    switch closed {
    case nil: break
    case .own(let request): return request
    case .others(let request): request.wake()
    case .deadlock(let cycle, let edges):
      watcher?.sawCycle(cycle.map { wait(of: $0, in: edges) })
    }
    return nil
  }

  /// Where a cycle is no deadlock: a party of it waits for a request that the next one may answer.
  ///
  /// That is so if the next one waits in a call of the application's, and another party runs a job
  /// of the engine's own, without which the application had made no cycle.
  private static func opening(
    of cycle: [UInt], in edges: [UInt: Edge]
  ) -> (asker: UInt, answerer: UInt)? {
    for (index, asker) in cycle.enumerated() {
      let answerer = cycle[(index + 1) % cycle.count]
      guard edges[answerer]?.request.isApplications == true,
        edges[asker]?.request.isOpen == true,
        cycle.contains(where: { $0 != answerer && edges[$0]?.request.isEngines == true })
      else { continue }
      return (asker, answerer)
    }
    return nil
  }

  /// Another party begins the block that a party waits for; the party waits until its end.
  static func serve(_ party: UInt) {
    let now = Scheduling.nowNanoseconds
    let edge = edges.withLock { edges in
      edges[party]?.isServed = true
      return edges[party]
    }
    if let edge { EngineCounters.add(.queueWaitNanoseconds, edge.waited(until: now)) }
  }

  /// A party no longer waits; the answer is what it was woken to answer, if it was not its turn.
  static func end(_ party: UInt) -> SerialQueue.Request? {
    let now = Scheduling.nowNanoseconds
    guard let edge = edges.withLock({ $0.removeValue(forKey: party) }) else { return nil }
    if !edge.isServed {
      EngineCounters.add(.queueWaitNanoseconds, edge.waited(until: now))
    }
    return edge.given
  }

  /// The queue that a party waits for, if it waits for one.
  package static func queue(awaitedBy party: UInt) -> SerialQueue? {
    edges.withLock { $0[party]?.queue }
  }

  /// Forgets every wait: those of parties that a controlled scheduler has given up.
  package static func forget() { edges.withLock { $0.removeAll() } }

  /// Every wait at this moment, longest first.
  package static func waits() -> [Wait] {
    let copy = edges.withLock { $0 }
    return copy.sorted { $0.value.since < $1.value.since }.map { wait(of: $0.key, in: copy) }
  }

  /// The waits that wait for each other in a cycle, beginning anywhere in it, or nil.
  package static func cycle() -> [Wait]? {
    // Under the lock every listed party still waits, and holds nothing that it waits for.
    let found = edges.withLock { edges -> (cycle: [UInt], edges: [UInt: Edge])? in
      for party in edges.keys.sorted() {
        if let cycle = cyclePath(from: party, in: edges) { return (cycle, edges) }
      }
      return nil
    }
    return found.map { found in found.cycle.map { wait(of: $0, in: found.edges) } }
  }

  /// The parties from this one on, each waiting for the next and the last for the first, or nil.
  private static func cyclePath(from start: UInt, in edges: [UInt: Edge]) -> [UInt]? {
    var path = [start]
    while let edge = edges[path[path.count - 1]], let next = holder(of: edge.queue, in: edges) {
      if next == start { return path }
      // A cycle that this party merely waits for.
      if path.contains(next) { return nil }
      path.append(next)
    }
    return nil
  }

  private static func holder(of queue: SerialQueue, in edges: [UInt: Edge]) -> UInt? {
    switch queue.kind {
    case .private: return queue.holder == 0 ? nil : queue.holder
    case .main: return edges.first { $0.value.isMain }?.key
    }
  }

  private static func wait(of party: UInt, in edges: [UInt: Edge]) -> Wait {
    let edge = edges[party]!
    return Wait(
      waiter: name(party, edge), queue: edge.queue.label,
      heldBy: holder(of: edge.queue, in: edges).map { name($0, edges[$0]) }
        ?? (edge.queue.kind == .main ? "main" : "no thread"),
      nanoseconds: edge.waited(until: Scheduling.nowNanoseconds), place: edge.place?())
  }

  private static func name(_ party: UInt, _ edge: Edge?) -> String {
    if edge?.isMain == true { return "main" }
    let thread = Scheduling.name(of: party)
    return edge?.inside.map { "\(thread) (inside queue \"\($0)\")" } ?? thread
  }
}
