import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// `faultline predict 26`: asks what a learner expects, then shows what the runs gave.
struct PredictCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predict", abstract: "Predict what the runs of an exercise give, then see it.",
    discussion: """
      faultline predict 26                      asks, then shows what the runs gave
      faultline predict                         inside the folder of the exercise
      faultline predict 26 --answers mine.txt   takes the answers from a file

      The file has the lines of answers.txt in the folder of the exercise; a line such as \
      `can-happen sure: 4` says how sure you are, from 1 to 5. Your answers are written into \
      answers.txt. progress.json records your first prediction for each question.

      The exit code is 0 when every prediction is right, and 1 when one is wrong.
      """)

  @Argument(help: "The exercise: its folder, number or name; without it the current folder.")
  var exercise: String?

  @Option(
    help: "Take the answers from this file, and do not ask.", transform: PathWord.checked)
  var answers: String?

  @OptionGroup var input: InputOptions

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  func run() throws {
    let (exercise, folder) = try desk.started(self.exercise)
    guard !exercise.predicted.isEmpty else {
      throw Complaint(
        .usage,
        "Exercise \(exercise.card.name) asks for no prediction:"
          + " `faultline check \(folder.path.quotedForShell)` says what it requires.")
    }
    let output = try page.destination()
    let progress = DeskOptions.progress(around: folder.path)
    // What cannot be recorded is refused before it is asked for.
    _ = try progress.read()
    let sheet = try answers.map { try read($0, exercise) } ?? ask(exercise, folder.path)
    let kept = try ExerciseDesk(folder: LearnerFolder.desk(of: folder.path))
      .write(sheet, of: exercise)
    for file in kept {
      Output.complain("Your earlier answers are now in \(folder.path)/\(file.lastPathComponent).")
    }
    let record = try Judge(exercise, folder).prediction()
    try progress.update { record.note(in: &$0[exercise]) }
    try output.write(printed(record))
    if !record.answers.allSatisfy(\.isRight) { throw Leave(status: .answerIsNo) }
  }

  private func read(_ path: String, _ exercise: Exercise) throws -> AnswerSheet {
    guard let text = try WholeFile.text(of: path, mayBeStream: true) else {
      throw Complaint(.input, "There is no \(path).")
    }
    let sheet = try AnswerSheet(text, exercise.questions, path: path)
    for question in exercise.predicted where sheet[question.key].isEmpty {
      throw Complaint(.input, "\(path) has no answer to “\(question.key)”: give one.")
    }
    return sheet
  }

  // MARK: Asking

  private func ask(_ exercise: Exercise, _ folder: String) throws -> AnswerSheet {
    guard input.canAsk else {
      throw Complaint(
        .usage,
        "There is no terminal to ask on: `faultline predict \(folder.quotedForShell) --answers"
          + " FILE` takes the answers from a file such as answers.txt.")
    }
    var sheet = AnswerSheet()
    let questions = exercise.predicted
    for (index, question) in questions.enumerated() {
      say("\(index + 1) of \(questions.count)  ", question.text)
      if !question.choices.isEmpty {
        say("        ", "Choose from: \(question.choices.joined(separator: ", "))")
        say("        ", "Separate several by commas.")
      }
      sheet[question.key] = try answer { line throws(Complaint) in
        try question.answer(line).get()
      }
      say("        ", "How sure are you, from 1 (a guess) to 5 (certain)?")
      sheet[sureOf: question.key] = try answer { line throws(Complaint) in
        guard let sure = Question.sure(line) else {
          throw Complaint(.input, "Give a number from 1 to 5.")
        }
        return sure
      }
    }
    return sheet
  }

  /// Reads lines until one of them is an answer.
  private func answer<R>(_ meaning: (String) throws(Complaint) -> R) throws -> R {
    while true {
      StandardStreams.complain("      > ")
      guard let line = readLine() else {
        StandardStreams.complain("\n")
        throw Complaint(.answerIsNo, "Not every question has an answer: nothing was written.")
      }
      do throws(Complaint) { return try meaning(line) } catch { say("        ", error.description) }
    }
  }

  private func say(_ heading: String, _ text: String) {
    for line in page.style.hanging(heading, text) {
      StandardStreams.complain(page.style.finished(line) + "\n")
    }
  }

  private func printed(_ record: PredictionRecord) throws -> String {
    if page.json { return try Output.json(record) }
    if page.plain { return PredictionPage.plain(record) }
    if page.quiet { return "\(record.points) of \(record.pointsMax) points\n" }
    return PredictionPage(record, page.style).text
  }
}
