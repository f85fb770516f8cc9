import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// `faultline start 8`: puts an exercise where the learner works.
struct StartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Put an exercise where you work.",
    discussion: """
      faultline start 8              the file is then in ./exercises
      faultline start 8 --dir ~/cd   or wherever you like

      A file that is there already is never overwritten.
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
    let exercise = try DeskOptions.exercise(named: exercise)
    let (file, isNew) = try desk.desk.start(exercise)
    let path = DeskOptions.shown(file)
    if page.json {
      return try page.destination().write(try Output.json(Started(file: path, isNew: isNew)))
    }
    if page.plain || page.quiet { return try page.destination().write(path + "\n") }
    let next = "faultline check \(exercise.number)\(desk.dirWords)"
    try page.destination().write(
      """
      \(path)\(isNew ? "" : " is there already, and stays as it is.")
      Next open it, close the gaps it names, then: \(next)

      """)
  }
}

/// Where the learner's exercises are.
struct DeskOptions: ParsableArguments {
  @Option(name: .customLong("dir"), help: "The folder that holds your exercises.")
  var folder = "exercises"

  /// The desk at that folder.
  var desk: ExerciseDesk { ExerciseDesk(folder: folder) }

  /// The words a learner must repeat in the next command.
  var dirWords: String { folder == "exercises" ? "" : " --dir \(folder)" }

  /// The exercise of a scenario; a complaint names those there are.
  static func exercise(named name: String) throws -> Exercise {
    let scenarios = try ScenarioID.scenarios([name], in: Catalogue.all)
    let found = Catalogue.exercises.filter { exercise in
      scenarios.contains { $0.card.number == exercise.number }
    }
    guard let exercise = found.first, found.count == 1 else {
      let all = Catalogue.exercises.map { "\($0.number) (\($0.title))" }.joined(separator: ", ")
      throw Complaint(.usage, "\(name) has no exercise; there is \(all).")
    }
    return exercise
  }

  /// A path as the learner would type it from here.
  static func shown(_ file: URL) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return file.path.hasPrefix(here) ? String(file.path.dropFirst(here.count)) : file.path
  }
}
