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

/// Readers in threads of their own beside a writer, who goes on until they have finished.
enum Crowd {
  /// Runs them; `write` is given the number of the save.
  static func run(
    readers: Int, read: @escaping @Sendable (Int) -> Int64, write: (Int) -> Void
  ) -> Tally {
    let lock = NSLock()
    nonisolated(unsafe) var sum: Int64 = 0
    nonisolated(unsafe) var left = readers
    for reader in 0..<readers {
      Thread.detachNewThread {
        let result = read(reader)
        lock.withLock {
          sum &+= result
          left -= 1
        }
      }
    }
    var tally = Tally(checksum: 0)
    var number = 0
    while lock.withLock({ left > 0 }) {
      tally.commitMax = max(tally.commitMax, nanoseconds { write(number) })
      number += 1
      // A writer without pause would take a core for itself, and there are two.
      usleep(1000)
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
