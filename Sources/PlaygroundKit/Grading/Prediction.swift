import Foundation

/// What a learner predicted, and what the runs gave.
public struct PredictionRecord: Codable, Sendable {
  /// The answer to one question.
  public struct Answer: Codable, Sendable {
    /// The question's key and its text.
    public var question: String
    public var text: String
    /// What the learner said, and how sure they were, from 1 to 5.
    public var predicted: [String]
    public var sure: Int?
    /// What the exploration of our sides gave.
    public var observed: [String]
    /// What the answer got, and the most it can get.
    public var points: Int
    public var pointsMax: Int

    /// Whether the runs agreed.
    public var isRight: Bool { Set(predicted) == Set(observed) }
  }

  /// The result for those requirements that rest on answers.
  public var check: CheckRecord
  /// Each prediction, in the order of the questions.
  public var answers: [Answer]

  /// Adds the predictions to what the learner has reached; the points too, if nothing else is
  /// required of the exercise.
  public func note(in entry: inout ProgressRecord.Entry, of exercise: Exercise) {
    for answer in answers {
      entry.add(
        ProgressRecord.Prediction(
          question: answer.question, sure: answer.sure, isRight: answer.isRight))
    }
    if check.findings.count == exercise.requirements.count { entry.add(check) }
  }
}

extension Exercise {
  /// The questions whose answers are predictions, which runs of our sides confirm or refute.
  public var predicted: [Question] {
    questions.filter { question in
      requirements.contains { $0.prediction?.key == question.key }
    }
  }
}

extension Requirement {
  /// The question that it judges as a prediction, and what gives the right answer.
  fileprivate var prediction: (key: String, truth: @Sendable (Exploration) -> Set<String>)? {
    if case .predict(let key, let truth) = kind { (key, truth) } else { nil }
  }
}

extension Judge {
  /// Holds the answers in the learner's folder against runs of our sides; builds nothing.
  ///
  /// - Throws: `Complaint` when there is no sheet, or something of ours fails.
  public func prediction() throws -> PredictionRecord {
    let written = try WrittenAnswers(exercise, folder)
    var judge = self
    judge.only = Set(exercise.requirements.filter { $0.basis == .answers }.map(\.name))
    let check = try judge.record(with: written)
    let exploration = try written.exploration()
    let answers = exercise.predicted.map { question in
      let judged = exercise.requirements.filter { $0.prediction?.key == question.key }
      let findings = check.findings.filter { judged.map(\.name).contains($0.name) }
      return PredictionRecord.Answer(
        question: question.key, text: question.text, predicted: written[question.key],
        sure: written.sheet[sureOf: question.key],
        observed: judged.first?.prediction?.truth(exploration).sorted() ?? [],
        points: findings.reduce(0) { $0 + $1.points },
        pointsMax: findings.reduce(0) { $0 + $1.pointsMax })
    }
    return PredictionRecord(check: check, answers: answers)
  }
}

extension ExerciseDesk {
  /// Writes predictions into the learner's sheet, where the other answers stay.
  ///
  /// - Returns: where the earlier sheet is kept, if it had answers that are gone from it now.
  public func write(_ predictions: AnswerSheet, of exercise: Exercise) throws -> [URL] {
    let file = folder(of: exercise).appendingPathComponent(AnswerSheet.fileName)
    let old = try WholeFile.text(of: file.path)
    var sheet =
      (try? old.map { try AnswerSheet($0, exercise.questions, path: file.path) }) ?? AnswerSheet()
    for question in exercise.predicted {
      sheet[question.key] = predictions[question.key]
      sheet[sureOf: question.key] = predictions[sureOf: question.key]
    }
    let new = sheet.text(exercise)
    if old == new { return [] }
    let kept = old == nil || old == AnswerSheet.blank(exercise) ? [] : try keep(file)
    try WholeFile(file.path, advice: Self.advice).write(new)
    return kept
  }
}

extension Question {
  /// What a learner typed as an answer, or the sentence that says why it is none.
  public func answer(_ line: String) -> Result<[String], Complaint> {
    let words = answers(in: line)
    if words.isEmpty { return .failure(Complaint(.input, "Give an answer.")) }
    if let odd = words.first(where: { !$0.isKnown })?.word {
      let near = NearestName.of(odd, among: choices).map { "; did you mean \($0)?" } ?? "."
      return .failure(
        Complaint(.input, "“\(odd)”: choose from \(choices.joined(separator: ", "))\(near)"))
    }
    return .success(words.map(\.word))
  }

  /// How sure a learner says they are; nil if that is no number from 1 to 5.
  public static func sure(_ line: String) -> Int? {
    Int(line.trimmingCharacters(in: .whitespaces)).flatMap {
      ProgressRecord.Prediction.sureRange.contains($0) ? $0 : nil
    }
  }
}
