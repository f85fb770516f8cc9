import Foundation

/// One party that waits for one queue, and who is inside that queue.
package struct Wait: Sendable, Codable, Equatable {
  /// The thread that waits, with the queue whose block it is running.
  package let waiter: String
  /// The label of the queue it waits for.
  package let queue: String
  /// The thread inside that queue.
  package let heldBy: String
  /// How long it has waited, in nanoseconds.
  package let nanoseconds: Int

  /// The wait as a sentence.
  package var sentence: String { "\(waiter) waits for queue \"\(queue)\", held by \(heldBy)" }
}

/// Who waits for which queue; written only when somebody has to wait.
package enum WaitGraph {
  private struct Edge {
    let queue: SerialQueue
    let inside: String?
    let isMain: Bool
    let since: UInt64

    /// How long the wait had lasted at a time, which may have been read just before it began.
    func waited(until now: UInt64) -> Int { now > since ? Int(now - since) : 0 }
  }

  private static let edges = Lock<[UInt: Edge]>([:])

  /// The running party begins to wait for a queue.
  static func begin(_ queue: SerialQueue) {
    let edge = Edge(
      queue: queue, inside: SerialQueue.current?.label, isMain: MainThread.isCurrent,
      since: Scheduling.nowNanoseconds)
    let party = Scheduling.currentParty
    edges.withLock { $0[party] = edge }
  }

  /// A party that waited for a queue has it.
  static func end(_ queue: SerialQueue) {
    let party = Scheduling.currentParty
    let now = Scheduling.nowNanoseconds
    let edge = edges.withLock { edges -> Edge? in
      // A block handed to the main queue begins on the main thread: its waiter is found by queue.
      if let edge = edges.removeValue(forKey: party), edge.queue === queue { return edge }
      guard let waiter = edges.first(where: { $0.value.queue === queue })?.key else { return nil }
      return edges.removeValue(forKey: waiter)
    }
    if let edge { EngineCounters.add(.queueWaitNanoseconds, edge.waited(until: now)) }
  }

  /// Everybody who waits at this moment, longest first.
  package static func waits() -> [Wait] {
    let now = Scheduling.nowNanoseconds
    let copy = edges.withLock { $0 }
    return copy.sorted { $0.value.since < $1.value.since }
      .map { wait(party: $0.key, edge: $0.value, all: copy, now: now) }
  }

  /// The waits that wait for each other in a circle, beginning anywhere in it, or nil.
  package static func cycle() -> [Wait]? {
    let now = Scheduling.nowNanoseconds
    let copy = edges.withLock { $0 }
    for start in copy.keys.sorted() {
      var path: [UInt] = []
      var party: UInt? = start
      while let current = party, let edge = copy[current] {
        if let first = path.firstIndex(of: current) {
          return path[first...].map { wait(party: $0, edge: copy[$0]!, all: copy, now: now) }
        }
        path.append(current)
        party = holder(of: edge.queue, in: copy)
      }
    }
    return nil
  }

  private static func holder(of queue: SerialQueue, in edges: [UInt: Edge]) -> UInt? {
    switch queue.kind {
    case .private: return queue.holder == 0 ? nil : queue.holder
    case .main: return edges.first { $0.value.isMain }?.key
    }
  }

  private static func wait(party: UInt, edge: Edge, all: [UInt: Edge], now: UInt64) -> Wait {
    Wait(
      waiter: name(party, edge), queue: edge.queue.label,
      heldBy: holder(of: edge.queue, in: all).map { name($0, all[$0]) }
        ?? (edge.queue.kind == .main ? "main" : "nobody"),
      nanoseconds: edge.waited(until: now))
  }

  private static func name(_ party: UInt, _ edge: Edge?) -> String {
    if edge?.isMain == true { return "main" }
    let thread = "thread \(String(party, radix: 16))"
    return edge?.inside.map { "\(thread) (inside queue \"\($0)\")" } ?? thread
  }
}
