import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// Runs scenarios on this machine and prints their pages.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the wrong way and the right way, side by side.",
    discussion: """
      faultline run 8
      faultline run 8 --set rows=50000 --repeat 9
      faultline run 1 --debug
      faultline run 1,8 31..38 --plain
      """)

  /// What the learner typed to name scenarios.
  @Argument(help: "Scenarios: 8, 08, 8..12, 3,8 or a name.")
  var ids: [String] = []

  /// How often each side runs, as typed.
  @Option(
    name: .customLong("repeat"), parsing: .unconditional, help: "How often each side runs.")
  var repeats: String?

  /// Parameters with their values, as typed.
  @Option(name: .customLong("set"), help: "Another value for a parameter, as in rows=50000.")
  var settings: [String] = []

  /// The sides to run; all when empty.
  @Option(name: .customLong("side"), help: "Run this side only; may be given more than once.")
  var sides: [String] = []

  /// The seed of the first repeat.
  @Option(help: "The seed of the first repeat; else FAULTLINE_SEED, else 1.")
  var seed: UInt64?

  /// How the checker is to be set, as typed.
  @Option(help: "Set the concurrency checker on every side: on, off or record.")
  var debug: String?

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// Runs the scenarios and prints what came of them.
  func run() throws {
    let chosen = try ScenarioID.scenarios(ids, in: Catalogue.all)
    let options = try options(for: chosen)
    let output = try page.destination()
    var records: [RunRecord] = []
    for scenario in chosen {
      let record = try run(scenario, options)
      records.append(record)
      if !page.json {
        try output.write((records.count > 1 && !page.plain ? "\n" : "") + printed(record))
      }
    }
    if page.json { try output.write(json(records)) }
    if !records.allSatisfy(\.holds) { throw Leave(status: .answerIsNo) }
  }

  private func run(_ scenario: any Scenario.Type, _ options: Runner.Options) throws -> RunRecord {
    let progress = ProgressLine(verbose: page.verbose, quiet: page.quiet)
    defer { progress.finish() }
    return try Runner(version: FaultlineCommand.version) { progress.tell($0) }.run(
      scenario, options)
  }

  private func printed(_ record: RunRecord) -> String {
    if page.plain { return PlainTable(record).text }
    if page.quiet {
      let outcomes = record.sides.map { side in
        "\(side.name) \(side.outcomes.map(\.outcome).joined(separator: ", "))"
      }
      return "\(record.scenario.number): \(outcomes.joined(separator: " · "))\n"
    }
    return Page(record, page.style).text
  }

  /// One record, or an array of several.
  private func json(_ records: [RunRecord]) throws -> String {
    let texts = try records.map { String(decoding: try $0.json(), as: UTF8.self) }
    return texts.count == 1 ? texts[0] + "\n" : "[\n\(texts.joined(separator: ",\n"))\n]\n"
  }

  private func options(for scenarios: [any Scenario.Type]) throws -> Runner.Options {
    var options = Runner.Options()
    options.repeats = try repeats.map(Self.count)
    options.sides = sides
    options.checker = try debug.map(Self.checker)
    options.seed = try seed ?? Self.seedFromEnvironment() ?? options.seed
    for setting in settings {
      let (name, value) = try Self.setting(setting, scenarios)
      options.parameters[name] = value
    }
    return options
  }

  private static func count(_ text: String) throws(Complaint) -> Int {
    guard let count = Int(text), count >= 1 else {
      throw Complaint(
        .usage, "--repeat \(text) runs nothing: give the number of runs, from 1 up.")
    }
    return count
  }

  private static func checker(_ text: String) throws(Complaint) -> Side.Checker {
    guard let checker = Side.Checker(rawValue: text) else {
      throw Complaint(.usage, "--debug=\(text) means nothing: say on, off or record.")
    }
    return checker
  }

  private static func seedFromEnvironment() throws(Complaint) -> UInt64? {
    guard let text = ProcessInfo.processInfo.environment["FAULTLINE_SEED"] else { return nil }
    guard let seed = UInt64(text) else {
      throw Complaint(
        .usage, "FAULTLINE_SEED=\(text) is not a seed: give a whole number from 0 up.")
    }
    return seed
  }

  private static func setting(
    _ text: String, _ scenarios: [any Scenario.Type]
  ) throws(Complaint) -> (String, Int) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw Complaint(.usage, "--set \(text): say it as name=number, as in --set rows=50000.")
    }
    let name = String(parts[0])
    guard let value = Int(parts[1].filter { $0 != "_" && $0 != "," }) else {
      let meaning =
        scenarios.flatMap { $0.parameters }.first { $0.name == name }
        .map { " (\($0.meaning))" } ?? ""
      throw Complaint(
        .usage, "--set \(text): \(name)\(meaning) takes a whole number, not “\(parts[1])”.")
    }
    return (name, value)
  }
}
