import Foundation
import PlaygroundKit
import Testing

/// `faultline explore --step` with answers from a file.
@Suite final class StepCommandTests: CommandLineSuite {
  private func step(_ scenario: String, _ answers: [String]) throws -> String {
    let lines = answers.joined(separator: "\\n")
    let end = answers.isEmpty ? "" : "\\n"
    let reply = try tool.shell(
      "printf '\(lines)\(end)' | \"$FAULTLINE\" explore \(scenario) --step")
    #expect(reply.status == 0, "\(reply.errors)")
    #expect(reply.errors == "")
    return reply.output
  }

  private func last(_ heading: String, of output: String) -> String {
    let line = output.split(separator: "\n").last { $0.hasPrefix(heading) } ?? ""
    return String(line.dropFirst(heading.count)).trimmingCharacters(in: .whitespaces)
  }

  @Test func withoutAnswersTheDefaultScheduleRunsAndTheNearestBadOneIsNamed() throws {
    let output = try step("27", [])
    #expect(output.contains("no more answers"), "\(output)")
    #expect(last("Ends ", of: output).hasPrefix("KEPT (accepted)"), "\(output)")
    #expect(last("Id ", of: output).hasPrefix("s3-27-0-"), "\(output)")
    let near = last("Near ", of: output)
    #expect(near.hasSuffix(", one choice away"), "\(output)")
    let id = String(near.prefix { $0 != "," })
    #expect(try tool.run("replay", id, "--quiet").output == "\(id): LOST\n")
  }

  @Test func aStudentWhoInterruptsAfterTheReadLosesAnUpdate() throws {
    // Seven defaults lead to the first context's save, after its fetch and its fault.
    let output = try step("27", Array(repeating: "", count: 7) + ["2"])
    #expect(output.contains("[A is interrupted]"), "\(output)")
    #expect(last("Ends ", of: output).hasPrefix("LOST (forbidden)"), "\(output)")
    let id = last("Id ", of: output)
    #expect(try tool.run("replay", id, "--quiet").output == "\(id): LOST\n")
    #expect(last("Near ", of: output) == "", "it was found already")
  }

  @Test func whatWasChosenCanBeTakenBack() throws {
    let there = Array(repeating: "", count: 7)
    let output = try step("27", ["u"] + there + ["2", "u", "s", "q"])
    #expect(output.contains("Nothing has been chosen yet."), "\(output)")
    #expect(last("So far:", of: output).hasPrefix("s3-27-0-"), "\(output)")
    #expect(!output.contains("\nEnds "), "\(output)")
  }

  @Test func everyQuestionHasAnAnswer() throws {
    let output = try step(
      "27", Array(repeating: "", count: 4) + ["?", "!", "w", "x", "z", "99", "h"])
    #expect(output.contains("main has nothing to do until"), "\(output)")
    #expect(output.contains("Nothing has been committed yet."), "\(output)")
    #expect(output.contains("With the default choices from here on: KEPT (accepted)"), "\(output)")
    #expect(output.contains("Goal: LOST"), "\(output)")
    let phase = "commits the transaction".padding(toLength: 46, withPad: " ", startingAt: 0)
    #expect(output.contains(phase + "inside the transaction"), "\(output)")
    #expect(output.contains("There is no answer “z”: give a number up to 2, or h."), "\(output)")
    #expect(output.contains("There is no answer “99”: give a number"), "\(output)")
    #expect(output.split(separator: "the phases of the next save").count == 3, "\(output)")
  }

  @Test func whoWaitsSaysForWhat() throws {
    // The second of three writers runs while the first is inside the store's queue.
    let there = Array(repeating: "", count: 15) + ["2"] + Array(repeating: "", count: 9)
    let output = try step("27 --set writers=3", there + ["", "?", "q"])
    #expect(
      output.contains("B context 2 waits for queue \"store\", which A context 1 holds"), "\(output)"
    )
  }

  /// The entries of each question.
  private func questions(_ output: String) -> [[String]] {
    var questions: [[String]] = []
    for line in output.split(separator: "\n") {
      if line.hasPrefix("Which thread runs next?") { questions.append([]) }
      let entry = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard line.hasPrefix("  "), let first = entry.first, Int(first) != nil else { continue }
      if !questions.isEmpty, Int(first) == questions[questions.count - 1].count + 1 {
        let text = String(entry.last ?? "").trimmingCharacters(in: .whitespaces)
        questions[questions.count - 1].append(text)
      }
    }
    return questions
  }

  @Test func noQuestionHasTwoEntriesOfTheSameText() throws {
    let answers = Array(repeating: "", count: 60)
    let all = questions(try step("27 --set writers=3 --width 400", answers))
    #expect(all.count > 50)
    for question in all {
      #expect(question.count > 1, "\(question)")
      #expect(Set(question).count == question.count, "\(question)")
    }
    #expect(all.joined().contains { $0.hasPrefix("task 2: ") }, "\(all[0])")
  }

  @Test func aKeyLeadsOnToTheNextSaveOrFetch() throws {
    let output = try step("27 --width 400", ["n", "n", "n", "u", "q"])
    #expect(output.contains("n      run to the next save or fetch"), "\(output)")
    let all = questions(output)
    #expect(all.count == 5)
    #expect(all[1][0].hasPrefix("A context 1"), "\(all[1])")
    #expect(all[1][0].hasSuffix("fetches Article 1 version 1 (views = 0)"), "\(all[1])")
    #expect(all[2][0].hasSuffix("calls save() on context 1: Article 1 views 0 → 1"), "\(all[2])")
    #expect(all[3][0].contains("fetches Article 1 version 2 (views = 1)"), "\(all[3])")
    #expect(all[4] == all[2], "one answer takes a whole jump back")
    let end = try step("27", Array(repeating: "n", count: 9))
    #expect(end.contains("No save or fetch follows"), "\(end)")
  }

  @Test func aRightSideHasNoBadScheduleNearby() throws {
    let output = try step("27 --side right", [])
    #expect(last("Near ", of: output).hasPrefix("no schedule of at most 2 switches"), "\(output)")
  }

  @Test func flagsThatHaveNoMeaningThereAreRefused() throws {
    expect(try tool.run("explore", "27", "--step", "--bound", "1"), .usage, saying: "--bound")
    expect(try tool.run("explore", "27", "--step", "--json"), .usage, saying: "--json")
    expect(
      try tool.run("explore", "27", "--step", "--side", "wrong", "--side", "right"), .usage,
      saying: "give --side only once")
  }
}
