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
      faultline start 8 --fresh      copies it again, and keeps yours beside it

      Your file is never overwritten.
      """)

  @Argument(help: "The exercise, by its number or name.")
  var exercise: String

  @Flag(help: "Start again with a fresh copy; your file is kept beside it under another name.")
  var fresh = false

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  /// What `--json` prints.
  private struct Started: Codable {
    var file: String
    var isNew: Bool
    var kept: String?
  }

  func run() throws {
    let output = try page.destination()
    let exercise = try DeskOptions.exercise(named: exercise)
    let started = try desk.desk.start(exercise, fresh: fresh)
    let path = DeskOptions.shown(started.file)
    let kept = started.kept.map(DeskOptions.shown)
    if page.json {
      return try output.write(Output.json(Started(file: path, isNew: started.isNew, kept: kept)))
    }
    if page.plain || page.quiet { return try output.write(path + "\n") }
    let words = "\(exercise.number)\(desk.dirWords)"
    var lines = [path]
    if !started.isNew {
      lines[0] += " is already there, and stays as it is."
      lines.append("For a fresh copy, with yours kept beside it: faultline start \(words) --fresh")
    }
    if let kept { lines.append("Your earlier file is now \(kept).") }
    lines.append("Next open it, fill the gaps marked TODO, then: faultline check \(words)")
    try output.write(lines.joined(separator: "\n") + "\n")
  }
}

/// Where the learner's exercises are.
struct DeskOptions: ParsableArguments {
  @Option(name: .customLong("dir"), help: "The folder that holds your exercises.")
  var folder = "exercises"

  /// The desk at that folder.
  var desk: ExerciseDesk { ExerciseDesk(folder: folder) }

  /// The words a learner must repeat in the next command.
  var dirWords: String { folder == "exercises" ? "" : " --dir \(folder.quotedForShell)" }

  /// The exercise of a scenario; if it has none, the complaint lists the exercises.
  static func exercise(named name: String) throws -> Exercise {
    let scenarios = try ScenarioID.scenarios([name], in: Catalogue.all)
    let found = Catalogue.exercises.filter { exercise in
      scenarios.contains { $0.card.number == exercise.number }
    }
    guard let exercise = found.first, found.count == 1 else {
      let all = Catalogue.exercises.map { "\($0.number) (\($0.title))" }.joined(separator: ", ")
      throw Complaint(.usage, "Scenario \(name) has no exercise; these have one: \(all).")
    }
    return exercise
  }

  /// A path as the learner would type it in the current folder.
  static func shown(_ file: URL) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return file.path.hasPrefix(here) ? String(file.path.dropFirst(here.count)) : file.path
  }
}
