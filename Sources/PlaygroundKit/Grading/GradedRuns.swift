import Foundation

/// Every schedule of a learner's side up to a bound, run twice: what the judge looks at.
///
/// The second time they are run in another process and in another order (`SecondPass`), and must
/// come out the same. What a requirement asks of a database is asked right after the run that left
/// it, in this process.
struct GradedRuns {
  /// One schedule that was run.
  struct Run: Sendable {
    var schedule: Schedule
    var outcome: String
    var ending: Ending
    var isBad: Bool
    var switches: Int
    var steps: Int
    var eventsHash: UInt64
    /// The rows it left, as a number; dates do not count.
    var rowsHash: UInt64
    var metrics: [Metric]
    /// The first use of a context or an object outside its queue, in a few words.
    var violation: String?
    /// Whether the store is as it should be, or what a note should say, by requirements.
    var isRight: [String: Bool] = [:]

    /// The words noted under a name.
    func text(_ name: String) -> String? {
      if case .text(let text)? = metrics.last(where: { $0.name == name })?.amount {
        text
      } else {
        nil
      }
    }

    /// Whether it reached its last line, or was killed on purpose.
    var comesToItsEnd: Bool { ending.kind == .finished || ending.kind == .killed }

    /// The figure of a name.
    func figure(_ name: String) -> Int? {
      if case .number(let number)? = metrics.last(where: { $0.name == name })?.amount {
        number
      } else {
        nil
      }
    }
  }

  /// Why there is no answer.
  enum Failure: Error, Equatable {
    /// The same choices did not lead to the same steps.
    case notDeterministic(String)
    /// There are more schedules than a check may run.
    case tooMany(Int)
  }

  /// All runs, in the order of the search.
  let runs: [Run]
  /// Why not every schedule was run, in words; nil if each was.
  let cut: String?
  /// The values of the parameters by their names.
  let parameters: [String: Int]
  /// Makes an id of a schedule.
  let id: @Sendable (Schedule) -> ScheduleID

  /// Why the last run says nothing about the code, if it was not under control.
  var loss: String? {
    guard let last = runs.last, last.isBad, last.ending.kind == .uncontrolled else { return nil }
    return last.ending.detail
  }

  /// The limit that a run hit, in words, if one did.
  var limit: String? { runs.lazy.map(\.ending).first { $0.kind == .limit }?.detail }

  private static func isEndless(_ kind: Ending.Kind) -> Bool {
    switch kind {
    case .limit, .hung, .uncontrolled, .crashed, .exited, .stopped: true
    case .finished, .threw, .killed, .deadlock, .diskFull: false
    }
  }

  /// The most steps of one run.
  private static let stepsMax = 5_000
  /// The most schedules of a check.
  static let schedulesMax = 20_000

  /// Runs every schedule of a scenario's first side, twice if it is repeated, and no more than so
  /// many once something is wrong.
  ///
  /// - Throws: `Failure` when there is no answer, `Complaint` when something of ours fails.
  init(
    of scenario: RunnableScenario, bound: Int, _ parameters: [String: Int] = [:],
    asking requirements: [Requirement], isRepeating: Bool = true,
    schedulesMaxOfWrong: Int = schedulesMax, in workspace: Workspace
  ) throws {
    let side = scenario.sides[0]
    let origin = scenario.origin(of: side)
    id = { ScheduleID(origin.subject, side: origin.place, schedule: $0) }
    let values = try Explorer.parameters(parameters, of: scenario)
    self.parameters = values
    let given = try GivenStore.files(for: [side], of: scenario, values, in: workspace)[side.name]
    func controlled() throws -> ControlledSide {
      try ControlledSide(scenario, side: side, parameters: values, given: given, in: workspace)
    }
    let first = try controlled()
    // Used by the thread of the second pass only, until that has ended.
    nonisolated(unsafe) let second = isRepeating ? try controlled() : nil
    let again = second.map { second in
      nonisolated(unsafe) let second = second
      return SecondPass { schedule, hasTrespass in
        if hasTrespass { second.expectTrespass() }
        return Self.run(
          try second.run(.replay(schedule), stepsMax: Self.stepsMax), requirements)
      }
    }
    // Their processes end before the files of the workspace are removed, and not some time later
    // when the thread of the second pass lets go of its side.
    defer {
      first.endChild()
      second?.endChild()
    }
    let found = Result {
      try ProcessUse.onOneProcessor {
        try Self.runs(of: first, side, scenario, bound, requirements, schedulesMaxOfWrong, again)
      }
    }
    if let different = try again?.finish() {
      let event = try Self.firstDifference(different, try controlled(), try controlled())
      throw Failure.notDeterministic("\(id(different))\(event)")
    }
    (runs, cut) = try found.get()
  }

  /// The first step in which two runs of a schedule differ: one in a new process, and one after
  /// another run. Empty if these two do not.
  private static func firstDifference(
    _ schedule: Schedule, _ first: ControlledSide, _ second: ControlledSide
  ) throws -> String {
    _ = try second.run(.replay(Schedule()), stepsMax: stepsMax)
    let traces = try [first, second].map {
      try $0.trace(.replay(schedule), stepsMax: stepsMax).trace
    }
    let words = traces.map { trace in
      trace.steps.map { step in
        "\(trace.parties[step.party].name): \(step.point) \(step.subject)"
      }
    }
    let count = max(words[0].count, words[1].count)
    let place = (0..<count).first { step in
      (words[0].indices.contains(step) ? words[0][step] : "")
        != (words[1].indices.contains(step) ? words[1][step] : "")
    }
    guard let place else { return "" }
    let both = words.map { $0.indices.contains(place) ? $0[place] : "nothing" }
    return ", step \(place + 1): \(both[0]), or \(both[1])"
  }

