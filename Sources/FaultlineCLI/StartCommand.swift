import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// `faultline start 8`: copies an exercise to a folder of the learner's.
struct StartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Copy an exercise to a folder of yours.",
    discussion: """
      faultline start 8              copies the file to ./exercises
      faultline start 8 --dir ~/cd   copies it to another folder

      Your file is never overwritten; `faultline reset` puts it back as it was at the start.
      """)

  @Argument(help: "The exercise, by its number or name.")
  var exercise: String

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  /// What `--json` prints.
  private struct Started: Codable {
    var file: String
    var isNew: Bool
  }

  func run() throws {
    let output = try page.destination()
    let exercise = try DeskOptions.exercise(named: exercise)
    let isNew = try !desk.desk.start(exercise).files.isEmpty
    let folder = desk.path(of: exercise)
    let path = "\(folder)/\(desk.desk.file(of: exercise).lastPathComponent)"
    if page.json { return try output.write(Output.json(Started(file: path, isNew: isNew))) }
    if page.plain || page.quiet { return try output.write(path + "\n") }
    var lines = [path]
    if !isNew {
      lines[0] += " is already there, and stays as it is."
      let reset = "faultline reset \(folder.quotedForShell)"
      lines.append("To begin again, with yours kept beside it: \(reset)")
    }
    // The number stands for the folder, where that is found without --dir.
    let word = desk.typed == nil ? exercise.card.name : folder.quotedForShell
    try output.write(Self.page(lines, exercise, folder.quotedForShell, check: word, page.style))
  }
}

extension StartCommand {
  /// Some lines, and under them what to do, what it is worth, and the commands that help.
  static func page(
    _ lines: [String], _ exercise: Exercise, _ folder: String, check word: String? = nil,
    _ style: PageStyle
  ) -> String {
    let word = word ?? folder
    var next = [
      "faultline check \(word)   which requirements your file meets",
      "faultline watch \(word)   the same after each save",
    ]
    if exercise.notASide == nil {
      next.append("faultline explore \(folder)   every schedule of your file")
    }
    let story =
      style.hanging("Task  ", exercise.task)
      + style.hanging("      ", "\(exercise.pointsMax) points · about \(exercise.minutes) minutes")
      + (exercise.file == nil ? [] : style.hanging("Note  ", EditorSettings.note))
      + next.enumerated().flatMap { style.hanging($0 == 0 ? "Next  " : "      ", $1) }
    return (lines.flatMap { style.hanging("", $0) } + [""] + story)
      .map(style.finished).joined(separator: "\n") + "\n"
  }
}
