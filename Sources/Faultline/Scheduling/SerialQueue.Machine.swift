extension SerialQueue {
  /// What a private queue knows, as a value without locks; every event returns what to do next.
  ///
  ///     idle ──enter──▶ held ──leave, nothing waits──▶ idle
  ///       └──append──▶ held     leave, job next ──────▶ held by a worker
  ///                             leave, waiter next ───▶ held by that waiter
  ///
  /// - idle: nobody is inside, nothing waits.
  /// - held: one party is inside, or is on its way in; jobs and waiters queue in order of arrival.
  struct Machine {
    /// Something that wants its turn.
    enum Entry {
      case job(@Sendable () -> Void)
      case waiter(Waiter)
    }

    /// What the caller of `enter` must do.
    enum Entrance {
      case go
      case wait
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

    private var isHeld = false
    /// What waits, from `head` on; whatever was handed over left its place, because nobody's
    /// captures may end with the queue's lock held.
    private var entries: [Entry?] = []
    private var head = 0

    /// A caller wants to run now; it goes in if nobody is inside and nobody was earlier.
    mutating func enter(orWaitAs waiter: @autoclosure () -> Waiter) -> Entrance {
      guard isHeld else {
        isHeld = true
        return .go
      }
      entries.append(.waiter(waiter()))
      return .wait
    }

    /// A job was handed in; the answer is whether a worker must be started for it.
    mutating func append(_ job: @escaping @Sendable () -> Void) -> Bool {
      entries.append(.job(job))
      guard !isHeld else { return false }
      isHeld = true
      return true
    }

    /// A party that is no worker leaves.
    mutating func leave() -> Successor? {
      if head < entries.count, case .job = entries[head] { return .worker }
      guard case .waiter(let waiter)? = next() else { return nil }
      return .waiter(waiter)
    }

    /// A worker asks who is next.
    mutating func next() -> Entry? {
      guard head < entries.count else {
        if head > 0 {
          entries.removeAll(keepingCapacity: entries.capacity <= Self.idleCapacityMax)
          head = 0
        }
        isHeld = false
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
  }
}
