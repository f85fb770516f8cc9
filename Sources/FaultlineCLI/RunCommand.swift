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
      faultline run --all --pages pages     a line each, and each page in a file
      """)

  /// The scenarios, as typed.
  @Argument(help: "Scenarios: 8, 08, 8..12, 3,8, a name, or a folder of yours.")
  var ids: [String] = []

  /// Whether all scenarios run.
  @Flag(help: "Run every scenario, and print one line for each.")
  var all = false

  /// The folder for the pages.
  @Option(
    help: ArgumentHelp(
      "Write the pages into this folder, and print one line for each.", valueName: "folder"),
    transform: PathWord.checked)
  var pages: String?

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
    guard all else {
      return try ChosenScenario.each(ids, beside: beside.names, for: "run") { chosen in
        if pages == nil { try run(chosen) } else { try sum(chosen) }
      }
    }
    guard ids.isEmpty else {
      throw Complaint(.usage, "--all runs every scenario: give it, or numbers.")
    }
    try sum(Catalogue.all.map { RunnableScenario($0) })
  }

  /// Prints a line for each, and writes their pages if there is a folder for them.
  private func sum(_ chosen: [RunnableScenario]) throws {
    let options = try options(for: chosen)
    let output = try page.destination()
    let folder = try pages.map(PageFolder.init)
    var (records, summary) = ([RunRecord](), RunSummary(page.style))
    if page.plain { try output.write(RunSummary.plainHead) }
    for scenario in chosen {
      let start = ContinuousClock.now
      let record = try run(scenario, options)
      let took = Int((ContinuousClock.now - start) / .nanoseconds(1))
      records.append(record)
      try folder?.write(Page(record, page.style).text, of: record.scenario)
      let line = summary.add(record, nanoseconds: took)
      if page.json { continue }
      try output.write(page.plain ? RunSummary.plain(record, nanoseconds: took) : line)
    }
    if page.json {
      try output.write(json(records))
    } else if !page.plain {
      try output.write(summary.sum)
    }
    if !records.allSatisfy(\.holds) { throw Leave(status: .answerIsNo) }
  }

  private func run(_ chosen: [RunnableScenario]) throws {
    let options = try options(for: chosen)
    let output = try page.destination()
    var records: [RunRecord] = []
    for scenario in chosen {
      let record = try run(scenario, options)
      records.append(record)
      if !page.json {
        try output.write(
          (records.count > 1 && !page.plain && !page.quiet ? "\n" : "") + printed(record))
      }
    }
    if page.json { try output.write(json(records)) }
    if !records.allSatisfy(\.holds) { throw Leave(status: .answerIsNo) }
  }

  private func run(_ scenario: RunnableScenario, _ options: Runner.Options) throws -> RunRecord {
    let progress = ProgressLine(verbose: page.verbose, quiet: page.quiet)
    defer { progress.finish() }
    let record = try Runner(version: FaultlineCommand.version) { progress.tell($0) }.run(
      scenario, options)
    // If it cannot be noted, the run still holds.
    do { try ScenariosRun.note(record) } catch { Output.complain("\(error)") }
    return record
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
    let texts = try records.map { String(decoding: try $0.json(), as: UTF8.self).visibleInJSON }
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

/// The folder into which the pages of all scenarios are written.
private struct PageFolder {
  private let path: String

  /// Makes the folder, unless it is there.
  init(_ path: String) throws {
    self.path = path
    try LearnerFolder.make(URL(fileURLWithPath: path), advice: "give --pages another path")
  }

  /// Writes a page into a file named after the scenario.
  func write(_ page: String, of scenario: ScenarioRecord) throws {
    let number = scenario.number.map { String(format: "%02d-", $0) } ?? ""
    let file = "\(path)/\(number)\(scenario.slug).txt"
    try WholeFile(file, advice: "give --pages another path").write(page)
  }
}
