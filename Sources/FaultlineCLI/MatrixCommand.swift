import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// Explores each anomaly in each set-up under each policy, and prints what can happen where.
struct MatrixCommand: PageCommand {
  static let configuration = CommandConfiguration(
    commandName: "matrix",
    abstract: "Explore which anomalies can happen in which set-up, under which merge policy.",
    discussion: """
      faultline matrix
      faultline matrix --anomaly lost-update
      faultline matrix --stack siblings --bound 2

      Nothing in it is written down: each cell was explored a moment ago. The id in a cell is an \
      order in which it happens, for `faultline replay`. What both contexts do is in \
      Scenarios/Matrix, a file for each anomaly. Ends with 0 whatever can happen, and with \
      1 if a cell ended in a way that nobody declared.
      """)

  /// The anomalies to explore; all when empty.
  @Option(
    name: .customLong("anomaly"),
    help: """
      This anomaly only: \(Matrix.anomalies.joined(separator: ", ")); may be given more than once.
      """)
  var anomalies: [String] = []

  /// The set-ups to explore; all when empty.
  @Option(
    name: .customLong("stack"),
    help: """
      This set-up only: \(Matrix.stacks.map(\.name).joined(separator: ", ")); may be given more \
      than once.
      """)
  var stacks: [String] = []

  /// The most switches of an order, as typed.
  @Option(
    parsing: .unconditional,
    help: "The most switches of an order; any number if nothing is said.")
  var bound: String?

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// Explores and prints what was found.
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
    return MatrixPage(explorations, rows: rows, columns: Matrix.policies, style).text
  }

  private func explore(
    _ scenarios: [any Scenario.Type], _ rows: [MatrixLine], _ bound: Int?
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
    return MatrixPage(explorations, rows: rows, columns: Matrix.policies, page.style).text
  }

  // MARK: What was typed

  private func rows() throws(Complaint) -> [MatrixLine] {
    try chosen(stacks, "--stack", Matrix.stacks.map(\.name)).map { Matrix.stacks[$0] }
  }

  private func scenarios() throws(Complaint) -> [any Scenario.Type] {
    try chosen(anomalies, "--anomaly", Matrix.anomalies).map { Matrix.scenarios[$0] }
  }

  /// The places of the names that were typed; all if there were none.
  private func chosen(
    _ typed: [String], _ flag: String, _ known: [String]
  ) throws(Complaint) -> [Int] {
    guard !typed.isEmpty else { return Array(known.indices) }
    for name in typed where !known.contains(name) {
      let near = NearestName.of(name, among: known).map { "; did you mean \($0)?" } ?? "."
      throw Complaint(
        .usage, "\(flag) \(name): there are \(known.joined(separator: ", "))\(near)")
    }
    return known.indices.filter { typed.contains(known[$0]) }
  }

  private func boundMeant() throws(Complaint) -> Int? {
    guard let bound else { return nil }
    guard let most = Int(bound), most >= 0 else {
      throw Complaint(
        .usage, "--bound \(bound): give the most switches of an order, a whole number from 0 up.")
    }
    return most
  }
}
