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
    var kept: [String]
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
    let words = "\(exercise.card.name)\(desk.dirWords)"
    let folder = DeskOptions.shown(desk.desk.folder(of: exercise)).quotedForShell
    var lines = [path]
    if !started.isNew {
      lines[0] += " is already there, and stays as it is."
      lines.append("For a fresh copy, with yours kept beside it: faultline start \(words) --fresh")
    }
    lines += kept.map { "Your earlier file is now \($0)." }
    try output.write(
      (lines + [""] + Self.story(exercise, folder, page.style)).joined(separator: "\n") + "\n")
  }
}

extension StartCommand {
  /// What to do, what it is worth, and the commands that help.
  private static func story(
    _ exercise: Exercise, _ folder: String, _ style: PageStyle
  ) -> [String] {
    let worth =
      "\(exercise.pointsMax) points \(style.ascii ? "|" : "·") about"
      + " \(exercise.minutes) minutes"
    let check = "faultline check \(folder)   which requirements your file meets"
    let explore = "faultline explore \(folder)   every schedule of your file"
    return style.hanging("Task  ", exercise.task) + style.hanging("      ", worth)
      + style.hanging("Next  ", check)
      + (exercise.notASide == nil ? style.hanging("      ", explore) : [])
  }
}

/// Where the learner's exercises are.
struct DeskOptions: ParsableArguments {
  @Option(name: .customLong("dir"), help: "The folder that holds your exercises.")
  var folder = "exercises"

  /// The desk at that folder.
  var desk: ExerciseDesk { ExerciseDesk(folder: folder) }

  /// The exercise that a word names and the folder it was started in; without a word, those of the
  /// current folder.
  func started(_ word: String?) throws -> (Exercise, LearnerFolder) {
    // First, because a tool outside its clone cannot start an exercise either.
    _ = try BuildFolder.current()
    if let folder = try LearnerFolder(word ?? ".", among: Catalogue.exercises) {
      guard case .exercise(let exercise) = folder.kind else {
        throw Complaint(
          .usage, "\(folder.path) is a scenario of your own, and nothing is required of it.")
      }
      return (exercise, folder)
    }
    let exercise = try Self.exercise(named: word ?? "")
    let path = Self.shown(desk.folder(of: exercise))
    guard FileManager.default.fileExists(atPath: path),
      let folder = try LearnerFolder(path, among: Catalogue.exercises)
    else {
      throw Complaint(
        .input,
        "There is no \(path): `faultline start \(exercise.card.name)\(dirWords)` creates it.")
    }
    return (exercise, folder)
  }

  /// The words a learner must repeat in the next command.
  var dirWords: String { folder == "exercises" ? "" : " --dir \(folder.quotedForShell)" }

  /// The exercise of a scenario; if it has none, the complaint lists the exercises.
  static func exercise(named name: String) throws -> Exercise {
    let scenarios = try ScenarioID.scenarios([name], in: Catalogue.all)
    let found = Catalogue.exercises.filter { exercise in
      scenarios.contains { $0.card.number == exercise.card.number }
    }
    guard let exercise = found.first, found.count == 1 else {
      let all = Catalogue.exercises.map { "\($0.card.name) (\($0.card.title))" }
        .joined(separator: ", ")
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
