/// Says for each lane why it did nothing in a step.
struct GapFinder {
  private let history: RunHistory
  /// The steps of each party, in order.
  private let stepsOf: [[Int]]

  init(_ history: RunHistory) {
    self.history = history
    var stepsOf = [[Int]](repeating: [], count: history.trace.parties.count)
    for (index, step) in history.trace.steps.enumerated() { stepsOf[step.party].append(index) }
    self.stepsOf = stepsOf
  }

  /// The reasons, lane by lane; nil for the lane that did the step.
  func gaps(at index: Int) -> [Drawing.Gap?] {
    let own = history.lane(ofStep: index)
    let options = options(before: index)
    return history.lanes.indices.map { lane in
      lane == own ? nil : gap(of: lane, at: index, options)
    }
  }

  /// The parties that could run when the step was chosen.
  private func options(before index: Int) -> Set<Int> {
    let trace = history.trace
    guard let choice = trace.steps[index].choice, trace.choices.indices.contains(choice) else {
      return []
    }
    return Set(trace.choices[choice].options)
  }

  /// 1. could run, 2. waits for a queue, 3. had no choice, 4. has stopped for now, 5. not begun,
  /// 6. ended.
  private func gap(of lane: Int, at index: Int, _ options: Set<Int>) -> Drawing.Gap {
    let parties = history.laneOfParty.indices.filter { history.laneOfParty[$0] == lane }
    if parties.contains(where: options.contains) { return .ready }
    var hasBegun = false
    var continues = false
    var canGoOn = false
    for party in parties {
      let before = stepsOf[party].last { $0 < index }
      if stepsOf[party].contains(where: { $0 > index }) { continues = true }
      guard let before else { continue }
      hasBegun = true
      switch history.trace.steps[before].stop {
      case .waits(let queue): return .waits(history.word(forQueue: queue))
      case .waitsFor(let words): return .waits(words)
      case nil: canGoOn = true
      case .ended, .abandoned: break
      }
    }
    // A thread that stopped for no reason of its own was interrupted.
    if canGoOn { return options.isEmpty ? .noChoice : .ready }
    // The main loop has no end of its own.
    if lane == 0 { return .nothing }
    if continues { return hasBegun ? .nothing : .notBegun }
    return hasBegun ? .ended : .notBegun
  }
}
