import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// `faultline check 8`: builds the learner's file, runs it, and lists which requirements it meets.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Build and run your exercise, and check the requirements.",
    discussion: """
      faultline check 8          checks the file that `faultline start 8` copied
      faultline check 8 --json   prints the same result as JSON

      The exit code is 0 when the exercise meets every requirement, 1 when it misses one, 4 when \
      the file does not build, and 5 when it hits a limit of time, memory, output or disk.
      """)

  @Argument(help: "The exercise, by its number or name.")
  var exercise: String

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  func run() throws {
    let output = try page.destination()
    let exercise = try DeskOptions.exercise(named: exercise)
    if page.verbose { Output.complain("building the file and running it three times") }
    var check = ExerciseCheck(exercise, file: desk.desk.file(of: exercise))
    check.deskWords = desk.dirWords
    let record = try check.perform()
    try output.write(try printed(record))
    if record.status != .done { throw Leave(status: record.status) }
  }

  private func printed(_ record: CheckRecord) throws -> String {
    if page.json { return try Output.json(record) }
    if page.plain {
      return record.findings.map { "\($0.requirement)\t\($0.holds)\t\($0.seen)\n" }.joined()
        + "verdict\t\(record.verdict.rawValue)\n"
    }
    if page.quiet { return "\(record.number): \(record.verdict.rawValue)\n" }
    return text(record) + "\n"
  }

  private func text(_ record: CheckRecord) -> String {
    let dot = page.ascii ? "|" : "·"
    var lines = [
      "\(record.title) \(dot) exercise \(record.number) \(dot) real threads, SQLite file"
    ]
    lines.append(DeskOptions.shown(URL(fileURLWithPath: record.file)))
    lines.append("")
    let width = record.findings.map(\.requirement.count).max() ?? 0
    for finding in record.findings {
      let label = finding.requirement.padding(toLength: width, withPad: " ", startingAt: 0)
      lines.append("\(mark(finding)) \(label)   \(finding.seen)")
    }
    if !record.output.isEmpty { lines.append(record.output) }
    if !record.findings.isEmpty { lines.append("") }
    lines.append(verdict(record))
    return lines.joined(separator: "\n")
  }

  private func mark(_ finding: CheckRecord.Finding) -> String {
    if page.ascii { return finding.holds ? "ok" : "NO" }
    return finding.holds ? "✓" : "✗"
  }

  private func verdict(_ record: CheckRecord) -> String {
    let again = "faultline check \(record.number)\(desk.dirWords)"
    switch record.verdict {
    case .passed:
      return "Your file meets every requirement.\n"
        + "Next compare both sides: faultline run \(record.number)"
    case .failed:
      let held = record.findings.count(where: \.holds)
      let all = record.findings.count
      let count = all == 0 ? "" : "\(held) of \(all) requirements hold. "
      return "\(count)The exercise is not solved yet.\nNext change the file, then: \(again)"
    case .notBuilt:
      return "The file does not build.\nNext read the first error above, then: \(again)"
    case .limit:
      return "The check stopped at a limit.\nNext look for an endless loop, then: \(again)"
    }
  }
}
