import Foundation
import PlaygroundKit
import Scenarios
import Testing

/// An exercise of questions: what a learner predicts is held against runs of our sides.
@Suite final class PredictionTests {
  private let desk = ExerciseDesk(
    folder: FileManager.default.temporaryDirectory
      .appendingPathComponent("faultline-predict-\(UUID().uuidString)").path)

  deinit { try? FileManager.default.removeItem(at: desk.folder) }

  private static let exercise = Exercise(
    of: PerformAndWaitOnMain.self, task: "Predict.", minutes: 1, file: nil,
    questions: [
      Question("wrong", "How does the wrong side end?", choices: ["STALL", "SMOOTH", "EMPTY"]),
      Question("right", "How does the right side end?", choices: ["STALL", "SMOOTH", "EMPTY"]),
    ],
    shown: .init(["rows": 3_000], bound: 0), hidden: .init(["rows": 3_000], bound: 0),
    requirements: ["wrong", "right"].map { side in
      Requirement(
        side, "the outcome",
        .predict(side) { exploration in
          let outcomes = exploration.sides.first { $0.name == side }?.outcomes ?? []
          return Set(outcomes.filter { $0.orders > 0 }.map(\.name))
        }, points: 2, say: .init(pass: "Right.", fail: "Wrong: {seen}.", hidden: ""))
    },
    hints: [], nearMisses: [])

  private func sheet(_ wrong: String, _ right: String) throws -> AnswerSheet {
    try AnswerSheet(
      "wrong: \(wrong)\nwrong sure: 5\nright: \(right)\n", Self.exercise.questions, path: "sheet")
  }

  private func predict(_ sheet: AnswerSheet) throws -> PredictionRecord {
    _ = try desk.start(Self.exercise)
    _ = try desk.write(sheet, of: Self.exercise)
    let path = desk.folder(of: Self.exercise).path
    let folder = try #require(try LearnerFolder(path, among: [Self.exercise]))
    return try Judge(Self.exercise, folder).prediction()
  }

  @Test func aPredictionIsScoredAndTheFirstOneRecorded() throws {
    let half = try predict(sheet("STALL", "STALL"))
    #expect(half.answers.map(\.isRight) == [true, false])
    #expect(half.answers.map(\.observed) == [["STALL"], ["SMOOTH"]])
    #expect(half.answers.map(\.sure) == [5, nil] && half.points == 2 && half.pointsMax == 4)
    var entry = ProgressRecord.Entry()
    half.note(in: &entry)
    try predict(sheet("STALL", "SMOOTH")).note(in: &entry)
    #expect(entry.points == 4 && entry.isPassed)
    #expect(entry.predictions.map(\.isRight) == [true, false])
  }

  @Test func thePageShowsThePredictionBesideTheRuns() throws {
    let record = try predict(sheet("STALL, EMPTY", "SMOOTH"))
    let page = PredictionPage(record).text
    #expect(page.contains("✗ How does the wrong side end?"), "\(page)")
    #expect(page.contains("  you predicted  STALL, EMPTY  (sure: 5)\n"), "\(page)")
    #expect(page.contains("  the runs gave  STALL\n"), "\(page)")
    #expect(page.contains("\nScore: 2 of 4 points.\n"), "\(page)")
    let narrow = PredictionPage(record, PageStyle(width: 60)).text
    #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 60 }, "\(narrow)")
    let plain = PredictionPage.plain(record)
    #expect(plain.contains("\nwrong\twrong\t0\t2\t5\tSTALL,EMPTY\tSTALL\n"), "\(plain)")
  }

  @Test func earlierAnswersAreKeptBesideTheNewOnes() throws {
    _ = try desk.start(Self.exercise)
    let file = desk.file(of: Self.exercise)
    #expect(try desk.write(sheet("STALL", "STALL"), of: Self.exercise) == [])
    let first = try String(contentsOf: file, encoding: .utf8)
    #expect(first.contains("\nwrong: STALL\nwrong sure: 5\n"), "\(first)")
    #expect(try desk.write(sheet("STALL", "STALL"), of: Self.exercise) == [], "nothing changed")
    let kept = try desk.write(sheet("EMPTY", "STALL"), of: Self.exercise)
    #expect(kept.map(\.lastPathComponent) == ["answers-1.txt"])
    #expect(try String(contentsOf: kept[0], encoding: .utf8) == first)
    // A sheet that cannot be read is kept too.
    try "nonsense".write(to: file, atomically: true, encoding: .utf8)
    let damaged = try desk.write(sheet("EMPTY", "STALL"), of: Self.exercise)
    #expect(damaged.map(\.lastPathComponent) == ["answers-2.txt"])
  }

  @Test func anAnswerThatIsNoneNamesTheNearest() {
    let question = Self.exercise.questions[0]
    #expect(question.answer("STALL , SMOOTH") == .success(["STALL", "SMOOTH"]))
    let odd = question.answer("stal")
    guard case .failure(let complaint) = odd else { return #expect(Bool(false), "\(odd)") }
    #expect(complaint.description.contains("did you mean STALL?"), "\(complaint)")
    #expect(question.answer(" , ") == .failure(Complaint(.input, "Give an answer.")))
    #expect(Question.sure(" 3 ") == 3)
    for line in ["0", "6", "", "three"] { #expect(Question.sure(line) == nil, "\(line)") }
    #expect(throws: Complaint.self) {
      try AnswerSheet("wrong sure: 9", Self.exercise.questions, path: "sheet")
    }
  }

  @Test func theRowsOfTheFivePoliciesArePredictedToo() throws {
    let exercise = try #require(Catalogue.exercises.first { $0.card.number == 26 })
    #expect(exercise.predicted.map(\.key) == exercise.questions.map(\.key))
    _ = try desk.start(exercise)
    let solution = try ExerciseDesk.shipped(exercise, "Solution", file: AnswerSheet.fileName)
    let path = desk.folder(of: exercise).path
    let text = try String(contentsOf: solution, encoding: .utf8)
      .replacing("views=0, told", with: "views=2, told")
    _ = try desk.write(
      AnswerSheet(text, exercise.questions, path: solution.path), of: exercise)
    let folder = try #require(try LearnerFolder(path, among: [exercise]))
    let record = try Judge(exercise, folder).prediction()
    #expect(record.answers.map(\.isRight) == [false, true, true, true, true])
    #expect(record.answers[0].observed == ["name=first", "content=first", "views=0", "told"])
    #expect(record.points == 4 && record.pointsMax == 5)
  }
}
