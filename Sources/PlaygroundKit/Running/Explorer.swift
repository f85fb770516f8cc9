import Faultline
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
    /// The seed of the first run, if schedules are sampled randomly.
    public var seed: UInt64 = 1
    /// The most steps of a run.
    public var stepsMax = 10_000

    /// Asks for nothing in particular.
    public init() {}
  }

  /// Where an exploration stands: how many orders of all its sides were run.
  public struct Step: Sendable {
    public var scenario: String
    public var orders: Int
  }

  private let version: String
  private let progress: @Sendable (Step) -> Void

  /// Prepares explorations whose records name the version of the tool.
  public init(version: String, progress: @escaping @Sendable (Step) -> Void = { _ in }) {
    self.version = version
    self.progress = progress
  }

  /// Explores a scenario, its sides at the same time on as many processors as there are.
  public func explore(
    _ scenario: RunnableScenario, _ options: Options = Options()
  ) throws -> Exploration {
    let parameters = try Self.parameters(options.parameters, of: scenario)
    let sides = try Runner.sides(options.sides, of: scenario)
    let workspace = try Workspace()
    let start = ContinuousClock.now
    let found = try Interruption.cleaningUp(
      after: {
        let orders = Lock(0)
        let given = try GivenStore.files(for: sides, of: scenario, parameters, in: workspace)
        return try Self.atOnce(sides) { side in
          let controlled = try ControlledSide(
            scenario, side: side, parameters: parameters, given: given[side.name], in: workspace)
          return try Self.explore(controlled, side, scenario, options) { _ in
            let count = orders.withLock { count in
              count += 1
              return count
            }
            if count % 256 == 1 { progress(Step(scenario: scenario.word, orders: count)) }
            return true
          }
        }
      },
      with: { workspace.removeFiles() })
    return Exploration(
      tool: version, scenario: ScenarioRecord(scenario.description, parameters: parameters),
      parameters: scenario.parameters.map {
        ParameterRecord(
          name: $0.name, value: parameters[$0.name] ?? $0.explored, meaning: $0.meaning)
      },
      settings: Self.settings(parameters, of: scenario), strategy: options.strategy,
      bound: options.strategy == .exhaustive ? options.bound : nil, seed: options.seed,
      sides: found, nanoseconds: (ContinuousClock.now - start).nanoseconds)
  }

  /// The values of the parameters under control: those given, else the ones for exploring.
  static func parameters(
    _ given: [String: Int], of scenario: RunnableScenario
  ) throws(Complaint) -> [String: Int] {
    var values = try Runner.values(given, for: scenario)
    for parameter in scenario.parameters where given[parameter.name] == nil {
      values[parameter.name] = parameter.explored
    }
    return values
  }

  /// The values that are not those for exploring, as `name=value`: an id needs them beside it.
  static func settings(_ parameters: [String: Int], of scenario: RunnableScenario) -> [String] {
    scenario.parameters.compactMap { parameter in
      let value = parameters[parameter.name] ?? parameter.explored
      return value == parameter.explored ? nil : "\(parameter.name)=\(value)"
    }
  }

  /// Does something with each item, with as many at a time as there are processors, each on one of
  /// its own.
  static func atOnce<Item: Sendable, Found: Sendable>(
    _ items: [Item], _ body: @Sendable (Item) throws -> Found
  ) throws -> [Found] {
    let results = Lock<[Result<Found, any Error>?]>(Array(repeating: nil, count: items.count))
    DispatchQueue.concurrentPerform(iterations: items.count) { index in
      let result = Result { try ProcessUse.onOneProcessor { try body(items[index]) } }
      results.withLock { $0[index] = result }
    }
    return try results.withLock { $0 }.map { try $0!.get() }
  }

  /// Explores one side, and tells of each run, until it is told to stop; after `restart` all of
  /// them are made anew.
  static func explore(
    _ controlled: ControlledSide, _ side: Side.Description, _ scenario: RunnableScenario,
    _ options: Options, restart: () -> Void = {}, hasRun: (ControlledSide.Seen) throws -> Bool
  ) throws -> Exploration.SideFound {
    let start = ContinuousClock.now
    func newSearch() -> ExhaustiveSearch {
      ExhaustiveSearch(bound: options.bound, skipsEqualOrders: options.skipsEqualOrders)
    }
    var tally = OutcomeTally(scenario.outcomes)
    var search = newSearch()
    var drawn: UInt64 = 0
    var stepsMax = 0
    var knewTrespass = false
    var isRepeatable = true
    while true {
      if let most = options.ordersMax, tally.orders >= most { break }
      if let most = options.timeMax, ContinuousClock.now - start > most { break }
      var seen: ControlledSide.Seen
      if options.strategy == .exhaustive {
        guard let schedule = search.next() else { break }
        seen = try controlled.run(.replay(schedule), stepsMax: options.stepsMax)
        if controlled.hasTrespass, !knewTrespass {
          // Steps that were taken for local are not: everything anew.
          knewTrespass = true
          search = newSearch()
          tally = OutcomeTally(scenario.outcomes)
          restart()
          continue
        }
        isRepeatable = !seen.isMisfit && search.learn(schedule, seen.choices)
        if !isRepeatable { seen.becomeUnrepeatable() }
      } else {
        seen = try controlled.run(
          .drawn(
            by: options.strategy, seed: options.seed, number: drawn, length: max(stepsMax, 20)),
          stepsMax: options.stepsMax)
        drawn += 1
      }
      stepsMax = max(stepsMax, seen.stepCount)
      tally.add(seen)
      let goesOn = try hasRun(seen)
      if options.stopsAtFirst && seen.isBad || !isRepeatable || !goesOn { break }
    }
    let isComplete = options.strategy == .exhaustive && isRepeatable && search.isDone()
    return Exploration.SideFound(
      name: side.name,
      subject: scenario.origin(of: side).subject, place: scenario.origin(of: side).place,
      kind: side.kind,
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
        schedule: seen.schedule, switches: seen.switches, steps: seen.stepCount)
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
