import ArgumentParser
import Foundation
import PlaygroundKit

/// `faultline reset 27`: puts an exercise back as at the start, and keeps the learner's file.
struct ResetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Put an exercise back as it was at the start.",
    discussion: """
      faultline reset 27          asks first
      faultline reset             inside the folder of the exercise
      faultline reset 27 --yes    does not ask

      Your file is kept beside the new one, as AddOne-1.swift. What you have reached so far stays \
      in progress.json. The exit code is 1 when you say no.
      """)

  @Argument(help: "The exercise: its folder, number or name; without it the current folder.")
  var exercise: String?

  @Flag(name: .shortAndLong, help: "Do not ask.")
  var yes = false

  @OptionGroup var input: InputOptions

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  /// What `--json` prints.
  private struct Written: Codable {
    var files: [String]
    var kept: [String]
  }

  func run() throws {
    let (exercise, path) = try desk.place(self.exercise)
    let output = try page.destination()
    let desk = ExerciseDesk(folder: LearnerFolder.desk(of: path))
    let shown = { (file: URL) in
      path == "." ? file.lastPathComponent : "\(path)/\(file.lastPathComponent)"
    }
    let changed = try desk.changed(exercise)
    // A file that is missing has nothing to lose.
    let mine = changed.filter { FileManager.default.fileExists(atPath: $0.path) }
    if !mine.isEmpty, !yes { try ask(mine.map(shown), path.quotedForShell) }
    let written = changed.isEmpty ? nil : try desk.reset(exercise)
    let files = (written?.files ?? []).map(shown)
    let kept = (written?.kept ?? []).map(shown)
    if page.json { return try output.write(Output.json(Written(files: files, kept: kept))) }
    if page.plain { return try output.write(files.map { $0 + "\n" }.joined()) }
    if page.quiet { return }
    var lines = files.map { "\($0) is as it was at the start." }
    if lines.isEmpty {
      let file = shown(desk.file(of: exercise))
      lines = ["\(file) is as it was at the start; nothing was changed."]
    }
    lines += kept.map { "Your earlier file is now \($0)." }
    try output.write(
      lines.flatMap { page.style.hanging("", $0) }.map(page.style.finished).joined(separator: "\n")
        + "\n")
  }

  private func ask(_ names: [String], _ folder: String) throws {
    guard input.canAsk else {
      throw Complaint(
        .usage, "There is no terminal to ask on: `faultline reset \(folder) --yes` does not ask.")
    }
    StandardStreams.complain(
      "Put back \(names.joined(separator: " and ").visible)?"
        + " Yours is kept under another name. [y/N] "
    )
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
    guard ["y", "yes"].contains(answer) else {
      throw Complaint(.answerIsNo, "Nothing was changed.")
    }
  }
}
