import Foundation

/// Arguments from the order of steps: kills, objects outside their queue, a main loop that stalls.
extension Explanation {
  // MARK: Other endings

  /// What was saved and what was not, of a run that did not reach the last line of its side.
  var ending: [String] {
    let ending = history.trace.ending
    guard ending.kind != .killed else { return killed }
    let detail = ending.detail.isEmpty ? "" : ": \(ending.detail)"
    return [
      "The run did not reach the last line of its side: \(ending.kind.words)\(detail).",
      "The rows that the steps read and wrote show no more.",
    ]
  }

  private var killed: [String] {
    guard history.commits.isEmpty else {
      return known
        + ["Then the process was killed, and every change that was only in memory is lost."]
    }
    let saves = savesIntoParents
    let parents = saves.prefix(2).map { save in
      "\(word(save.lane))'s save (\(place(save.first, save.last))) began no transaction: its"
        + " changes went to its parent on queue \"\(save.parent)\"."
    }
    return introduction(Array(Set(saves.map(\.lane)))) + parents + [
      "No row was committed before the process was killed, so every change is lost."
    ]
  }

  /// Saves that waited for another context's queue and began no transaction.
  private var savesIntoParents: [(lane: Int, first: Int, last: Int, parent: String)] {
    let steps = history.trace.steps
    return steps.indices.compactMap { first in
      guard steps[first].point == "save" else { return nil }
      let own = steps.indices[first...].dropFirst().filter { steps[$0].party == steps[first].party }
      let rest = own.prefix { steps[$0].point != "save" }
      guard let last = rest.first(where: { steps[$0].point == "save: committed" }) else {
        return nil
      }
      let inside = rest.prefix { $0 < last }
      guard let door = inside.first(where: { steps[$0].point == "enter queue" }),
        !inside.contains(where: { steps[$0].point == "save: begin" })
      else { return nil }
      return (history.lane(ofStep: first), first, last, steps[door].subject)
    }
  }

  // MARK: Outside the queue

  /// Objects that were used outside their queue, and what became of them meanwhile.
  var trespass: [String]? {
    let steps = history.trace.steps
    let all = steps.indices.filter { steps[$0].point == RunHistory.trespass }
    guard let first = all.first else { return nil }
    let party = steps[first].party
    let last = all.last { steps[$0].party == party }!
    let lane = history.laneOfParty[party]
    var uses: [String] = []
    for index in all
    where steps[index].party == party && !uses.contains(steps[index].subject) {
      uses.append(steps[index].subject)
    }
    let claim =
      "\(word(lane)) used objects outside their queue (\(place(first, last)):"
      + " \(uses.prefix(3).joined(separator: ", "))\(uses.count > 3 ? " …" : ""))."
    let close = "Outside its queue an object is not protected from other threads."
    if let change = change(besides: lane, during: first, last) {
      return introduction([lane, change.commit.lane, change.read.lane])
        + [claim, told(change, last), close]
    }
    let between = (first...last).first { steps[$0].party != party }
    let other = between.map { index in
      ["Between these steps \(word(history.lane(ofStep: index))) ran (step \(index + 1))."]
    }
    return introduction([lane]) + [claim] + (other ?? []) + [close]
  }

  /// A row that another lane read anew while the objects were in use, or only afterwards, though it
  /// had been replaced before.
  private func change(
    besides lane: Int, during first: Int, _ last: Int
  ) -> (commit: Access, read: Access)? {
    let found = history.reads.compactMap { read -> (commit: Access, read: Access)? in
      guard read.lane != lane, read.step > first, read.thing.hasPrefix("row "),
        let commit = history.commits.last(where: {
          $0.thing == read.thing && $0.step < first && $0.lane != read.lane
        }), commit.version == read.version, commit.version != nil,
        history.reads.contains(where: {
          $0.lane == read.lane && $0.thing == read.thing && $0.step < commit.step
        }),
        !history.reads.contains(where: {
          $0.lane == read.lane && $0.thing == read.thing && commit.step < $0.step
            && $0.step < read.step
        })
      else { return nil }
      return (commit, read)
    }
    return found.last { $0.read.step < last } ?? found.last
  }

  private func told(_ change: (commit: Access, read: Access), _ last: Int) -> String {
    let (commit, read) = change
    let reader = word(read.lane)
    let committed =
      "\(word(commit.lane)) had committed \(version(commit)) of \(bare(commit.thing))"
      + " (\(at(commit)))"
    return read.step < last
      ? "\(committed); \(reader) read it between these steps (\(at(read))), so its object had one"
        + " version before and another one after."
      : "\(committed); \(reader) read it only after these steps (\(at(read))), so its object still"
        + " had the older version."
  }

  // MARK: The main loop

  /// For how long the main loop was kept from its next turn, and by what.
  var stall: [String]? {
    let stalled = history.trace.metrics.first { $0.name == Metric.longestStall }
    guard case .number(let late) = stalled?.amount, late > 0, let turn = longestTurn else {
      return nil
    }
    let steps = history.trace.steps
    let own = turn.filter { steps[$0].party == 0 }
    let took = steps[turn.last!].end - steps[turn.first!].start
    let commits = history.commits.filter { commit in
      history.lanes[commit.lane].name == "main" && commit.thing.hasPrefix("row ")
        && turn.contains(commit.step)
    }
    let queue = own.lazy.compactMap { steps[$0].queue }.first { $0 != "main" }
    var doing: [String] = []
    if let queue { doing.append("was inside queue \"\(queue)\"") }
    if let last = commits.last {
      let rows = Exploration.counted(commits.count, "row", "rows")
      doing.append("committed \(rows) (\(at(last)))")
    }
    return [
      "main did not return to its loop from step \(turn.first! + 1) to step"
        + " \(turn.last! + 1): \(milliseconds(took)) of virtual time, where a frame is due every"
        + " \(milliseconds(MainLoopMeter.frameNanoseconds)).",
      doing.isEmpty
        ? "Every thread that needs main waits as long."
        : "Meanwhile it \(doing.joined(separator: " and ")).",
    ]
  }

  /// The steps of the main loop's longest turn, those of others between them included.
  private var longestTurn: ClosedRange<Int>? {
    let steps = history.trace.steps
    var longest: ClosedRange<Int>?
    var first: Int?
    for index in steps.indices where steps[index].party == 0 {
      let begin = first ?? index
      let took = steps[index].end - steps[begin].start
      if took >= longest.map({ steps[$0.upperBound].end - steps[$0.lowerBound].start }) ?? 0 {
        longest = begin...index
      }
      first = steps[index].stop == .ended ? nil : begin
    }
    return longest
  }

  private func milliseconds(_ nanoseconds: Int) -> String {
    String(format: "%.1f ms", Double(nanoseconds) / 1e6)
  }

  private func place(_ first: Int, _ last: Int) -> String {
    last > first ? "steps \(first + 1) to \(last + 1)" : "step \(first + 1)"
  }
}
