/// A student who is the scheduler: at each choice of a run they say who goes on.
///
/// Nothing is kept running between two answers. Every answer is a longer schedule, run from the
/// start with the default way after it; so undo is a shorter one.
///
///     choosing ──`choose`, `goOn`──▶ choosing ──no choice is left──▶ over
public struct StepSession {
  /// One who can go on.
  public struct Option {
    /// The lane, `B context 1`.
    public var label: String
    /// What it would do next, in one line.
    public var next: String
  }

  private let replayer: Replayer
  private var turns: [Schedule.Turn] = []
  /// The choice that is to be made.
  private var choice = 0
  private var passed: [(turns: [Schedule.Turn], choice: Int)] = []
  /// The run of what was chosen, with the default way after it.
  public private(set) var replay: Replay
  private var history: RunHistory
  /// The first step that was not told yet.
  private var told = 0

  /// Begins with nothing chosen.
  public init(_ replayer: Replayer) throws {
    self.replayer = replayer
    replay = try replayer.replay(Schedule())
    history = RunHistory(replay.trace)
  }

  private var trace: Trace { replay.trace }

  /// Whether no choice is left.
  public var isOver: Bool { choice >= trace.choices.count }

  /// The number of the choice that is to be made, from 1.
  public var number: Int { choice + 1 }

  /// The id of what was chosen so far.
  public var id: ScheduleID { replayer.id(of: Schedule(turns)) }

  /// The step that comes after the choice.
  private var step: Int { isOver ? trace.steps.count : trace.choices[choice].step }

  // MARK: What the student does

  /// Lets one of the options go on; 0 is the default.
  public mutating func choose(_ option: Int) throws {
    passed.append((turns, choice))
    if option > 0 {
      turns.append(Schedule.Turn(choice: choice, option: option))
      try runAgain()
    }
    choice += 1
  }

  /// Lets everybody go on the default way, to the end.
  public mutating func goOn() { choice = trace.choices.count }

  /// Takes the last answer back; false if there is none.
  public mutating func undo() throws -> Bool {
    guard let last = passed.popLast() else { return false }
    (turns, choice) = last
    try runAgain()
    told = min(told, step)
    return true
  }

  private mutating func runAgain() throws {
    replay = try replayer.replay(Schedule(turns))
    history = RunHistory(trace)
  }

  // MARK: What the student sees

  /// What happened since it was last asked for, one step a line.
  public mutating func news(width: Int) -> [String] {
    defer { told = step }
    return told < step ? StepList(history, width: width).lines(told..<step) : []
  }

  /// Who can go on, the default first.
  public func options() throws -> [Option] {
    guard !isOver else { return [] }
    return try trace.choices[choice].options.indices.map { option in
      let run =
        option == 0
        ? history
        : RunHistory(
          try replayer.replay(
            Schedule(turns + [Schedule.Turn(choice: choice, option: option)])
          ).trace)
      let next = run.trace.steps.indices.contains(step) ? StepWords(run).line(of: step) : "ends"
      let party = trace.choices[choice].options[option]
      return Option(label: history.lanes[history.laneOfParty[party]].label, next: next)
    }
  }

  /// Why those who began and cannot go on cannot.
  public var stuck: [String] {
    let options = isOver ? [] : trace.choices[choice].options
    let lines = trace.parties.indices.compactMap { party -> String? in
      guard !options.contains(party), let last = lastStep(of: party) else { return nil }
      let label = history.lanes[history.laneOfParty[party]].label
      switch last.stop {
      case .waits(let queue):
        let holder = holder(of: queue, besides: party).map { ", which \($0) is inside" } ?? ""
        return "\(label) waits for queue \"\(queue)\"\(holder)"
      case .ended where party == 0: return "\(label) has nothing to do until it is handed something"
      case .ended, .abandoned, nil: return nil
      }
    }
    return lines.isEmpty ? ["Everybody who has not come to an end can go on."] : lines
  }

