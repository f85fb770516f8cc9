import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// Explores each anomaly in each stack under each policy, and prints which can happen where.
struct MatrixCommand: PageCommand {
  static let configuration = CommandConfiguration(
    commandName: "matrix",
    abstract: "Explore which anomalies can happen in which stack, under which merge policy.",
    discussion: """
      faultline matrix
      faultline matrix --anomaly lost-update
      faultline matrix --stack siblings --bound 2
      faultline matrix --ids          schedules to replay

      Each cell is explored when you run the command; no result is stored. The code of both \
      contexts is in Scenarios/Matrix, one file for each anomaly. The exit code is 0 whether or \
      not an anomaly can happen, and 1 if a run had an outcome that is not declared.
      """)

  /// The anomalies to explore; all when empty.
  @Option(
    name: .customLong("anomaly"),
    help: """
      Only this anomaly: \(Matrix.anomalies.joined(separator: ", ")); repeat for several.
      """)
  var anomalies: [String] = []

  /// The stacks to explore; all when empty.
  @Option(
    name: .customLong("stack"),
    help: """
      Only this stack, which says how the contexts are connected: \
      \(Matrix.stacks.map(\.name).joined(separator: ", ")); repeat for several.
      """)
  var stacks: [String] = []

  /// The most switches of a schedule, as typed.
  @Option(
    parsing: .unconditional,
    help: "The most switches in a schedule; any number unless given.")
  var bound: String?

  /// Whether cells name schedules.
  @Flag(help: "Print in each cell the id of a schedule in which the anomaly happens.")
  var ids = false

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// Explores and prints the result.
  func run() throws {
    let rows = try rows()
    let scenarios = try scenarios()
    let bound = try boundMeant()
    let output = try page.destination()
    let explorations = try explore(scenarios, rows, bound)
    try output.write(printed(explorations, rows))
    Output.keep(explorations.flatMap(\.ids))
    let status = ExitStatus.gravest(explorations.map(\.status))
    if status != .done { throw Leave(status: status) }
  }

  func text(_ style: PageStyle) throws -> String {
    let rows = try rows()
    let explorations = try explore(try scenarios(), rows, try boundMeant())
    Output.keep(explorations.flatMap(\.ids))
    return MatrixPage(
      explorations, rows: rows, columns: Matrix.policies, showsIDs: ids, style
    ).text
  }

  private func explore(
    _ scenarios: [RunnableScenario], _ rows: [MatrixLine], _ bound: Int?
  ) throws -> [Exploration] {
    var options = Explorer.Options()
    options.bound = bound
    options.stopsAtFirst = true
    options.sides = rows.flatMap { row in Matrix.policies.map { "\(row.name).\($0.name)" } }
    let progress = ProgressLine(verbose: page.verbose, quiet: page.quiet)
    defer { progress.finish() }
    let explorer = Explorer(version: FaultlineCommand.version) { progress.tell($0) }
    return try scenarios.map { try explorer.explore($0, options) }
  }

  private func printed(_ explorations: [Exploration], _ rows: [MatrixLine]) throws -> String {
    if page.json { return try Output.json(explorations.map(ExplorationRecord.init)) }
    let plain = PlainMatrix(explorations, rows: rows, columns: Matrix.policies)
    if page.plain { return plain.text }
    if page.quiet { return plain.summary }
    return MatrixPage(
      explorations, rows: rows, columns: Matrix.policies, showsIDs: ids, page.style
    ).text
  }

  /// The error for words that name an anomaly, which only a matrix runs.
  static func refusal(of words: [String]) -> Complaint? {
    for word in words.flatMap({ $0.split(separator: ",").map(String.init) }) {
      let found = try? ScenarioID.scenario(word, in: [], and: Matrix.scenarios)
      guard let card = found?.card else { continue }
      return Complaint(
        .usage,
        "\(word) is an anomaly of the matrix: use"
          + " `faultline matrix --anomaly \(MatrixLine.anomaly(card.slug))`.")
    }
    return nil
  }

  // MARK: The options

  private func rows() throws(Complaint) -> [MatrixLine] {
    try chosen(stacks, "--stack", Matrix.stacks.map(\.name)).map { Matrix.stacks[$0] }
  }

  private func scenarios() throws(Complaint) -> [RunnableScenario] {
    try chosen(anomalies, "--anomaly", Matrix.anomalies).map {
      RunnableScenario(Matrix.scenarios[$0])
    }
  }

  /// The places of the typed names; all places if there are none.
  private func chosen(
    _ typed: [String], _ flag: String, _ known: [String]
  ) throws(Complaint) -> [Int] {
    guard !typed.isEmpty else { return Array(known.indices) }
    for name in typed where !known.contains(name) {
      let near = NearestName.of(name, among: known).map { "; did you mean \($0)?" } ?? "."
      throw Complaint(
        .usage, "\(flag) \(name): choose from \(known.joined(separator: ", "))\(near)")
    }
    return known.indices.filter { typed.contains(known[$0]) }
  }

  private func boundMeant() throws(Complaint) -> Int? {
    guard let bound else { return nil }
    guard let most = Int(bound), most >= 0 else {
      throw Complaint(
        .usage, "--bound \(bound): give the largest number of switches, 0 or more.")
    }
    return most
  }
}
