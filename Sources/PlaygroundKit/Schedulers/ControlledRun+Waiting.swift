/// Parties that wait for something outside the engine.
extension ControlledRun {
  /// A party waits for something outside the engine until it is chosen.
  func suspend(_ party: Party, _ wait: OutsideWait) {
    party.wait = wait
    ready.removeAll { $0 == party.number }
    waiting.append(party.number)
  }

  /// The party waits for the turn that it put at the end of the main loop's.
  func markAwaited(by party: Party) {
    if let own = turns.lastIndex(where: { $0.party == party.number }) {
      turns[own].isAwaited = true
    }
  }

  /// Whether a party has done more in its step than touch one thing outside the engine.
  func hasTouched(otherThan number: UInt64, by party: Party) -> Bool {
    party.step?.touches.contains { $0.thing != .outside(number) } ?? false
  }

  /// Whether a party is inside a lock of the C library's.
  var hasLock: Bool {
    #if os(Linux)
      !outside.owners.isEmpty
    #else
      false
    #endif
  }

  /// Those that wait outside the engine and may go on, what waits for a time last.
  ///
  /// A timer that repeats itself comes again only when another party has made a step meanwhile, or
  /// when nothing else can be done: else it alone would go on for ever.
  func able(isLast: Bool) -> [Int] {
    for number in waiting {
      let isOver = parties[number].wait!.isOver()
      if !isOver { parties[number].wait!.since = nil }
      if isOver, parties[number].wait!.since == nil { parties[number].wait!.since = now }
    }
    let able = waiting.filter { number in
      let wait = parties[number].wait!
      return wait.mayGoOn && (isLast || wait.notBeforeStep < stepCount)
    }
    // Not by how long they wait: a sleep orders nothing, and may be of any length.
    return able.filter { parties[$0].wait!.deadline == nil }
      + able.filter { parties[$0].wait!.deadline != nil }
  }
}
