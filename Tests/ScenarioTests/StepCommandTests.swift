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

  func testWithoutAnswersTheDefaultWayIsGoneAndTheNearestBadOrderIsNamed() throws {
    let output = try step("27", [])
    XCTAssertTrue(output.contains("no more answers"), output)
    XCTAssertTrue(last("Ends ", of: output).hasPrefix("KEPT (accepted)"), output)
    XCTAssertTrue(last("Order ", of: output).hasPrefix("s3-27-0-"), output)
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
    let id = last("Order ", of: output)
    XCTAssertEqual(try tool.run("replay", id, "--quiet").output, "\(id): LOST\n")
    XCTAssertEqual(last("Near ", of: output), "", "it was found already")
  }

  func testWhatWasChosenCanBeTakenBack() throws {
    let there = Array(repeating: "", count: 7)
    let output = try step("27", ["u"] + there + ["2", "u", "s", "q"])
    XCTAssertTrue(output.contains("Nothing was chosen yet."), output)
    XCTAssertTrue(last("So far:", of: output).hasPrefix("s3-27-0-"), output)
    XCTAssertFalse(output.contains("\nEnds "), output)
  }

  func testEveryQuestionHasAnAnswer() throws {
    let output = try step("27", Array(repeating: "", count: 4) + ["?", "!", "w", "x", "z", "99"])
    XCTAssertTrue(output.contains("main has nothing to do until"), output)
    XCTAssertTrue(output.contains("Nothing was committed yet."), output)
    XCTAssertTrue(output.contains("default way from here: KEPT (accepted)"), output)
    XCTAssertTrue(output.contains("To reach: LOST"), output)
    XCTAssertTrue(output.contains("save: commit        inside the transaction"), output)
    XCTAssertTrue(output.contains("“z” means nothing here"), output)
    XCTAssertTrue(output.contains("“99” means nothing here"), output)
  }

  func testWhoWaitsSaysForWhat() throws {
    // The second of three writers is let run while the first is inside the store's queue.
    let there = Array(repeating: "", count: 15) + ["2"] + Array(repeating: "", count: 9)
    let output = try step("27 --set writers=3", there + ["", "?", "q"])
    XCTAssertTrue(
      output.contains("B context 2 waits for queue \"store\", which A context 1 is inside"), output)
  }

  func testARightSideHasNoBadOrderNearby() throws {
    let output = try step("27 --side right", [])
    XCTAssertTrue(
      last("Near ", of: output).hasPrefix("no order of at most 2 switches"), output)
  }

  func testFlagsThatHaveNoMeaningThereAreRefused() throws {
    expect(try tool.run("explore", "27", "--step", "--bound", "1"), .usage, saying: "--bound")
    expect(try tool.run("explore", "27", "--step", "--json"), .usage, saying: "--json")
    expect(
      try tool.run("explore", "27", "--step", "--side", "wrong", "--side", "right"), .usage,
      saying: "one --side")
  }
}
