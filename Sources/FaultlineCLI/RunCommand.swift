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

  /// The scenarios, as typed.
  @Argument(help: "Scenarios: 8, 08, 8..12, 3,8, a name, or a folder of yours.")
  var ids: [String] = []

  /// How often each side runs, as typed.
  @Option(
    name: .customLong("repeat"), parsing: .unconditional, help: "How many times each side runs.")
  var repeats: String?

  /// Parameters with their values.
  @OptionGroup var settings: SettingOptions

  /// The sides to run; all when empty.
  @Option(name: .customLong("side"), help: "Run only this side; repeat for several.")
  var sides: [String] = []

  /// The seed of the first repeat.
  @OptionGroup var seed: SeedOption

  /// The checker's setting, as typed.
  @Option(
    help: ArgumentHelp(
      "Set the concurrency checker on every side; --debug alone means on.",
      valueName: "on|off|record"))
  var debug: String?

  /// Sides of ours beside a learner's.
  @OptionGroup var beside: BesideOption

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// Runs the scenarios and prints their pages.
  func run() throws {
    try ChosenScenario.each(ids, beside: beside.names, for: "run") { try run($0) }
  }

  private func run(_ chosen: [RunnableScenario]) throws {
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

  private func run(_ scenario: RunnableScenario, _ options: Runner.Options) throws -> RunRecord {
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
      return "\(record.scenario.word): \(outcomes.joined(separator: " · "))\n"
    }
    return Page(record, page.style).text
  }

  /// One record, or an array of several.
  private func json(_ records: [RunRecord]) throws -> String {
    let texts = try records.map { String(decoding: try $0.json(), as: UTF8.self) }
    return texts.count == 1 ? texts[0] + "\n" : "[\n\(texts.joined(separator: ",\n"))\n]\n"
  }

  private func options(for scenarios: [RunnableScenario]) throws -> Runner.Options {
    var options = Runner.Options()
    options.repeats = try repeats.map(Self.count)
    options.sides = sides
    options.checker = try debug.map(Self.checker)
    options.seed = try seed.value
    options.parameters = try settings.values(for: scenarios)
    return options
  }

  private static func count(_ text: String) throws(Complaint) -> Int {
    guard let count = Int(text), count >= 1 else {
      throw Complaint(
        .usage, "--repeat \(text): give the number of runs, 1 or more.")
    }
    return count
  }

  private static func checker(_ text: String) throws(Complaint) -> Side.Checker {
    guard let checker = Side.Checker(rawValue: text) else {
      throw Complaint(.usage, "--debug=\(text): give on, off or record.")
    }
    return checker
  }
}
