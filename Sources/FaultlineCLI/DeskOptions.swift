import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// Where the learner's exercises are.
struct DeskOptions: ParsableArguments {
  @Option(
    name: .customLong("dir"),
    help: "The folder that holds your exercises; without it ./exercises, or the one you are in.",
    transform: PathWord.checked)
  var typed: String?

  /// The folder that holds the exercises, as the learner would type it.
  var folder: String {
    var folder = typed ?? Self.nearest
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    return folder
  }

  /// The desk at that folder.
  var desk: ExerciseDesk { ExerciseDesk(folder: folder) }

  /// The folder of an exercise, as the learner would type it.
  func path(of exercise: Exercise) -> String {
    folder == "." ? exercise.folder : "\(folder)/\(exercise.folder)"
  }

  /// The words a learner must repeat in the next command.
  var dirWords: String { typed.map { " --dir \($0.quotedForShell)" } ?? "" }

  /// `./exercises`, unless the current folder holds exercises or is one.
  private static var nearest: String {
    let isExercise = LearnerFolder.exercise(at: ".", among: Catalogue.exercises) != nil
    let folders = ["exercises", "."] + (isExercise ? [".."] : [])
    return folders.first { folder in
      let desk = ExerciseDesk(folder: folder)
      return Catalogue.exercises.contains {
        FileManager.default.fileExists(atPath: desk.file(of: $0).path)
      }
    } ?? folders[0]
  }

  /// The exercise that a word names and the folder it was started in; without a word, those of the
  /// current folder.
  func started(_ word: String?) throws -> (exercise: Exercise, folder: LearnerFolder) {
    let (exercise, path) = try place(word)
    guard let folder = try LearnerFolder(path, among: Catalogue.exercises) else {
      throw Complaint(.input, "There is no \(path).")
    }
    return (exercise, folder)
  }

  /// The same, with a folder whose files may be missing.
  func place(_ word: String?) throws -> (exercise: Exercise, path: String) {
    // First, because a tool outside its clone cannot start an exercise either.
    _ = try BuildFolder.current()
    if let path = try LearnerFolder.path(word ?? ".") {
      if let exercise = LearnerFolder.exercise(at: path, among: Catalogue.exercises) {
        return (exercise, path)
      }
      guard word != nil || Self.isOwn(path) else {
        throw Complaint(
          .usage,
          "The current folder is no exercise: name one, as in `faultline check 8`, or go to its"
            + " folder.")
      }
      // What is no folder of a learner's is refused with its reason.
      _ = try LearnerFolder(path, among: Catalogue.exercises)
      throw Complaint(
        .usage, "\(path) is a scenario of your own, and nothing is required of it.")
    }
    let exercise = try Self.exercise(named: word ?? "")
    let path = path(of: exercise)
    guard try LearnerFolder.isThere(path) else {
      throw Complaint(
        .input,
        "There is no \(path): `faultline start \(exercise.card.name)\(dirWords)` creates it.")
    }
    return (exercise, path)
  }

  private static func isOwn(_ path: String) -> Bool {
    (try? LearnerFolder(path, among: Catalogue.exercises)) != nil
  }

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

  /// The file with what the learner has reached, beside the folder of an exercise.
  static func progress(around path: String) -> ProgressFile {
    progress(in: LearnerFolder.desk(of: path))
  }

  /// The file with what the learner has reached, in a folder of exercises.
  static func progress(in folder: String) -> ProgressFile {
    ProgressFile(in: folder, version: FaultlineCommand.version) { Output.complain($0) }
  }

  /// Records a check; if that fails, the check still holds.
  static func note(_ record: CheckRecord, of exercise: Exercise, at path: String) {
    do {
      try progress(around: path).update { $0[exercise].add(record) }
    } catch {
      Output.complain("This check is not recorded: \(error)")
    }
  }
}
