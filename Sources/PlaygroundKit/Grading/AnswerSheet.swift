import Foundation

/// A question of an exercise that is answered in words: a prediction, or the id of a schedule.
public struct Question: Sendable {
  /// The word before the colon.
  public let key: String
  /// What is asked.
  public let text: String
  /// The words that an answer may have; any when empty.
  public let choices: [String]

  /// Asks something.
  public init(_ key: String, _ text: String, choices: [String] = []) {
    (self.key, self.text, self.choices) = (key, text, choices)
  }
}

extension Question {
  /// The answers in what a learner typed, separated by commas, and whether each is one of
  /// the choices.
  func answers(in text: some StringProtocol) -> [(word: String, isKnown: Bool)] {
    text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
      .map { ($0, choices.isEmpty || choices.contains($0)) }
  }
}

/// A learner's answers: a small text file with the questions in it.
///
///     # Which of these can happen? Separate several by commas.
///     # One or more of: DEADLOCK, DONE
///     can-happen: DEADLOCK, DONE
///     can-happen sure: 4
///
/// The last line is there for a prediction only: how sure the learner is, from 1 to 5.
public struct AnswerSheet: Sendable {
  /// The name of the file in the learner's folder.
  public static let fileName = "answers.txt"
  private static let sure = " sure"

  private var answers: [String: [String]] = [:]
  private var sures: [String: Int] = [:]

  /// A sheet without answers.
  public init() {}

  /// Reads a sheet; a line that begins with `#` is not read.
  ///
  /// - Throws: `Complaint` when a line answers no question, or an answer is none of the choices.
  public init(_ text: String, _ questions: [Question], path: String) throws(Complaint) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let typed = parts[0].trimmingCharacters(in: .whitespaces)
      let isSure = typed.hasSuffix(Self.sure)
      let key = isSure ? String(typed.dropLast(Self.sure.count)) : typed
      let place = "\(path):\(number + 1)"
      guard parts.count == 2, let question = questions.first(where: { $0.key == key }) else {
        let keys = questions.map(\.key).joined(separator: ", ")
        throw Complaint(
          .input, "\(place): “\(key)” is no question of this exercise; they are \(keys).")
      }
      if isSure {
        try setSure(parts[1].trimmingCharacters(in: .whitespaces), of: key, place)
        continue
      }
      let words = question.answers(in: parts[1])
      if let odd = words.first(where: { !$0.isKnown })?.word {
        throw Complaint(
          .input,
          "\(place): “\(odd)” is none of the answers \(question.choices.joined(separator: ", ")).")
      }
      answers[key] = words.map(\.word)
    }
  }

  private mutating func setSure(
    _ text: String, of key: String, _ place: String
  ) throws(Complaint) {
    if text.isEmpty { return }
    guard let sure = Int(text), ProgressRecord.Prediction.sureRange.contains(sure) else {
      throw Complaint(.input, "\(place): say how sure you are with a number from 1 to 5.")
    }
    sures[key] = sure
  }

  /// The answers to a question; none if it was left open.
  public subscript(key: String) -> [String] {
    get { answers[key] ?? [] }
    set { answers[key] = newValue }
  }

  /// How sure the learner is of the answer to a question; nil if they did not say.
  public subscript(sureOf key: String) -> Int? {
    get { sures[key] }
    set { sures[key] = newValue }
  }

  /// An empty sheet with its questions.
  static func blank(_ exercise: Exercise) -> String { AnswerSheet().text(exercise) }

  /// The file: the questions with the answers under them.
  func text(_ exercise: Exercise) -> String {
    var text = """
      # \(exercise.card.heading)
      # Answer after the colons; separate several answers by commas.

      """
    for question in exercise.questions {
      text += "\n" + Wrapping.lines(question.text, width: 96).map { "# \($0)\n" }.joined()
      if !question.choices.isEmpty {
        text += "# Choose from: \(question.choices.joined(separator: ", "))\n"
      }
      let answers = self[question.key].joined(separator: ", ")
      text += "\(question.key):\(answers.isEmpty ? "" : " ")\(answers)\n"
      if let sure = self[sureOf: question.key] { text += "\(question.key)\(Self.sure): \(sure)\n" }
    }
    return text
  }
}
