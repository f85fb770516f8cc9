import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// Runs every schedule of a scenario up to a bound, or a random sample of all schedules.
struct ExploreCommand: PageCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Run every schedule of a scenario up to a bound, one step at a time.",
    discussion: """
      faultline explore 27
      faultline explore 27 --bound 3 --side right
      faultline explore 27 --strategy pct --budget 5s
      faultline explore 9 --stop-at-first
      faultline explore 27 --step          choose which thread runs next

      A schedule is one order of the steps. A switch interrupts a thread or task that could have \
      continued.

      The exit code is 0 if every outcome was declared and no right side had a forbidden \
      outcome, 1 if not, 5 if a run reached its limit of steps, and 6 if the budget ran out before \
      there was an answer.
      """)

  /// The scenario, as typed.
  @Argument(help: "The scenario, by its number or name, or a folder of yours.")
  var scenario: String

  /// The most switches of a schedule, as typed.
  @Option(
    parsing: .unconditional, help: "The most switches in a schedule; 2 unless given.")
  var bound: String?

  /// Whether a schedule may have any number of switches.
  @Flag(name: .customLong("no-bound"), help: "Any number of switches; this may never end.")
  var noBound = false

  /// How schedules are chosen, as typed.
  @Option(
    help: """
      How schedules are chosen: dfs (all of them), or by random sampling: random, pct, starve-main \
      or portfolio.
      """)
  var strategy: String?

  /// The most that a side may take, as typed.
  @Option(
    parsing: .unconditional,
    help: "The limit for each side: a time such as 5s, or a number of schedules such as 20000.")
  var budget: String?

  /// Whether the first forbidden outcome is enough.
  @Flag(
    name: .customLong("stop-at-first"),
    help: "Stop exploring a side at its first forbidden outcome.")
  var stopsAtFirst = false

  /// Whether the learner chooses.
  @Flag(help: "Choose at each step which thread or task runs next.")
  var step = false

  /// The sides to explore; all when empty.
  @Option(name: .customLong("side"), help: "Explore only this side; repeat for several.")
  var sides: [String] = []

  /// Parameters with their values.
  @OptionGroup var settings: SettingOptions

  /// Sides of ours beside a learner's.
  @OptionGroup var beside: BesideOption

  /// The seed of a random sample.
  @OptionGroup var seed: SeedOption

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// Explores and prints the result.
  func run() throws {
    try ChosenScenario.with(scenario, beside: beside.names) { try run($0) }
  }

  private func run(_ scenario: RunnableScenario) throws {
    if step { return try stepThrough(scenario) }
    let options = try options(for: scenario)
    let output = try page.destination()
    let exploration = try explore(scenario, options)
    try output.write(printed(exploration))
    Output.keep(exploration.ids)
    if exploration.status != .done { throw Leave(status: exploration.status) }
  }

  func text(_ style: PageStyle) throws -> String {
    let scenario = try ScenarioID.scenario(scenario, in: Catalogue.all)
    let exploration = try explore(scenario, try options(for: scenario))
    Output.keep(exploration.ids)
    return ExplorePage(exploration, style).text
  }

  /// Lets the learner choose on one side, the first wrong one if none is named.
  private func stepThrough(_ scenario: RunnableScenario) throws {
    let others = [
      ("--bound", bound != nil), ("--no-bound", noBound), ("--strategy", strategy != nil),
      ("--budget", budget != nil), ("--stop-at-first", stopsAtFirst), ("--json", page.json),
      ("--plain", page.plain), ("--quiet", page.quiet), ("--seed", seed.seed != nil),
      ("-o", page.output != nil),
    ]
    if let other = others.first(where: \.1) {
      throw Complaint(.usage, "--step does not take \(other.0): remove one of them.")
    }
    guard sides.count <= 1 else {
      throw Complaint(.usage, "--step goes through one side: give --side only once.")
    }
    let side = try Replayer.side(sides.first, of: scenario)
    Replayer.trouble.map(Output.complain)
    let values = try settings.values(for: [scenario])
    let status = try Replayer.with(scenario, side: side, parameters: values) {
      try StepLoop(scenario, side, page.style).run($0)
    }
    if status != .done { throw Leave(status: status) }
  }

  private func explore(
    _ scenario: RunnableScenario, _ options: Explorer.Options
  ) throws -> Exploration {
    let progress = ProgressLine(verbose: page.verbose, quiet: page.quiet)
    defer { progress.finish() }
    let explorer = Explorer(version: FaultlineCommand.version) { progress.tell($0) }
    return try explorer.explore(scenario, options)
  }

  private func printed(_ exploration: Exploration) throws -> String {
    if page.json { return try Output.json(ExplorationRecord(exploration)) }
    if page.plain { return PlainExploration(exploration).text }
    if page.quiet {
      let verdicts = exploration.sides.map { side in
        "\(side.name) \(Verdict(side, in: exploration).words)"
      }
      return "\(exploration.scenario.word): \(verdicts.joined(separator: " · "))\n"
    }
    return ExplorePage(exploration, page.style).text
  }

  // MARK: The options

  private func options(for scenario: RunnableScenario) throws -> Explorer.Options {
    var options = Explorer.Options()
    options.strategy = try strategyMeant()
    options.bound = try boundMeant(options.strategy)
    (options.timeMax, options.ordersMax) = try budgetMeant()
    if options.strategy != .exhaustive, options.timeMax == nil, options.ordersMax == nil {
      options.ordersMax = Self.drawn
    }
    options.stopsAtFirst = stopsAtFirst
    options.parameters = try settings.values(for: [scenario])
    options.sides = sides
    options.seed = try seed.value
    return options
  }

  /// How many schedules are sampled without a budget: sampling never ends by itself.
  private static let drawn = 2_000

  private func strategyMeant() throws(Complaint) -> Exploration.Strategy {
    guard let strategy else { return .exhaustive }
    guard let known = Exploration.Strategy(rawValue: strategy) else {
      let names = Exploration.Strategy.allCases.map(\.rawValue)
      let near = NearestName.of(strategy, among: names).map { "; did you mean \($0)?" } ?? "."
      throw Complaint(
        .usage, "--strategy \(strategy): choose from \(names.joined(separator: ", "))\(near)")
    }
    return known
  }

  private func boundMeant(_ strategy: Exploration.Strategy) throws(Complaint) -> Int? {
    if bound != nil || noBound, strategy != .exhaustive {
      throw Complaint(
        .usage,
        "A bound needs --strategy dfs; --strategy \(strategy.rawValue) runs a random sample.")
    }
    guard let bound else { return noBound ? nil : Explorer.Options().bound }
    if noBound {
      throw Complaint(.usage, "--bound and --no-bound cannot be combined: give one of them.")
    }
    guard let most = Int(bound), most >= 0 else {
      throw Complaint(
        .usage, "--bound \(bound): give the largest number of switches, 0 or more.")
    }
    return most
  }

  private func budgetMeant() throws(Complaint) -> (time: Duration?, orders: Int?) {
    guard let budget else { return (nil, nil) }
    for (unit, seconds) in [("ms", 0.001), ("s", 1), ("min", 60)] where budget.hasSuffix(unit) {
      if let count = Double(budget.dropLast(unit.count)), count > 0, count * seconds < 1e9 {
        return (.seconds(count * seconds), nil)
      }
    }
    if let orders = Int(budget.filter { $0 != "_" && $0 != "," }), orders > 0 {
      return (nil, orders)
    }
    throw Complaint(
      .usage,
      "--budget \(budget): give a time such as 5s, 500ms or 2min, or a number of schedules such as"
        + " 20000.")
  }
}
