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

/// A learner's answers: a small text file with the questions in it.
///
///     # Which of these can happen? Separate several by commas.
///     # One or more of: DEADLOCK, DONE
///     can-happen: DEADLOCK, DONE
struct AnswerSheet {
  /// The name of the file in the learner's folder.
  static let fileName = "answers.txt"

  private let answers: [String: [String]]

  /// Reads a sheet; a line that begins with `#` is not read.
  ///
  /// - Throws: `Complaint` when a line answers no question, or an answer is none of the choices.
  init(_ text: String, _ questions: [Question], path: String) throws(Complaint) {
    var answers: [String: [String]] = [:]
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let key = parts[0].trimmingCharacters(in: .whitespaces)
      let place = "\(path):\(number + 1)"
      guard parts.count == 2, let question = questions.first(where: { $0.key == key }) else {
        let keys = questions.map(\.key).joined(separator: ", ")
        throw Complaint(
          .input, "\(place): “\(key)” is no question of this exercise; they are \(keys).")
      }
      let words = parts[1].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
      if let odd = words.first(where: { word in
        !question.choices.isEmpty && !question.choices.contains(word)
      }) {
        throw Complaint(
          .input,
          "\(place): “\(odd)” is none of the answers \(question.choices.joined(separator: ", ")).")
      }
      answers[key] = words
    }
    self.answers = answers
  }

  /// The answers to a question; none if it was left open.
  subscript(key: String) -> [String] { answers[key] ?? [] }

  /// An empty sheet with its questions.
  static func blank(_ exercise: Exercise) -> String {
    var text = """
      # \(exercise.card.heading)
      # Answer after the colons; separate several answers by commas.

      """
    for question in exercise.questions {
      text += "\n" + Wrapping.lines(question.text, width: 96).map { "# \($0)\n" }.joined()
      if !question.choices.isEmpty {
        let choices = "Choose from: \(question.choices.joined(separator: ", "))"
        text += Wrapping.lines(choices, width: 96).map { "# \($0)\n" }.joined()
      }
      text += "\(question.key):\n"
    }
    return text
  }
}
