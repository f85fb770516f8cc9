/// Lets at most so many readers at a database at a time; the others stand in line.
final class ReaderTurns: Sendable {
  private let queues: [SerialQueue]
  /// How many readers are in each queue or on the way in.
  private let readers: Lock<[Int]>

  /// Makes so many places, at least one.
  init(_ count: Int, label: String) {
    queues = (1...max(count, 1)).map {
      SerialQueue(label: "reader \($0) of \(label)", kind: .private)
    }
    readers = Lock(queues.map { _ in 0 })
  }

  /// Runs a body when there is a place; a reader that reads within its body has one already.
  func sync<T>(_ body: () throws -> T) rethrows -> T {
    if let mine = queues.first(where: \.isCurrent) { return try mine.sync(body) }
    // Taken with the choice: of two who only look, both would see the same place free.
    let place = readers.withLock { readers in
      let place = readers.indices.min { readers[$0] < readers[$1] } ?? 0
      readers[place] += 1
      return place
    }
    defer { readers.withLock { $0[place] -= 1 } }
    return try queues[place].sync(body)
  }
}
