import Foundation
import PlaygroundKit
import Scenarios
import Testing

/// What every exercise promises: its starter fails, its solution gets everything, and each wrong
/// repair gets exactly the points that are declared for it.
@Suite struct ExerciseTests {
  @Test(arguments: Catalogue.exercises.indices)
  func theStarterFailsAndTheSolutionGetsEverything(_ index: Int) throws {
    let exercise = Catalogue.exercises[index]
    // Once is enough: the solution's check runs each schedule twice.
    let starter = try Self.check(exercise, "Exercise", isRepeating: false)
    #expect(!starter.isPassed && starter.status == .answerIsNo, "\(Self.table(starter))")
    let solution = try Self.check(exercise, "Solution")
    #expect(solution.isPassed, "\(Self.table(solution))")
    #expect(solution.points == exercise.pointsMax)
  }

  @Test(arguments: Catalogue.exercises.indices)
  func eachWrongRepairGetsItsPoints(_ index: Int) throws {
    let exercise = Catalogue.exercises[index]
    #expect(exercise.nearMisses.count >= 2)
    for wrong in exercise.nearMisses {
      let decided = Self.requirements(decidedBy: wrong, of: exercise)
      let record = try Self.check(
        exercise, "NearMisses", wrong.name, only: decided, isRepeating: false)
      let misses = record.findings.filter { !$0.isBonus && $0.status != .pass }.map(\.name)
      #expect(Set(misses) == wrong.misses, "\(wrong.name)\n\(Self.table(record))")
      // The others get what the solution gets.
      let others = exercise.requirements.filter { !decided.contains($0.name) }
      let points =
        record.findings.reduce(0) { $0 + $1.points } + others.reduce(0) { $0 + $1.points }
      #expect(
        min(points, exercise.pointsMax) == wrong.points, "\(wrong.name)\n\(Self.table(record))")
    }
  }

  /// The names of the requirements that a wrong repair's own files decide: its code, its answers,
  /// or both. What it does not have is as in the solution.
  private static func requirements(
    decidedBy wrong: Exercise.NearMiss, of exercise: Exercise
  ) -> Set<String> {
    func has(_ kind: String) -> Bool {
      (try? ExerciseDesk.shipped(exercise, "NearMisses", file: "\(wrong.name).\(kind)")) != nil
    }
    let (hasCode, hasAnswers) = (has("swift"), has("txt"))
    return Set(
      exercise.requirements.filter { $0.question == nil ? hasCode : hasAnswers }.map(\.name))
  }

  /// Code that was made for the values in the task meets other values before it has its points.
  @Test func theHiddenValuesAreNotTheShownOnes() {
    for exercise in Catalogue.exercises where exercise.file != nil {
      let (shown, hidden) = (exercise.shown.values, exercise.hidden.values)
      #expect(!hidden.isEmpty && hidden != shown, "\(exercise.card.name)")
      #expect(exercise.requirements.contains { $0.data != .shown }, "\(exercise.card.name)")
      for requirement in exercise.requirements where requirement.data != .shown {
        #expect(!requirement.say.hidden.isEmpty, "\(exercise.card.name) \(requirement.name)")
      }
    }
  }

  @Test func aLineThatAQuestionNamesIsWhereItSays() throws {
    var found = 0
    for exercise in Catalogue.exercises {
      let lines = try String(contentsOfFile: exercise.card.file, encoding: .utf8)
        .components(separatedBy: "\n")
      for question in exercise.questions {
        for match in question.text.matches(of: #/`([^`]+)`, line (\d+)/#) {
          let line = try #require(Int(match.2))
          #expect(lines[line - 1].contains(match.1), "\(exercise.card.name): \(match.0)")
          found += 1
        }
      }
    }
    #expect(found > 0)
  }

  @Test func eachRequirementIsMissedBySomeWrongRepair() {
    for exercise in Catalogue.exercises {
      let missed = exercise.nearMisses.reduce(into: Set<String>()) { $0.formUnion($1.misses) }
      for requirement in exercise.requirements where !requirement.isBonus {
        #expect(missed.contains(requirement.name), "\(exercise.card.name) \(requirement.name)")
      }
      #expect(exercise.hints.count == 3 && exercise.minutes > 0, "\(exercise.card.name)")
    }
  }

  /// Checks a file that comes with an exercise, as a learner would who had it in their folder.
  static func check(
    _ exercise: Exercise, _ kind: String, _ name: String? = nil, only: Set<String> = [],
    isRepeating: Bool = true
  ) throws -> CheckRecord {
    let desk = ExerciseDesk(
      folder: FileManager.default.temporaryDirectory
        .appendingPathComponent("faultline-exercises-\(UUID().uuidString)").path)
    defer { try? FileManager.default.removeItem(at: desk.folder) }
    _ = try desk.start(exercise)
    let place = desk.folder(of: exercise)
    let names =
      (exercise.file.map { [$0] } ?? []) + (exercise.questions.isEmpty ? [] : ["answers.txt"])
    for file in names where kind != "Exercise" {
      // What a wrong repair does not have is as in the solution.
      let own = try? ExerciseDesk.shipped(
        exercise, kind, file: name.map { "\($0).\((file as NSString).pathExtension)" } ?? file)
      let shipped = try own ?? ExerciseDesk.shipped(exercise, "Solution", file: file)
      try FileManager.default.removeItem(at: place.appendingPathComponent(file))
      try FileManager.default.copyItem(at: shipped, to: place.appendingPathComponent(file))
    }
    let folder = try #require(
      try LearnerFolder(desk.folder(of: exercise).path, among: Catalogue.exercises))
    var judge = Judge(exercise, folder)
    judge.only = only
    judge.isRepeating = isRepeating
    return try judge.record()
  }

  private static func table(_ record: CheckRecord) -> String { CheckPage.plain(record) }
}
