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

  /// The next turn of the main loop: the first in line, or that of a task that need not wait in it.
  ///
  /// What a task awaits may have come to its end before the task came to the `await`. Then the task
  /// is not suspended, and goes on before all that was put in line meanwhile. No hook tells of an
  /// `await`, so the schedule in which the task was that late is made here: it costs a switch, as
  /// the main thread was interrupted for it.
  func nextTurn() -> Turn {
    guard isRecording, let task = unsuspended,
      let place = turns.firstIndex(where: { $0.task == task }), place > 0
    else { return turns.removeFirst() }
    let births = [parties[0].birth, Mixer.mix(parties[0].birth)]
    guard decide([0, 0], isSwitchPoint: true, births: births) > 0 else {
      return turns.removeFirst()
    }
    note("was not suspended, and goes on before what its queue holds", by: parties[0])
    parties[0].past = Mixer.mix(parties[0].past)
    return turns.remove(at: place)
  }
}
