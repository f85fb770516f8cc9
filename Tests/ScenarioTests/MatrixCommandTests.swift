import Foundation
import PlaygroundKit
import Scenarios
import Testing

/// What `faultline matrix` prints and refuses, and that its ids are what it says they are.
@Suite final class MatrixCommandTests: CommandLineSuite {
  private static func cells(_ tool: CommandLineTool, _ words: [String]) throws -> [[String]] {
    let reply = try tool.start(CommandLineTool.path, ["matrix", "--plain"] + words)
    #expect(reply.status == 0, "\(reply.errors)")
    return reply.output.split(separator: "\n").dropFirst().map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private func cells(_ words: String...) throws -> [[String]] { try Self.cells(tool, words) }

  /// Every cell at bound 1, which refutes all that any bound refutes; explored once for all tests.
  private static let matrix = Result {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    return try cells(tool, ["--bound", "1"])
  }

  @Test func anIdReplaysToTheOutcomeBesideItAndSaysWhy() throws {
    let cells = try Self.matrix.get()
    #expect(cells.count == Matrix.scenarios.count * Matrix.stacks.count * Matrix.policies.count)
    var known: Set<[String]> = []
    for cell in cells {
      let (outcome, id) = (cell[4], cell[5])
      #expect(cell[3] == (outcome.isEmpty ? "proved for ≤ 1 switch" : "refuted"), "\(cell)")
      // What a policy does is in the outcome.
      guard !outcome.isEmpty, known.insert([cell[0], cell[1], outcome]).inserted else { continue }
      let page = try tool.run("replay", id, "--explain", "--until", "1").output
      #expect(page.contains("\(outcome)  declared, forbidden"), "\(cell) \(page)")
      let why = try #require(page.range(of: "\nWhy "), "\(page)")
      let text = page[why.upperBound...].split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
      #expect(!text.contains("does not say why"), "\(cell) \(text)")
      #expect(text.components(separatedBy: "(step ").count > 2, "\(cell) \(text)")
      #expect(!text.contains("8589934593"), "\(text)")
    }
    #expect(known.count > 20)
  }

  @Test func onlyWhatWasAskedForIsExplored() throws {
    let cells = try cells(
      "--anomaly", "lost-update", "--anomaly", "ghost", "--stack", "child", "--bound", "1")
    #expect(Set(cells.map { $0[0] }) == ["lost-update", "ghost"])
    #expect(Set(cells.map { $0[1] }) == ["child"])
    #expect(cells.count == 2 * Matrix.policies.count)
    #expect(cells.first { $0[3] != "refuted" }?[3] == "proved for ≤ 1 switch")
    let line = try tool.run("matrix", "--anomaly", "lost-update", "--stack", "coordinator", "-q")
    #expect(line.output == "lost-update: 4 of 5 refuted\n")
  }

  @Test func aPageKeepsToItsWidthAndSaysHowFarItWent() throws {
    for width in ["80", "100"] {
      let page = try tool.run(
        "matrix", "--anomaly", "duplicate", "--bound", "1", "--width", width, "--ascii"
      ).output
      #expect(page.hasPrefix("Which anomaly can happen in which set-up"), "\(page)")
      #expect(page.contains("every schedule with at most 1 switch\n"), "\(page)")
      #expect(page.contains("\nNext  faultline replay s3-105-"), "\(page)")
      #expect(page.contains("x can happen"), "\(page)")
      #expect(page.allSatisfy { $0.isASCII }, "\(page)")
      #expect(page.split(separator: "\n").allSatisfy { $0.count <= Int(width)! }, "\(page)")
    }
  }

  @Test func iDsStandInTheCellsWhereTheyAreAskedFor() throws {
    let page = try tool.run("matrix", "--anomaly", "lost-update", "--stack", "siblings").output
    let withIDs = try tool.run(
      "matrix", "--anomaly", "lost-update", "--stack", "siblings", "--ids"
    ).output
    #expect(page.contains("✗ can happen"), "\(page)")
    #expect(!page.contains("s3-101g-"), "\(page)")
    for letter in "fghjk" { #expect(withIDs.contains(" s3-101\(letter)-"), "\(withIDs)") }
  }

  @Test func namesAndBoundsThatMeanNothingAreRefused() throws {
    expect(
      try tool.run("matrix", "--anomaly", "lots-update"), .usage,
      saying: "did you mean lost-update?")
    expect(try tool.run("matrix", "--stack", "sibling"), .usage, saying: "did you mean siblings?")
    expect(
      try tool.run("matrix", "--stack", "nonsense"), .usage,
      saying: "coordinator, siblings, child, writer.")
    for bound in ["-1", "two", "1.5"] {
      expect(try tool.run("matrix", "--bound", bound), .usage, saying: "0 or more")
    }
    expect(try tool.run("matrix", "27"), .usage, saying: "27")
    for command in ["run", "show"] {
      expect(
        try tool.run(command, "101"), .usage, saying: "faultline matrix --anomaly lost-update")
    }
  }

  @Test func theHelpListsIt() throws {
    #expect(try tool.run("--help").output.contains("\n  matrix "))
  }
}
