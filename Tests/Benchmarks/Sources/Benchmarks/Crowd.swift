import Dispatch
import Foundation

/// Saves of one object each, one after the other.
enum Saves {
  /// Runs them; `save` is given the number of the save, which the new value is made of.
  static func run(_ count: Int, _ save: (Int) throws -> Void) rethrows -> Tally {
    var tally = Tally(checksum: 0)
    for number in 1...count {
      tally.commitMax = max(tally.commitMax, try nanoseconds { try save(number) })
      tally.checksum += Int64(number) + 1000
    }
    return tally
  }
}

/// Readers in threads of their own beside a writer, who saves once for each fifty queries.
enum Crowd {
  /// How many queries a reader makes between two saves.
  static let queriesPerSave = 50

  /// Runs them until each reader has made so many queries; `read` makes `queriesPerSave` of them,
  /// and `write` is given the number of the save.
  static func run(
    readers: Int, queries: Int, read: @escaping @Sendable (Int) -> Int64, write: (Int) -> Void
  ) -> Tally {
    let rounds = max(queries / queriesPerSave, 1)
    let turn = DispatchSemaphore(value: 0)
    let lock = NSLock()
    nonisolated(unsafe) var sum: Int64 = 0
    for reader in 0..<readers {
      Thread.detachNewThread {
        for _ in 0..<rounds {
          let result = read(reader)
          lock.withLock { sum &+= result }
          turn.signal()
        }
      }
    }
    var tally = Tally(checksum: 0)
    for number in 0..<readers * rounds {
      turn.wait()
      tally.commitMax = max(tally.commitMax, nanoseconds { write(number) })
    }
    tally.checksum = lock.withLock { sum }
    return tally
  }
}

/// How long something takes.
@inline(__always)
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  try body()
  let (seconds, attoseconds) = start.duration(to: .now).components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}
