/// A run whose scheduler is the user: at each choice they say which thread or task runs next.
///
/// Nothing is kept running between two answers. Every answer makes the schedule longer, and the
/// whole run is made again, with defaults after the last answer; so undo makes it shorter.
///
///     choosing ──`choose`, `jump`, `finish`──▶ choosing ──no choice is left──▶ over
public struct StepSession {
  /// A thread or task that can run next; no two of one choice read the same.
  public struct Option {
    /// The lane, `B context 1`, or the task.
    public var label: String
    /// What it would do next, in one line.
    public var next: String
  }

  private let replayer: Replayer
  private var turns: [Schedule.Turn] = []
  /// The choice that is to be made.
  private var choice = 0
  private var passed: [(turns: [Schedule.Turn], choice: Int)] = []
  /// The run of what was chosen, with defaults after it.
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

  // MARK: What the user does

  /// Lets one of the options run; 0 is the default.
  public mutating func choose(_ option: Int) throws {
    passed.append((turns, choice))
    if option > 0 {
      turns.append(Schedule.Turn(choice: choice, option: option))
      try runAgain()
    }
    choice += 1
  }

  /// Takes the default at every choice that is left.
  public mutating func finish() { choice = trace.choices.count }

  /// Takes defaults up to the choice before the next save or fetch; one answer for `undo`.
  ///
  /// - Returns: false if no save or fetch follows in the default way; then nothing has changed.
  public mutating func jump() -> Bool {
    let next = trace.choices.indices.dropFirst(choice + 1).first { number in
      let step = trace.choices[number].step
      return trace.steps.indices.contains(step) && Self.jumpPoints.contains(trace.steps[step].point)
    }
    guard let next else { return false }
    passed.append((turns, choice))
    choice = next
    return true
  }

  private static let jumpPoints: Set<String> = ["fetch", "save"]

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

  // MARK: What the user sees

  /// What stands over the lines of steps.
  public func heading(width: Int) -> String { StepList(history, width: width).heading }

  /// What happened since it was last asked for, one step a line.
  public mutating func news(width: Int) -> [String] {
    defer { told = step }
    return told < step ? StepList(history, width: width).lines(told..<step) : []
  }

  /// The threads and tasks that can run next, the default first.
  public func options() throws -> [Option] {
    guard !isOver else { return [] }
    let options = try trace.choices[choice].options.indices.map { option in
      let run =
        option == 0
        ? history
        : RunHistory(
          try replayer.replay(
            Schedule(turns + [Schedule.Turn(choice: choice, option: option)])
          ).trace)
      let place =
        run.trace.steps.indices.contains(step)
        ? run.trace.steps[step].place.map { " at \($0)" } ?? "" : ""
      return Option(
        label: label(of: trace.choices[choice].options[option]) + place, next: coming(in: run))
    }
    return Self.distinct(options)
  }

  /// A lane, or a task by its number.
  private func label(of party: Int) -> String {
    let lane = history.lanes[history.laneOfParty[party]]
    return lane.name == "tasks" ? trace.parties[party].name : lane.label
  }

  /// What comes after the choice in a run; of a thread that merely starts or continues, also what
  /// it does after that.
  private func coming(in run: RunHistory) -> String {
    let steps = run.trace.steps
    guard steps.indices.contains(step) else { return "ends" }
    let words = StepWords(run)
    func told(_ index: Int) -> String { words.line(of: index) }
    let party = steps[step].party
    let later = steps.indices.dropFirst(step + 1).first { steps[$0].party == party }
    guard steps[step].point == "goes on", steps[step].notes.isEmpty, steps[step].stop == nil,
      let later
    else { return told(step) }
    return "\(told(step)), then \(told(later))"
  }

  /// Options that would read the same are numbered.
  private static func distinct(_ options: [Option]) -> [Option] {
    var seen: [String: Int] = [:]
    var result = options
    for index in options.indices {
      let same = options.count {
        $0.label == options[index].label && $0.next == options[index].next
      }
      guard same > 1 else { continue }
      let text = "\(options[index].label): \(options[index].next)"
      seen[text, default: 0] += 1
      result[index].label += ", block \(seen[text]!)"
    }
    return result
  }

  /// Why the threads that have started and cannot run cannot.
  public var stuck: [String] {
    let options = isOver ? [] : trace.choices[choice].options
    let lines = trace.parties.indices.compactMap { party -> String? in
      guard !options.contains(party), let last = lastStep(of: party) else { return nil }
      let label = history.lanes[history.laneOfParty[party]].label
      switch last.stop {
      case .waits(let queue):
        let holder = holder(of: queue, besides: party).map { ", which \($0) holds" } ?? ""
        return "\(label) waits for \(RunHistory.named(queue: queue))\(holder)"
      case .waitsFor(let words): return "\(label) waits for \(words)"
      case .ended where party == 0:
        return "\(label) has nothing to do until another thread gives it a block"
      case .ended, .abandoned, nil: return nil
      }
    }
    return lines.isEmpty ? ["Every thread that has not ended can run."] : lines
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

  /// What is stored now, and the outcome if only defaults follow.
  public var state: [String] {
    var things: [String] = []
    var versions: [String: String] = [:]
    for commit in history.commits where commit.step < step && commit.thing.hasPrefix("row ") {
      if versions[commit.thing] == nil { things.append(commit.thing) }
      let version = commit.version.map(RowVersion.words) ?? "deleted"
      let values = commit.values.isEmpty ? "" : " (\(history.words(commit.values)))"
      versions[commit.thing] = "\(version)\(values), by \(history.lanes[commit.lane].label)"
    }
    let rows = things.prefix(Self.rowsMax).map { "\($0.dropFirst(4)): \(versions[$0]!)" }
    let more = things.count - rows.count
    return (rows.isEmpty ? ["Nothing has been committed yet."] : rows)
      + (more > 0 ? ["and \(Figures.grouped(more)) more rows"] : [])
      + ["With the default choices from here on: \(outcome)"]
  }

  private static let rowsMax = 8

  /// The outcome of the run, with its grade.
  public var outcome: String { "\(trace.outcome) (\(trace.grade?.rawValue ?? "undeclared"))" }

  /// Whether the outcome is forbidden.
  public var isBad: Bool { replay.isBad }

  /// The phases of the save that comes next, if one does.
  public var phases: [String] {
    // Of the threads that can run, the one that saves next.
    let options = isOver ? [] : Set(trace.choices[choice].options)
    let ahead = trace.steps.indices.dropFirst(step)
    guard
      let first = ahead.first(where: {
        options.contains(trace.steps[$0].party) && trace.steps[$0].point.hasPrefix("save")
      })
    else { return ["No thread that can run now has a save ahead of it."] }
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
      let note = isInside ? "inside the transaction" : "another thread may run before it"
      let phase = StepWords(history).phase(index)
      lines.append(Wrapping.padded(phase, 46) + note)
    }
    return lines + [
      "Inside a transaction no other thread is chosen. This hides no outcome: no code of the app"
        + " runs there, readers see the state before it, and writers wait until it ends."
    ]
  }

  /// The nearest schedule with a forbidden outcome: with one choice made differently, else the
  /// smallest of at most two switches.
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
      Exploration.counted(found.switches, "switch", "switches") + " from the default schedule"
    )
  }
}
