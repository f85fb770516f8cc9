import ArgumentParser
import PlaygroundKit
import Scenarios

/// `faultline hint 27`: shows the next hint of an exercise, and records it.
struct HintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hint", abstract: "Show the next hint of an exercise.",
    discussion: """
      faultline hint exercises/27-the-lost-update   the next hint
      faultline hint 27                             the same
      faultline hint                                inside that folder
      faultline hint 27 --level 1                   that hint

      Each hint says more than the one before. The hints that you have seen are recorded beside \
      the folder, in progress.json; they cost no points.
      """)

  @Argument(help: "The exercise: its folder, number or name; without it the current folder.")
  var exercise: String?

  @Option(parsing: .unconditional, help: "Show the hint of this level, from 1 to 3.")
  var level: String?

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  /// What `--json` prints.
  private struct Shown: Codable {
    var number: Int?
    var title: String
    var level: Int
    var levels: Int
    var hint: String
  }

  func run() throws {
    let output = try page.destination()
    let (exercise, path) = try desk.place(self.exercise)
    let levels = exercise.hints.count
    let asked = try levelMeant(levels)
    let level = try DeskOptions.progress(around: path).update { record in
      let level = asked ?? min((record[exercise].hints.last ?? 0) + 1, levels)
      record[exercise].addHint(level: level)
      return level
    }
    let hint = exercise.hints[level - 1]
    if page.json {
      let shown = Shown(
        number: exercise.card.number, title: exercise.card.title, level: level, levels: levels,
        hint: hint)
      return try output.write(Output.json(shown))
    }
    if page.plain { return try output.write("level\tof\thint\n\(level)\t\(levels)\t\(hint)\n") }
    if page.quiet { return try output.write(hint + "\n") }
    try output.write(
      Self.page(exercise, hint, level, path.quotedForShell, page.style).joined(separator: "\n")
        + "\n")
  }

  private func levelMeant(_ most: Int) throws(Complaint) -> Int? {
    guard let level else { return nil }
    guard let number = Int(level), (1...most).contains(number) else {
      throw Complaint(.usage, "--level \(level): give a level from 1 to \(most).")
    }
    return number
  }

  private static func page(
    _ exercise: Exercise, _ hint: String, _ level: Int, _ folder: String, _ style: PageStyle
  ) -> [String] {
    let isLast = level == exercise.hints.count
    let more =
      isLast
      ? "faultline solution \(folder) --give-up   the solution; recorded as given up"
      : "faultline hint \(folder)   the next hint"
    return
      (style.justified(exercise.card.heading, "hint \(level) of \(exercise.hints.count)")
      + style.hanging("    ", hint) + [""]
      + style.hanging("Next  ", "faultline check \(folder)   which requirements your file meets")
      + style.hanging("      ", more)).map(style.finished)
  }
}