  private static func runs(
    of controlled: ControlledSide, _ side: Side.Description, _ scenario: RunnableScenario,
    _ bound: Int, _ requirements: [Requirement], _ schedulesMaxOfWrong: Int, _ again: SecondPass?
  ) throws -> (runs: [Run], cut: String?) {
    var runs: [Run] = []
    var isWrong = false
    var options = Explorer.Options()
    options.bound = bound
    options.ordersMax = schedulesMax
    options.stepsMax = stepsMax
    var isEndless = false
    let found = try Explorer.explore(
      controlled, side, scenario, options,
      restart: {
        runs = []
        isWrong = false
        again?.restart()
      },
      hasRun: { seen in
        let run = run(seen, requirements)
        runs.append(run)
        // A run that does not come to its end takes long to say so, one that takes its process
        // with it makes the next one start anew, and once is enough.
        isEndless = seen.isBad && Self.isEndless(seen.ending.kind)
        let isRepeatable = again?.add(run) ?? true
        isWrong = isWrong || run.isBad || run.isRight.values.contains(false)
        let isEnough = isWrong && runs.count >= schedulesMaxOfWrong
        return isRepeatable && !isEndless && !isEnough
      })
    if isEndless { return (runs, "a run did not come to its end") }
    if let last = runs.last, last.ending.kind == .uncontrolled {
      throw Failure.notDeterministic("")
    }
    if found.isComplete { return (runs, nil) }
    guard isWrong else { throw Failure.tooMany(runs.count) }
    return (runs, "something is wrong already in \(Figures.grouped(runs.count)) schedules")
  }

  /// What a verdict may ask for, shortened: a check keeps this of each of its runs, and a program
  /// may note a megabyte in each.
  private static func kept(_ metrics: [Metric], _ requirements: [Requirement]) -> [Metric] {
    Set(requirements.compactMap(\.kind.note)).compactMap { name in
      metrics.last { $0.name == name }?.shortened
    }
  }

  private static func run(_ seen: ControlledSide.Seen, _ requirements: [Requirement]) -> Run {
    var run = Run(
      schedule: seen.schedule, outcome: seen.outcome, ending: seen.ending, isBad: seen.isBad,
      switches: seen.switches,
      steps: seen.stepCount, eventsHash: seen.eventsHash, rowsHash: 0,
      metrics: kept(seen.observation?.metrics ?? [], requirements))
    guard let observation = seen.observation else { return run }
    run.rowsHash = (try? observation.store.rowsHash()) ?? 0
    run.violation = observation.violations.first.map {
      "\($0.operation) on \($0.context), from \($0.callerQueue)"
    }
    for requirement in requirements {
      switch requirement.kind {
      case .store(let isRight), .reach(_, where: let isRight?):
        run.isRight[requirement.name] = (try? isRight(observation)) ?? false
      case .golden(let name, let text):
        run.isRight[requirement.name] = (try? text(observation) == observation.text(name)) ?? false
      case .never, .reach, .schedules, .budget, .growth, .confined, .mutants, .accepts, .refuses,
        .free, .answer, .predict, .traced:
        break
      }
    }
    return run
  }

}

extension Requirement.Kind {
  /// The name of what it asks the notes of a run for, if it does.
  fileprivate var note: String? {
    switch self {
    case .budget(let name, _), .golden(let name, _), .growth(let name, _, _, _),
      .mutants(_, _, let name, _):
      name
    case .never, .reach, .schedules, .store, .answer, .predict, .traced, .confined, .accepts,
      .refuses, .free:
      nil
    }
  }
}

extension Metric {
  /// The most letters of a note that a finding tells.
  private static let lettersMax = 1_000

  /// The same with the beginning of its words.
  fileprivate var shortened: Metric {
    guard case .text(let text) = amount, !text.dropFirst(Self.lettersMax).isEmpty else {
      return self
    }
    return Metric(name, text.prefix(Self.lettersMax) + "…", good: good, section: section)
  }
}

extension GradedRuns.Run {
  /// Whether two runs are the same as far as a verdict may depend on them. A violation names
  /// contexts by numbers that depend on how many there have been in the process, and where a limit
  /// ends a run depends on the machine.
  func isSame(as other: GradedRuns.Run) -> Bool {
    if ending.kind == .limit { return ending == other.ending }
    return schedule == other.schedule && outcome == other.outcome && steps == other.steps
      && eventsHash == other.eventsHash && rowsHash == other.rowsHash && isRight == other.isRight
      && (violation == nil) == (other.violation == nil)
  }
}

extension StoreFile {
  /// All rows of all tables as one number, without dates: two runs are made at different times.
  func rowsHash() throws -> UInt64 {
    var text = ""
    let tables = try query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    for table in tables.flatMap({ $0 }) where !table.hasPrefix("sqlite_") {
      let columns = try query("SELECT name, type FROM pragma_table_info('\(table)')")
      let names = columns.filter { $0[1].uppercased() != "TIMESTAMP" }.map { "quote(\"\($0[0])\")" }
      guard !names.isEmpty else { continue }
      let rows =
        "SELECT \(names.joined(separator: "||','||")) AS row FROM \"\(table)\" ORDER BY rowid"
      text += try table + query("SELECT group_concat(row) FROM (\(rows))").joined().joined()
    }
    return text.utf8.fnvHash
  }
}
