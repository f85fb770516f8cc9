import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// Runs a scenario in every order that a bound allows, or in a sample of all orders.
struct ExploreCommand: PageCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore", abstract: "Run a scenario in every order, one party at a time.",
    discussion: """
      faultline explore 27
      faultline explore 27 --bound 3 --side right
      faultline explore 27 --strategy pct --budget 5s
      faultline explore 9 --stop-at-first
      faultline explore 27 --step          you say who goes on

      Ends with 0 when every outcome was declared and no right side had a forbidden one, with 1 \
      when that is not so, with 5 when a run came to its limit of steps, with 6 when the budget \
      ended before there was an answer.
      """)

  /// The scenario, as typed.
  @Argument(help: "The scenario, by its number or name.")
  var scenario: String

  /// The most switches of an order, as typed.
  @Option(
    parsing: .unconditional, help: "The most switches of an order, 2 if nothing is said.")
  var bound: String?

  /// Whether an order may have as many switches as it likes.
  @Flag(name: .customLong("no-bound"), help: "Any number of switches; this may take for ever.")
  var noBound = false

  /// How orders are chosen, as typed.
  @Option(
    help: "How orders are chosen: dfs (all of them), random, pct, starve-main or portfolio.")
  var strategy: String?

  /// What a side may cost, as typed.
  @Option(parsing: .unconditional, help: "The most for a side: a time as 5s, or orders as 20000.")
  var budget: String?

  /// Whether the first forbidden outcome is enough.
  @Flag(name: .customLong("stop-at-first"), help: "Be done with a side at its first bad outcome.")
  var stopsAtFirst = false

  /// Whether the student chooses.
  @Flag(help: "Ask at each choice who goes on.")
  var step = false

  /// The sides to explore; all when empty.
  @Option(name: .customLong("side"), help: "Explore this side only; may be given more than once.")
  var sides: [String] = []

  /// Parameters with their values.
  @OptionGroup var settings: SettingOptions

  /// The seed of orders that are drawn.
  @OptionGroup var seed: SeedOption

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// Explores and prints what was found.
  func run() throws {
    let scenario = try ScenarioID.scenario(scenario, in: Catalogue.all, and: Matrix.scenarios)
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

  /// Lets the student choose on one side, the first wrong one if none is named.
  private func stepThrough(_ scenario: any Scenario.Type) throws {
    let others = [
      ("--bound", bound != nil), ("--no-bound", noBound), ("--strategy", strategy != nil),
      ("--budget", budget != nil), ("--stop-at-first", stopsAtFirst), ("--json", page.json),
      ("--plain", page.plain), ("--quiet", page.quiet), ("--seed", seed.seed != nil),
      ("-o", page.output != nil),
    ]
    if let other = others.first(where: \.1) {
      throw Complaint(.usage, "With --step you choose; \(other.0) has no meaning there.")
    }
    guard sides.count <= 1 else {
      throw Complaint(.usage, "--step goes through one side: give one --side.")
    }
    let side = try Replayer.side(sides.first, of: scenario)
    let values = try settings.values(for: [scenario])
    let status = try Replayer.with(scenario, side: side, parameters: values) {
      try StepLoop(scenario, side, page.style).run($0)
    }
    if status != .done { throw Leave(status: status) }
  }

  private func explore(
    _ scenario: any Scenario.Type, _ options: Explorer.Options
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
      return "\(exploration.scenario.number): \(verdicts.joined(separator: " · "))\n"
    }
    return ExplorePage(exploration, page.style).text
  }

  // MARK: What was typed

  private func options(for scenario: any Scenario.Type) throws -> Explorer.Options {
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

  /// How many orders are drawn when nothing is said: lots never come to an end of their own.
  private static let drawn = 2_000

  private func strategyMeant() throws(Complaint) -> Exploration.Strategy {
    guard let strategy else { return .exhaustive }
    guard let known = Exploration.Strategy(rawValue: strategy) else {
      let names = Exploration.Strategy.allCases.map(\.rawValue)
      let near = NearestName.of(strategy, among: names).map { "; did you mean \($0)?" } ?? "."
      throw Complaint(
        .usage, "--strategy \(strategy): there are \(names.joined(separator: ", "))\(near)")
    }
    return known
  }

  private func boundMeant(_ strategy: Exploration.Strategy) throws(Complaint) -> Int? {
    if bound != nil || noBound, strategy != .exhaustive {
      throw Complaint(
        .usage, "A bound belongs to --strategy dfs; \(strategy.rawValue) draws orders by lot.")
    }
    guard let bound else { return noBound ? nil : Explorer.Options().bound }
    if noBound {
      throw Complaint(.usage, "--bound and --no-bound exclude each other: give one of them.")
    }
    guard let most = Int(bound), most >= 0 else {
      throw Complaint(
        .usage, "--bound \(bound): give the most switches of an order, a whole number from 0 up.")
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
      "--budget \(budget): give a time, as 5s, 500ms or 2min, or a number of orders, as 20000.")
  }
}
