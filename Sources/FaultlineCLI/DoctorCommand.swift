import ArgumentParser
import Foundation
import PlaygroundKit

/// `faultline doctor`: what this machine has of what the tool needs.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check this machine, and say what to do.",
    discussion: """
      faultline doctor
      faultline doctor --json

      Each part is tried: the compiler, SQLite, the folders that are written to, a sandbox. It \
      ends with 1 if a part is missing without which some command fails.
      """)

  @OptionGroup var page: PageOptions

  func run() throws {
    let output = try page.destination()
    let parts = Doctor.parts() + [terminal]
    let bad = parts.filter { $0.state == .bad }
    if page.json {
      try output.write(Output.json(parts))
    } else if page.plain {
      let lines = parts.map { part in
        [part.name, part.state.rawValue, part.found, part.advice ?? ""]
      }
      let all = [["part", "state", "found", "advice"]] + lines
      try output.write(
        all.map { $0.map(PlainTable.clean).joined(separator: "\t") + "\n" }.joined())
    } else {
      let told = page.quiet ? bad : parts
      try output.write(told.flatMap(lines).map { page.style.finished($0) + "\n" }.joined())
    }
    if !bad.isEmpty { throw Leave(status: .answerIsNo) }
  }

  private func lines(_ part: Doctor.Part) -> [String] {
    let mark =
      switch part.state {
      case .good: "✓"
      case .limited: "·"
      case .bad: "✗"
      }
    let name = "\(mark) \(part.name)".padding(toLength: 14, withPad: " ", startingAt: 0)
    let advice = part.advice.map { page.style.hanging(String(repeating: " ", count: 14), $0) }
    return page.style.hanging(name, part.found) + (advice ?? [])
  }

  /// What is known of the terminal.
  private var terminal: Doctor.Part {
    let environment = ProcessInfo.processInfo.environment
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
    let isWide = locale?.uppercased().contains("UTF") ?? false
    let place = Terminal.width.map { "\($0) columns" } ?? "no terminal"
    let found =
      "\(place), \(page.style.colour ? "colour" : "no colour"), locale \(locale ?? "not set")"
    if let width = Terminal.width, width < 80 {
      return Doctor.Part(
        "terminal", .limited, found, "Make the window 80 columns wide, better 100.")
    }
    return isWide
      ? Doctor.Part("terminal", .good, found)
      : Doctor.Part(
        "terminal", .limited, found,
        "If you see question marks in place of symbols, set LANG to a UTF-8 locale, or give"
          + " --ascii."
      )
  }
}
