import Foundation
import PlaygroundKit

/// `faultline explore 27 --step`: asks at each choice which thread or task runs next.
struct StepLoop {
  private let output = Output.standard
  private let style: PageStyle
  private let scenario: RunnableScenario
  private let side: Side.Description
  /// Whether the terminal shows what is typed.
  private let echoes = isatty(STDIN_FILENO) == 1

  /// Prepares the questions about one side.
  init(_ scenario: RunnableScenario, _ side: Side.Description, _ style: PageStyle) {
    self.scenario = scenario
    self.side = side
    self.style = style
  }

  private static let help = [
    "Enter  the default                     1, 2  that choice",
    "n      run to the next save or fetch   u     undo",
    "x      the phases of the next save     w     the goal",
    "?      which threads wait              s     the id so far",
    "!      what is stored                  h     these answers",
    "q      quit",
  ]

  /// Asks until the run is over, and tells its outcome.
  ///
  /// - Returns: the exit code of the chosen schedule; a run that is quit early has no outcome.
  func run(_ replayer: Replayer) throws -> ExitStatus {
    var session = try StepSession(replayer)
    try say("\(session.replay.title) · choose which thread runs next")
    try say(Self.help.map { "  " + $0 })
    try say("Goal: \(goal)", indent: "  ")
    try say(session.heading(width: style.width), indent: "")
    while !session.isOver {
      try say(session.news(width: style.width))
      let options = try session.options()
      try say("Which thread runs next?  (choice \(session.number); Enter takes 1)")
      for (index, option) in options.enumerated() {
        try say("\(option.label): \(option.next)", indent: "  \(index + 1)  ")
      }
      guard try answer(&session, options.count) else { return .done }
    }
    try say(session.news(width: style.width))
    try end(session)
    return session.replay.status
  }

  /// Takes answers until one of them was a choice; false if the user quits.
  private func answer(_ session: inout StepSession, _ count: Int) throws -> Bool {
    while true {
      try output.write(painted("> "))
      guard let line = readLine() else {
        try say("(no more answers: the default choices from here on)")
        session.finish()
        return true
      }
      let word = line.trimmingCharacters(in: .whitespaces)
      if !echoes { try output.write(word + "\n") }
      switch word {
      case "":
        try session.choose(0)
        return true
      case "u":
        if try session.undo() { return true }
        try say("Nothing has been chosen yet.", indent: "  ")
      case "n":
        if session.jump() { return true }
        try say("No save or fetch follows in the default schedule from here.", indent: "  ")
      case "x": try say(session.phases.flatMap { wrapped($0) })
      case "?": try say(session.stuck.flatMap { wrapped($0) })
      case "!": try say(session.state.flatMap { wrapped($0) })
      case "h": try say(Self.help.map { "  " + $0 })
      case "w": try say("Goal: \(goal)", indent: "  ")
      case "s": try say(session.id, indent: "  ")
      case "q":
        try say(session.id, indent: "So far: ")
        return false
      default:
        if let number = Int(word), (1...count).contains(number) {
          try session.choose(number - 1)
          return true
        }
        try say("There is no answer “\(word)”: give a number up to \(count), or h.", indent: "  ")
      }
    }
  }

  private func end(_ session: StepSession) throws {
    let outcome = scenario.outcomes.first { $0.name == session.replay.trace.outcome }
    try say(
      "\(session.outcome): \(outcome?.meaning ?? session.replay.trace.ending.detail)",
      indent: "Ends   ")
    try say(session.id, indent: "Id     ")
    if session.isBad {
      try say(command(session.id, session), indent: "Next   ")
    } else if let (id, words) = try session.nearestBad(version: FaultlineCommand.version) {
      try say(id, ", \(words)", indent: "Near   ")
      try say(command(id, session), indent: "Next   ")
    } else {
      try say("no schedule of at most 2 switches has a forbidden outcome", indent: "Near   ")
    }
  }

  private func command(_ id: ScheduleID, _ session: StepSession) -> String {
    session.replay.command("replay \(session.replay.scenario.words(for: id)) --explain")
  }

  /// The forbidden outcomes, which the user looks for.
  private var goal: String {
    let bad = scenario.outcomes.filter { $0.grade == .forbidden }
    guard !bad.isEmpty else { return "none, because no outcome of this scenario is forbidden" }
    return bad.map { "\($0.name) (\($0.meaning))" }.joined(separator: " or ")
      + (bad.count > 1 ? "; this side may not have all of them" : "")
  }

  // MARK: Printing

  private func wrapped(_ text: String) -> [String] { style.hanging("  ", text) }

  /// Names a schedule, and keeps it.
  private func say(_ id: ScheduleID, _ more: String = "", indent: String) throws {
    try say("\(id)\(more)", indent: indent)
    Output.keep([id])
  }

  private func say(_ text: String, indent: String = "") throws {
    try say(style.hanging(indent, text))
  }

  private func say(_ lines: [String]) throws {
    for line in lines { try output.write(painted(line) + "\n") }
  }

  private func painted(_ line: String) -> String { style.finished(line) }
}
