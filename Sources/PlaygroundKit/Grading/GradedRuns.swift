import Foundation

/// Every schedule of a learner's side up to a bound, run twice: what the judge looks at.
///
/// The two searches are independent, each in a process of its own, and they must see the same. What
/// a requirement asks of a database is asked right after the run that left it, in this process.
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
  /// The values of the parameters by their names.
  let parameters: [String: Int]
  /// Makes an id of a schedule.
  let id: @Sendable (Schedule) -> ScheduleID

  /// The limit that a run hit, in words, if one did.
  var limit: String? { runs.lazy.map(\.ending).first { $0.kind == .limit }?.detail }

  private static func isEndless(_ kind: Ending.Kind) -> Bool {
    switch kind {
    case .limit, .hung, .uncontrolled, .crashed, .stopped: true
    case .finished, .threw, .killed, .deadlock, .diskFull: false
    }
  }

  /// The most steps of one run.
  private static let stepsMax = 5_000
  /// The most schedules of a check.
  private static let schedulesMax = 20_000

  /// Runs every schedule of a scenario's first side, twice.
  ///
  /// - Throws: `Failure` when there is no answer, `Complaint` when something of ours fails.
  init(
    of scenario: RunnableScenario, bound: Int, _ parameters: [String: Int] = [:],
    asking requirements: [Requirement], in workspace: Workspace
  ) throws {
    let side = scenario.sides[0]
    let origin = scenario.origin(of: side)
    id = { ScheduleID(origin.subject, side: origin.place, schedule: $0) }
    let values = try Explorer.parameters(parameters, of: scenario)
    self.parameters = values
    let given = try GivenStore.files(for: [side], of: scenario, values, in: workspace)[side.name]
    let passes = try Explorer.atOnce([1, 2]) { _ in
      let controlled = try ControlledSide(
        scenario, side: side, parameters: values, given: given, in: workspace)
      return try Self.runs(of: controlled, side, scenario, bound, requirements)
    }
    if let other = zip(passes[0], passes[1]).first(where: { !Self.areSame($0, $1) }) {
      throw Failure.notDeterministic("\(id(other.0.schedule))")
    }
    guard passes[0].count == passes[1].count else {
      throw Failure.notDeterministic("\(id(Schedule()))")
    }
    runs = passes[0]
  }

  private static func runs(
    of controlled: ControlledSide, _ side: Side.Description, _ scenario: RunnableScenario,
    _ bound: Int, _ requirements: [Requirement]
  ) throws -> [Run] {
    var runs: [Run] = []
    var options = Explorer.Options()
    options.bound = bound
    options.ordersMax = schedulesMax
    options.stepsMax = stepsMax
    var isEndless = false
    let found = try Explorer.explore(
      controlled, side, scenario, options, restart: { runs = [] },
      hasRun: { seen in
        runs.append(run(seen, requirements))
        // A run that does not come to its end takes long to say so, one that takes its process
        // with it makes the next one start anew, and once is enough.
        isEndless = seen.isBad && Self.isEndless(seen.ending.kind)
        return !isEndless
      })
    if isEndless { return runs }
    if runs.last?.outcome == Ending.Kind.uncontrolled.undeclaredName {
      throw Failure.notDeterministic("")
    }
    guard found.isComplete else { throw Failure.tooMany(runs.count) }
    return runs
  }

  private static func run(_ seen: ControlledSide.Seen, _ requirements: [Requirement]) -> Run {
    var run = Run(
      schedule: seen.schedule, outcome: seen.outcome, ending: seen.ending, isBad: seen.isBad,
      switches: seen.switches,
      steps: seen.stepCount, eventsHash: seen.eventsHash, rowsHash: 0,
      metrics: seen.observation?.metrics ?? [])
    guard let observation = seen.observation else { return run }
    run.rowsHash = (try? observation.store.rowsHash()) ?? 0
    run.violation = observation.violations.first.map {
      "\($0.operation) on \($0.context), from \($0.callerQueue)"
    }
    for requirement in requirements {
      switch requirement.kind {
      case .store(let isRight):
        run.isRight[requirement.name] = (try? isRight(observation)) ?? false
      case .golden(let name, let text):
        run.isRight[requirement.name] = (try? text(observation) == observation.text(name)) ?? false
      case .never, .reach, .schedules, .budget, .growth, .confined, .mutants, .free, .answer,
        .predict:
        break
      }
    }
    return run
  }

  private static func areSame(_ one: Run, _ other: Run) -> Bool {
    one.schedule == other.schedule && one.outcome == other.outcome && one.steps == other.steps
      && one.eventsHash == other.eventsHash && one.rowsHash == other.rowsHash
      && one.isRight == other.isRight && one.violation == other.violation
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
