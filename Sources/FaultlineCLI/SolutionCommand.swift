import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// `faultline solution 27`: prints the solution of an exercise that was passed or given up.
struct SolutionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "solution", abstract: "Print the solution of an exercise, after a pass.",
    discussion: """
      faultline solution 27              after a pass
      faultline solution                 inside the folder of the exercise
      faultline solution 27 --give-up    before a pass; recorded in progress.json
      faultline solution 27 --plain      the text of the file alone

      Your own file stays as it is. The exit code is 1 when the exercise is not passed yet.
      """)

  @Argument(help: "The exercise: its folder, number or name; without it the current folder.")
  var exercise: String?

  @Flag(name: .customLong("give-up"), help: "Print it before a pass, and record that.")
  var givesUp = false

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  /// What `--json` prints.
  private struct Shown: Codable {
    struct File: Codable {
      var name: String
      var text: String
    }
    var number: Int?
    var title: String
    var isPassed: Bool
    var isGivenUp: Bool
    var files: [File]
  }

  func run() throws {
    let (exercise, path) = try desk.place(self.exercise)
    try refuseToOverwrite(path, exercise)
    let output = try page.destination()
    let files = try ExerciseDesk.solution(of: exercise)
    let progress = DeskOptions.progress(around: path)
    var entry = try progress.read()[exercise]
    if !entry.isPassed, !entry.isGivenUp {
      guard givesUp else { throw Self.refusal(exercise, path.quotedForShell) }
      entry = try progress.update { record in
        record[exercise].isGivenUp = true
        return record[exercise]
      }
    }
    if page.json {
      let shown = Shown(
        number: exercise.card.number, title: exercise.card.title, isPassed: entry.isPassed,
        isGivenUp: entry.isGivenUp, files: files.map { .init(name: $0.name, text: $0.text) })
      return try output.write(Output.json(shown))
    }
    if page.plain || page.quiet { return try output.write(Self.plain(files)) }
    try output.write(Self.page(exercise, files, path, page.style))
  }

  private static func refusal(_ exercise: Exercise, _ folder: String) -> Complaint {
    Complaint(
      .answerIsNo,
      "The solution of \(exercise.card.name) comes after a pass: `faultline solution \(folder)"
        + " --give-up` prints it now, and records that you gave up.")
  }

  /// `-o` may name any file but the learner's own.
  private func refuseToOverwrite(_ path: String, _ exercise: Exercise) throws(Complaint) {
    guard let target = page.output else { return }
    let desk = ExerciseDesk(folder: LearnerFolder.desk(of: path))
    let own = desk.file(of: exercise).resolvingSymlinksInPath()
    let file = URL(fileURLWithPath: target).standardizedFileURL.resolvingSymlinksInPath()
    guard file.deletingLastPathComponent() == own.deletingLastPathComponent() else { return }
    throw Complaint(
      .usage, "-o \(target) is in the folder of the exercise, whose files are yours: give another.")
  }

  private static func plain(_ files: [(name: String, text: String)]) -> String {
    if files.count == 1 { return files[0].text }
    return files.map { "==> \($0.name) <==\n\($0.text)" }.joined(separator: "\n")
  }

  private static func page(
    _ exercise: Exercise, _ files: [(name: String, text: String)], _ path: String,
    _ style: PageStyle
  ) -> String {
    var lines = style.justified(exercise.card.heading, "solution")
    for file in files {
      lines += style.hanging("    ", file.name) + [""]
      lines += file.text.split(separator: "\n", omittingEmptySubsequences: false)
        .flatMap { style.code(String($0)) }
    }
    let mine = "\(path)/\(files[0].name)".quotedForShell
    if files.count == 1 {
      lines += style.hanging(
        "Next  ",
        "faultline solution \(path.quotedForShell) --plain | diff \(mine) -   what you did"
          + " differently")
    }
    return lines.map(style.finished).joined(separator: "\n") + "\n"
  }
}
