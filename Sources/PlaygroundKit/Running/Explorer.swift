import Foundation

/// Explores the orders of a scenario's sides: which outcomes there are, and by which order.
public struct Explorer: Sendable {
  /// What may be asked of an exploration.
  public struct Options: Sendable {
    /// How orders are chosen.
    public var strategy = Exploration.Strategy.exhaustive
    /// The most switches of an order; nil for no bound. Only the exhaustive strategy has one.
    public var bound: Int? = 2
    /// The most orders of a side; nil for no limit.
    public var ordersMax: Int?
    /// The longest time for a side; nil for no limit.
    public var timeMax: Duration?
    /// Whether a side is done as soon as a forbidden outcome was seen.
    public var stopsAtFirst = false
    /// Whether orders that equal one that was run are left out.
    public var skipsEqualOrders = true
    /// Values by the names of parameters.
    public var parameters: [String: Int] = [:]
    /// The names of the sides; all when empty.
    public var sides: [String] = []
    /// The seed of the first run, where orders are drawn by lot.
    public var seed: UInt64 = 1
    /// The most steps of a run.
    public var stepsMax = 10_000

    /// Asks for nothing in particular.
    public init() {}
  }

  /// Where an exploration stands.
  public struct Step: Sendable {
    public var scenario: Int
    public var side: String
    public var orders: Int
  }

  private let executable: String
  private let version: String
  private let progress: @Sendable (Step) -> Void

  /// Explores with an executable that calls `ControlledProcess.runIfAsked`; this very one if none
  /// is named.
  public init(
    executable: String = Runner.thisExecutable, version: String,
    progress: @escaping @Sendable (Step) -> Void = { _ in }
  ) {
    self.executable = executable
    self.version = version
    self.progress = progress
  }

  /// Explores a scenario.
  public func explore(
    _ scenario: any Scenario.Type, _ options: Options = Options()
  ) throws -> Exploration {
    let parameters = try Self.parameters(options.parameters, of: scenario)
    let sides = try Runner.sides(options.sides, of: scenario)
    let workspace = try Workspace()
    let found = try Interruption.cleaningUp(
      after: {
        try sides.map { side in
          let controlled = try ControlledSide(
            scenario, side: side, parameters: parameters, executable: executable, in: workspace)
          return try explore(controlled, side, scenario, options)
        }
      },
      with: { workspace.removeFiles() })
    return Exploration(
      tool: version, scenario: ScenarioRecord(scenario, parameters: parameters),
      parameters: scenario.parameters.map {
        ParameterRecord(
          name: $0.name, value: parameters[$0.name] ?? $0.explored, meaning: $0.meaning)
      },
      strategy: options.strategy,
      bound: options.strategy == .exhaustive ? options.bound : nil, seed: options.seed,
      sides: found)
  }

  /// The values of the parameters under control: those given, else the ones for exploring.
  static func parameters(
    _ given: [String: Int], of scenario: any Scenario.Type
  ) throws -> [String: Int] {
    var values = try Runner.values(given, for: scenario)
    for parameter in scenario.parameters where given[parameter.name] == nil {
      values[parameter.name] = parameter.explored
    }
    return values
  }

  private func explore(
    _ controlled: ControlledSide, _ side: Side, _ scenario: any Scenario.Type, _ options: Options
  ) throws -> Exploration.SideFound {
    let start = ContinuousClock.now
    var tally = OutcomeTally(scenario.outcomes)
    var search = ExhaustiveSearch(
      bound: options.bound, skipsEqualOrders: options.skipsEqualOrders)
    var drawn: UInt64 = 0
    var stepsMax = 0
    var knewTrespass = controlled.hasTrespass
    var isComplete = false
    while true {
      let orders = tally.orders
      if let most = options.ordersMax, orders >= most { break }
      if let most = options.timeMax, ContinuousClock.now - start > most { break }
      let seen: ControlledSide.Seen
      if options.strategy == .exhaustive {
        guard let schedule = search.next() else {
          isComplete = true
          break
        }
        seen = try controlled.run(.replay(schedule), stepsMax: options.stepsMax)
        if controlled.hasTrespass, !knewTrespass {
          // Steps that were taken for local are not: everything anew.
          knewTrespass = true
          search = ExhaustiveSearch(
            bound: options.bound, skipsEqualOrders: options.skipsEqualOrders)
          tally = OutcomeTally(scenario.outcomes)
          continue
        }
        search.learn(schedule, seen.choices)
      } else {
        seen = try controlled.run(
          .drawn(
            by: options.strategy, seed: options.seed, number: drawn, length: max(stepsMax, 20)),
          stepsMax: options.stepsMax)
        drawn += 1
      }
      stepsMax = max(stepsMax, seen.stepCount)
      tally.add(seen)
      if orders % 256 == 0 {
        progress(Step(scenario: scenario.card.number, side: side.name, orders: orders))
      }
      if options.stopsAtFirst, seen.grade == .forbidden || seen.grade == nil { break }
    }
    return Exploration.SideFound(
      name: side.name,
      place: scenario.sides.firstIndex { $0.name == side.name } ?? 0, kind: side.kind,
      outcomes: tally.outcomes, orders: tally.orders,
      ordersSkipped: search.skipped, isComplete: isComplete,
      isWhole: isComplete && search.isWhole,
      share: options.strategy == .exhaustive ? search.share : 0, stepsMax: stepsMax,
      nanoseconds: (ContinuousClock.now - start).nanoseconds)
  }
}

/// How often each outcome was seen, and by which order that is small.
struct OutcomeTally {
  private let declared: [Outcome]
  private var found: [String: Exploration.OutcomeFound] = [:]
  /// How many runs were counted.
  private(set) var orders = 0

  init(_ declared: [Outcome]) { self.declared = declared }

  /// Counts one run.
  mutating func add(_ seen: ControlledSide.Seen) {
    orders += 1
    let known = declared.first { $0.name == seen.outcome }
    var entry =
      found[seen.outcome]
      ?? Exploration.OutcomeFound(
        name: seen.outcome, grade: seen.grade, meaning: known?.meaning ?? seen.ending.detail,
        orders: 0, smallest: nil)
    entry.orders += 1
    if entry.smallest.map({ (seen.switches, seen.stepCount) < ($0.switches, $0.steps) }) ?? true {
      entry.smallest = Exploration.Found(
        schedule: Schedule(
          seen.choices.indices.filter { seen.choices[$0].chosen > 0 }.map {
            Schedule.Turn(choice: $0, option: seen.choices[$0].chosen)
          }), switches: seen.switches, steps: seen.stepCount)
    }
    found[seen.outcome] = entry
  }

  /// The outcomes in the order of their declaration, those never seen among them, others last.
  var outcomes: [Exploration.OutcomeFound] {
    let known = declared.map { outcome in
      found[outcome.name]
        ?? Exploration.OutcomeFound(
          name: outcome.name, grade: outcome.grade, meaning: outcome.meaning, orders: 0,
          smallest: nil)
    }
    let others = found.values.filter { entry in !declared.contains { $0.name == entry.name } }
    return known + others.sorted { $0.name < $1.name }
  }
}
