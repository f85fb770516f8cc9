import Foundation
import PlaygroundKit
import XCTest

/// `faultline explore --step` with answers from a file.
final class StepCommandTests: CommandLineTestCase {
  private func step(_ scenario: String, _ answers: [String]) throws -> String {
    let lines = answers.joined(separator: "\\n")
    let end = answers.isEmpty ? "" : "\\n"
    let reply = try tool.shell(
      "printf '\(lines)\(end)' | \"$FAULTLINE\" explore \(scenario) --step")
    XCTAssertEqual(reply.status, 0, reply.errors)
    XCTAssertEqual(reply.errors, "")
    return reply.output
  }

  private func last(_ heading: String, of output: String) -> String {
    let line = output.split(separator: "\n").last { $0.hasPrefix(heading) } ?? ""
    return String(line.dropFirst(heading.count)).trimmingCharacters(in: .whitespaces)
  }

  func testWithoutAnswersTheDefaultScheduleRunsAndTheNearestBadOneIsNamed() throws {
    let output = try step("27", [])
    XCTAssertTrue(output.contains("no more answers"), output)
    XCTAssertTrue(last("Ends ", of: output).hasPrefix("KEPT (accepted)"), output)
    XCTAssertTrue(last("Id ", of: output).hasPrefix("s3-27-0-"), output)
    let near = last("Near ", of: output)
    XCTAssertTrue(near.hasSuffix(", one choice away"), output)
    let id = String(near.prefix { $0 != "," })
    XCTAssertEqual(try tool.run("replay", id, "--quiet").output, "\(id): LOST\n")
  }

  func testAStudentWhoInterruptsAfterTheReadLosesAnUpdate() throws {
    // Seven defaults lead to the first context's save, after its fetch and its fault.
    let output = try step("27", Array(repeating: "", count: 7) + ["2"])
    XCTAssertTrue(output.contains("[A is interrupted]"), output)
    XCTAssertTrue(last("Ends ", of: output).hasPrefix("LOST (forbidden)"), output)
    let id = last("Id ", of: output)
    XCTAssertEqual(try tool.run("replay", id, "--quiet").output, "\(id): LOST\n")
    XCTAssertEqual(last("Near ", of: output), "", "it was found already")
  }

  func testWhatWasChosenCanBeTakenBack() throws {
    let there = Array(repeating: "", count: 7)
    let output = try step("27", ["u"] + there + ["2", "u", "s", "q"])
    XCTAssertTrue(output.contains("Nothing has been chosen yet."), output)
    XCTAssertTrue(last("So far:", of: output).hasPrefix("s3-27-0-"), output)
    XCTAssertFalse(output.contains("\nEnds "), output)
  }

  func testEveryQuestionHasAnAnswer() throws {
    let output = try step("27", Array(repeating: "", count: 4) + ["?", "!", "w", "x", "z", "99"])
    XCTAssertTrue(output.contains("main has nothing to do until"), output)
    XCTAssertTrue(output.contains("Nothing has been committed yet."), output)
    XCTAssertTrue(output.contains("With the default choices from here on: KEPT (accepted)"), output)
    XCTAssertTrue(output.contains("Goal: LOST"), output)
    let phase = "commits the transaction".padding(toLength: 46, withPad: " ", startingAt: 0)
    XCTAssertTrue(output.contains(phase + "inside the transaction"), output)
    XCTAssertTrue(output.contains("There is no answer “z”."), output)
    XCTAssertTrue(output.contains("There is no answer “99”."), output)
  }

  func testWhoWaitsSaysForWhat() throws {
    // The second of three writers runs while the first is inside the store's queue.
    let there = Array(repeating: "", count: 15) + ["2"] + Array(repeating: "", count: 9)
    let output = try step("27 --set writers=3", there + ["", "?", "q"])
    XCTAssertTrue(
      output.contains("B context 2 waits for queue \"store\", which A context 1 holds"), output)
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

  func testNoQuestionHasTwoEntriesOfTheSameText() throws {
    let answers = Array(repeating: "", count: 60)
    let all = questions(try step("27 --set writers=3 --width 400", answers))
    XCTAssertGreaterThan(all.count, 50)
    for question in all {
      XCTAssertGreaterThan(question.count, 1, "\(question)")
      XCTAssertEqual(Set(question).count, question.count, "\(question)")
    }
    XCTAssertTrue(all.joined().contains { $0.hasPrefix("task 2: ") }, "\(all[0])")
  }

  func testAKeyLeadsOnToTheNextSaveOrFetch() throws {
    let output = try step("27 --width 400", ["n", "n", "n", "u", "q"])
    XCTAssertTrue(output.contains("n: run to the next save or fetch"), output)
    let all = questions(output)
    XCTAssertEqual(all.count, 5)
    XCTAssertTrue(all[1][0].hasPrefix("A context 1"), "\(all[1])")
    XCTAssertTrue(all[1][0].hasSuffix("fetches Article 1 version 1 (views = 0)"), "\(all[1])")
    XCTAssertTrue(
      all[2][0].hasSuffix("calls save() on context 1: Article 1 views 0 → 1"), "\(all[2])")
    XCTAssertTrue(all[3][0].contains("fetches Article 1 version 2 (views = 1)"), "\(all[3])")
    XCTAssertEqual(all[4], all[2], "one answer takes a whole jump back")
    let end = try step("27", Array(repeating: "n", count: 9))
    XCTAssertTrue(end.contains("No save or fetch follows"), end)
  }

  func testARightSideHasNoBadScheduleNearby() throws {
    let output = try step("27 --side right", [])
    XCTAssertTrue(
      last("Near ", of: output).hasPrefix("no schedule of at most 2 switches"), output)
  }

  func testFlagsThatHaveNoMeaningThereAreRefused() throws {
    expect(try tool.run("explore", "27", "--step", "--bound", "1"), .usage, saying: "--bound")
    expect(try tool.run("explore", "27", "--step", "--json"), .usage, saying: "--json")
    expect(
      try tool.run("explore", "27", "--step", "--side", "wrong", "--side", "right"), .usage,
      saying: "give --side only once")
  }
}
