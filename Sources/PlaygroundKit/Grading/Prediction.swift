import Foundation

/// What a learner predicted, and what the runs gave: the page and `--json` are made from it.
public struct PredictionRecord: Encodable, Sendable {
  /// The answer to one question.
  public struct Answer: Encodable, Sendable {
    /// The question's key and its text.
    public var question: String
    public var text: String
    /// What the learner said, and how sure they were, from 1 to 5.
    public var predicted: [String]
    public var sure: Int?
    /// What the exploration of our sides gave.
    public var observed: [String]
    /// Whether both are the same.
    public var isRight: Bool
    /// What the answer got, and the most it can get.
    public var points: Int
    public var pointsMax: Int
  }

  /// The exercise's number and title.
  public var number: Int
  public var title: String
  /// The learner's folder.
  public var folder: String
  /// Each prediction, in the order of the questions.
  public var answers: [Answer]
  /// The points of the predictions, and the most there are.
  public var points: Int
  public var pointsMax: Int
  /// The result for those requirements that rest on answers.
  var check: CheckRecord
  /// Whether the exercise has no others.
  var isWhole: Bool

  private enum CodingKeys: String, CodingKey {
    case number, title, folder, answers, points, pointsMax
  }

  fileprivate init(_ answers: [Answer], _ check: CheckRecord, isWhole: Bool) {
    (number, title, folder) = (check.number, check.title, check.folder)
    (self.answers, self.check, self.isWhole) = (answers, check, isWhole)
    points = answers.reduce(0) { $0 + $1.points }
    pointsMax = answers.reduce(0) { $0 + $1.pointsMax }
  }

  /// Adds the predictions to what the learner has reached; the points too, if nothing else is
  /// required of the exercise.
  public func note(in entry: inout ProgressRecord.Entry) {
    for answer in answers {
      entry.add(
        ProgressRecord.Prediction(
          question: answer.question, sure: answer.sure, isRight: answer.isRight))
    }
    if isWhole { entry.add(check) }
  }
}

extension Exercise {
  /// The questions whose answers are predictions, which runs of our sides confirm or refute.
  public var predicted: [Question] {
    questions.filter { question in
      requirements.contains { $0.prediction == question.key }
    }
  }
}

extension Requirement {
  /// The question that it judges as a prediction. A question about a schedule that was found is
  /// none.
  fileprivate var prediction: String? {
    switch kind {
    case .predict(let key, _), .traced(let key, _, outcome: nil, _): key
    case .never, .reach, .schedules, .budget, .store, .golden, .growth, .answer, .traced,
      .confined, .mutants, .accepts, .refuses, .free:
      nil
    }
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
    let answers = try exercise.predicted.map { question in
      let judged = exercise.requirements.filter { $0.prediction == question.key }
      let findings = check.findings.filter { judged.map(\.name).contains($0.name) }
      let observed = try judged.first.flatMap { try written.truth($0.kind) } ?? []
      return PredictionRecord.Answer(
        question: question.key, text: question.text, predicted: written[question.key],
        sure: written.sheet[sureOf: question.key],
        observed: question.choices.filter(observed.contains)
          + observed.subtracting(question.choices).sorted(),
        isRight: Set(written[question.key]) == observed,
        points: findings.reduce(0) { $0 + $1.points },
        pointsMax: findings.reduce(0) { $0 + $1.pointsMax })
    }
    return PredictionRecord(
      answers, check, isWhole: check.findings.count == exercise.requirements.count)
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
    do throws(Complaint) {
      let words = try answers(in: line)
      return words.isEmpty ? .failure(Complaint(.input, "Give an answer.")) : .success(words)
    } catch {
      return .failure(error)
    }
  }

  /// How sure a learner says they are; nil if that is no number from 1 to 5.
  public static func sure(_ line: String) -> Int? {
    Int(line.trimmingCharacters(in: .whitespaces)).flatMap {
      ProgressRecord.Prediction.sureRange.contains($0) ? $0 : nil
    }
  }
}