  private func lastStep(of party: Int) -> Trace.Step? {
    trace.steps[..<step].last { $0.party == party }
  }

  private func holder(of queue: String, besides waiting: Int) -> String? {
    let holder = trace.parties.indices.first { party in
      guard party != waiting, let last = lastStep(of: party), last.stop != .ended else {
        return false
      }
      return last.queue == queue || trace.parties[party].lane == "queue \"\(queue)\""
    }
    return holder.map { history.lanes[history.laneOfParty[$0]].label }
  }

  /// What is stored now, and what came of the run if nobody were interrupted any more.
  public var state: [String] {
    var things: [String] = []
    var versions: [String: String] = [:]
    for commit in history.commits where commit.step < step && commit.thing.hasPrefix("row ") {
      if versions[commit.thing] == nil { things.append(commit.thing) }
      let version = commit.version.map(RowVersion.words) ?? "deleted"
      versions[commit.thing] = "\(version), by \(history.lanes[commit.lane].label)"
    }
    let rows = things.prefix(Self.rowsMax).map { "\($0.dropFirst(4)): \(versions[$0]!)" }
    let more = things.count - rows.count
    return (rows.isEmpty ? ["Nothing was committed yet."] : rows)
      + (more > 0 ? ["and \(Figures.grouped(more)) more rows"] : [])
      + ["If everybody goes on the default way from here: \(outcome)"]
  }

  private static let rowsMax = 8

  /// What came of the run, with its grade.
  public var outcome: String { "\(trace.outcome) (\(trace.grade?.rawValue ?? "undeclared"))" }

  /// Whether the run may not end like this.
  public var isBad: Bool { replay.isBad }

  /// The phases of the save that comes next, if one does.
  public var phases: [String] {
    // Of those who can go on, whoever saves next.
    let options = isOver ? [] : Set(trace.choices[choice].options)
    let ahead = trace.steps.indices.dropFirst(step)
    guard
      let first = ahead.first(where: {
        options.contains(trace.steps[$0].party) && trace.steps[$0].point.hasPrefix("save")
      })
    else { return ["Nobody who can go on now has a save to come."] }
    let party = trace.steps[first].party
    let coming = ahead.filter { trace.steps[$0].party == party }
    let last = coming.first { $0 > first && trace.steps[$0].point == "save: committed" } ?? first
    var lines = ["the next save of \(history.lanes[history.laneOfParty[party]].label):"]
    var rows = 0
    for index in coming where (first...last).contains(index) {
      let point = trace.steps[index].point
      rows = point == "save: row" ? rows + 1 : 0
      if rows > 3 { continue }
      let isInside = point == "save: row" || point == "save: commit"
      let note = isInside ? "inside the transaction" : "somebody else may go on before it"
      lines.append("\(Wrapping.padded(point, 20))\(note)")
    }
    return lines + [
      "Inside a transaction nobody else is let run, and nothing is lost by that: no code of the"
        + " app runs there, who reads sees what was there before it, and who writes waits for its"
        + " end."
    ]
  }

  /// The nearest order that ends as it may not: with one choice made differently, else the smallest
  /// of at most two switches.
  public func nearestBad(version: String) throws -> (id: ScheduleID, words: String)? {
    if let id = try replayer.badNeighbour(of: Schedule(turns)) {
      return (id, "one choice away")
    }
    var options = Explorer.Options()
    options.sides = [replayer.side.name]
    options.parameters = replayer.parameters
    options.stopsAtFirst = true
    let exploration = try Explorer(version: version).explore(replayer.scenario, options)
    guard let side = exploration.sides.first,
      case .refuted(_, _, let found?) = Verdict(side, in: exploration)
    else { return nil }
    return (
      replayer.id(of: found.schedule),
      Exploration.counted(found.switches, "switch", "switches") + " from the default way"
    )
  }
}
