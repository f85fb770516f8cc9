import Faultline

/// What is kept for pages and pictures only.
extension ControlledRun {
  /// A touch as a trace names it; nil if it has no name there.
  func described(_ touch: (thing: SharedThing, isWrite: Bool)) -> Trace.Touch? {
    switch touch.thing {
    case .rows(let entity): Trace.Touch(thing: "rows of \(entity)", isWrite: touch.isWrite)
    case .allRows: Trace.Touch(thing: "all rows", isWrite: touch.isWrite)
    case .note(let name): Trace.Touch(thing: name, isWrite: touch.isWrite)
    case .line(let queue), .inside(let queue):
      labels[queue].map { Trace.Touch(thing: "queue \"\($0)\"", isWrite: touch.isWrite) }
    case .row, .object, .outside: nil
    }
  }

  /// Puts words beside the running party's step.
  func note(_ words: String, by party: Party) {
    guard isRecording, options.isDetailed else { return }
    if party.step == nil { party.step = OpenStep(start: party.clock) }
    party.step!.notes.append(words)
  }

  /// Keeps what the running party's save is to write, or what a merge policy decided.
  func note(_ change: ToldChange, by party: Party) {
    guard isRecording, options.isDetailed else { return }
    if party.step == nil { party.step = OpenStep(start: party.clock) }
    party.step!.changes.append(Trace.Change(change))
  }
}
