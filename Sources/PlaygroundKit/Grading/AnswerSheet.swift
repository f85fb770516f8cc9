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
  /// The answers in what a learner typed, separated by commas; small letters stand for capitals.
  ///
  /// - Throws: `Complaint` with a sentence about the first that is none of the choices.
  func answers(in text: some StringProtocol) throws(Complaint) -> [String] {
    let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
    var answers: [String] = []
    for word in words {
      guard choices.isEmpty || choice(word) != nil else { throw complaint(about: word) }
      answers.append(choice(word) ?? word)
    }
    return answers
  }

  private func choice(_ word: String) -> String? {
    choices.first { $0.caseInsensitiveCompare(word) == .orderedSame }
  }

  private func complaint(about word: String) -> Complaint {
    if isSeveral(word) {
      return Complaint(.input, "“\(word)” is several answers: separate them by commas.")
    }
    let near = NearestName.of(word, among: choices).map { "; did you mean \($0)?" } ?? "."
    return Complaint(
      .input,
      "“\(word)” is none of the answers: choose from \(choices.joined(separator: ", "))\(near)")
  }

  /// Whether a text is some of the choices with spaces between them.
  private func isSeveral(_ text: String) -> Bool {
    choices.contains { choice in
      guard let range = text.range(of: choice, options: [.anchored, .caseInsensitive]) else {
        return false
      }
      let rest = text[range.upperBound...]
      guard !rest.isEmpty else { return true }
      return rest.first == " " && isSeveral(rest.trimmingCharacters(in: .whitespaces))
    }
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
  /// What is wrong with a line: of the question that it answers, or of none.
  private(set) var complaints: [(key: String?, complaint: Complaint)] = []

  /// A sheet without answers.
  public init() {}

  /// Reads a sheet; a line that begins with `#` is not read.
  ///
  /// - Throws: `Complaint` when a line answers no question, or an answer is none of the choices.
  public init(_ text: String, _ questions: [Question], path: String) throws(Complaint) {
    self.init(readable: text, questions, path: path)
    if let first = complaints.first { throw first.complaint }
  }

  /// Reads those lines of a sheet that can be read, and complains about the others.
  init(readable text: String, _ questions: [Question], path: String) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let typed = parts[0].trimmingCharacters(in: .whitespaces)
      let isSure = typed.hasSuffix(Self.sure)
      let key = isSure ? String(typed.dropLast(Self.sure.count)) : typed
      let question = parts.count == 2 ? questions.first { $0.key == key } : nil
      do throws(Complaint) {
        guard let question else {
          let keys = questions.map(\.key).joined(separator: ", ")
          throw Complaint(.input, "“\(key)” is no question of this exercise; they are \(keys).")
        }
        if isSure {
          try setSure(parts[1].trimmingCharacters(in: .whitespaces), of: key)
        } else {
          answers[key] = try question.answers(in: parts[1])
        }
      } catch {
        let words = "\(path):\(number + 1): \(error.description)"
        complaints.append((question?.key, Complaint(.input, words)))
      }
    }
  }

  private mutating func setSure(_ text: String, of key: String) throws(Complaint) {
    if text.isEmpty { return }
    guard let sure = Int(text), ProgressRecord.Prediction.sureRange.contains(sure) else {
      throw Complaint(.input, "say how sure you are with a number from 1 to 5.")
    }
    sures[key] = sure
  }

  /// What keeps a question from having an answer; a line that answers no question may have been
  /// meant for any.
  func complaint(about key: String) -> Complaint? {
    complaints.first { $0.key == key }?.complaint
      ?? (self[key].isEmpty ? complaints.first { $0.key == nil }?.complaint : nil)
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
        let choices = "Choose from: \(question.choices.joined(separator: ", "))"
        text += Wrapping.lines(choices, width: 96).map { "# \($0)\n" }.joined()
      }
      let answers = self[question.key].joined(separator: ", ")
      text += "\(question.key):\(answers.isEmpty ? "" : " ")\(answers)\n"
      if let sure = self[sureOf: question.key] { text += "\(question.key)\(Self.sure): \(sure)\n" }
    }
    return text
  }
}
