/// Lets at most so many readers at a database at a time; the others stand in line.
final class ReaderTurns: Sendable {
  private let queues: [SerialQueue]
  private let next = Lock(0)

  /// Makes so many places, at least one.
  init(_ count: Int, label: String) {
    queues = (1...max(count, 1)).map {
      SerialQueue(label: "reader \($0) of \(label)", kind: .private)
    }
  }

  /// Runs a body when there is a place; a reader that reads within its body has one already.
  func sync<T>(_ body: () throws -> T) rethrows -> T {
    let free = queues.first { $0.isCurrent } ?? queues.first { $0.holder == 0 }
    if let free { return try free.sync(body) }
    let turn = next.withLock { next in
      next = (next + 1) % queues.count
      return next
    }
    return try queues[turn].sync(body)
  }
}
