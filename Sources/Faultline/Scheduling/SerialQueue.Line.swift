import Synchronization

extension SerialQueue {
  /// Whether somebody is inside a private queue, or on the way in, and whether anything is in line.
  ///
  ///     idle ──enter──▶ held ──leave──▶ idle
  ///       │               └─enter, append──▶ lined ──leave, nothing next──▶ idle
  ///       └──append──▶ lined, for a worker     └─leave, job or waiter next──▶ lined, for that one
  ///
  /// A caller that finds the queue idle and leaves it with nobody in line pays for two atomic
  /// exchanges. Only who holds the line's lock makes it lined, and ends that.
  enum Door: UInt8, AtomicRepresentable {
    case idle
    case held
    case lined
  }

  /// The jobs and waiters of a private queue in order of arrival, as a value without locks.
  struct Line {
    /// Something that wants its turn.
    enum Entry {
      case job(@Sendable () -> Void)
      case waiter(Waiter)
    }

    /// Who is let in by a party that leaves.
    enum Successor {
      /// A party that stands in line.
      case waiter(Waiter)
      /// A worker, which asks for the job that is next.
      case worker
    }

    /// What an empty line may go on to hold room for.
    private static let idleCapacityMax = 256

    /// What waits, from `head` on; whatever was handed over left its place, because nobody's
    /// captures may end with the queue's lock held.
    private var entries: [Entry?] = []
    private var head = 0

    /// Puts something at the end.
    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// A party that is no worker asks whom to let in; nil ends the line.
    mutating func successor() -> Successor? {
      if head < entries.count, case .job = entries[head] { return .worker }
      guard case .waiter(let waiter)? = next() else { return nil }
      return .waiter(waiter)
    }

    /// A worker asks who is next; nil ends the line.
    mutating func next() -> Entry? {
      guard head < entries.count else {
        if head > 0 {
          entries.removeAll(keepingCapacity: entries.capacity <= Self.idleCapacityMax)
          head = 0
        }
        return nil
      }
      let entry = entries[head].take()
      head += 1
      if head > 64, head * 2 > entries.count {
        entries.removeFirst(head)
        head = 0
      }
      return entry
    }

    /// Takes out a waiter whose request a party inside the queue answers.
    mutating func remove(_ waiter: Waiter) {
      let index = entries.indices.first { index in
        if case .waiter(let known) = entries[index] { return known === waiter }
        return false
      }
      if let index { entries.remove(at: index) }
    }
  }
}
