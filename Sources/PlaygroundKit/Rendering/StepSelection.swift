/// Chooses which steps are drawn.
struct StepSelection {
  private let history: RunHistory
  private let needed: Set<Int>
  /// The steps that are drawn, in order.
  let steps: [Int]

  init(_ history: RunHistory, _ needed: Set<Int>) {
    self.history = history
    self.needed = needed
    let steps = history.trace.steps
    let awaited = Set(
      steps.compactMap { step -> String? in
        if case .waits(let queue) = step.stop { return queue }
        return nil
      })
    let committing = Set(history.commits.map(\.step))
    var lastQueue: [Int: String] = [:]
    self.steps = steps.indices.filter { index in
      let step = steps[index]
      defer { lastQueue[step.party] = step.queue }
      if step.touches.contains(where: { !$0.isQueue && !($0.isTable && $0.isWrite) }) {
        return true
      }
      if step.point == RunHistory.trespass { return true }
      if committing.contains(index) || !step.notes.isEmpty || step.isSwitch { return true }
      if !step.decided.isEmpty { return true }
      if let choice = step.choice, Self.isTurn(choice, in: needed, history.trace) { return true }
      switch step.stop {
      case .waits, .waitsFor: return true
      case .abandoned, .ended, nil: break
      }
      // The thread that another one waits for entered here.
      if let queue = step.queue, awaited.contains(queue), lastQueue[step.party] != queue {
        return true
      }
      return false
    }
  }

  /// What is left out, in a sentence.
  static let rule =
    "they touch no row, have no note, interrupt no thread, and make no thread wait"

  /// The steps that are drawn, those of one sort that one party makes in a row together.
  func groups(_ gaps: GapFinder) -> [[Int]] {
    let committing = Set(history.commits.map(\.step))
    var groups: [[Int]] = []
    for index in steps {
      if let last = groups.last?.last, !committing.contains(last), !committing.contains(index),
        isSameSort(last, index), gaps.gaps(at: last) == gaps.gaps(at: index)
      {
        groups[groups.count - 1].append(index)
      } else {
        groups.append([index])
      }
    }
    return groups
  }

  /// What a step did, without to what.
  private func verb(_ index: Int) -> Substring {
    StepWords(history).deed(of: index).prefix { $0 != " " }
  }

  private func isSameSort(_ one: Int, _ other: Int) -> Bool {
    let steps = history.trace.steps
    let party = steps[one].party
    return steps[one].point == steps[other].point && steps[one].queue == steps[other].queue
      && steps[one...other].allSatisfy { $0.party == party && $0.notes.isEmpty && $0.stop == nil }
      && turn(of: other) == nil
      && verb(one) == verb(other)
  }

  private func isNeeded(_ step: Trace.Step) -> Bool {
    step.choice.map { Self.isTurn($0, in: needed, history.trace) } ?? false
  }

  /// Whether a choice that is said to be needed did not go the default way.
  private static func isTurn(_ choice: Int, in needed: Set<Int>, _ trace: Trace) -> Bool {
    needed.contains(choice) && trace.choices.indices.contains(choice)
      && trace.choices[choice].chosen > 0
  }

  /// How the choice before a step went, if it did not go the default way.
  func turn(of index: Int) -> Drawing.Turn? {
    let step = history.trace.steps[index]
    let isNeeded = isNeeded(step)
    guard step.isSwitch || isNeeded else { return nil }
    var from = index > 0 ? history.lane(ofStep: index - 1) : nil
    if let choice = step.choice, history.trace.choices.indices.contains(choice) {
      from = history.laneOfParty[history.trace.choices[choice].options[0]]
    }
    return Drawing.Turn(isNeeded: isNeeded, from: step.isSwitch ? from : nil)
  }
}
