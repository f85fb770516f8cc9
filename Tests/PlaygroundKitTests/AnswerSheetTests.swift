import XCTest

@testable import PlaygroundKit

/// What may be written into `answers.txt`, and what is said of the rest.
final class AnswerSheetTests: XCTestCase {
  private let questions = [
    Question("can-happen", "Which can happen?", choices: ["DONE", "DEADLOCK"]),
    Question("id", "Which schedule?"),
  ]

  private func sheet(_ text: String) throws -> AnswerSheet {
    try AnswerSheet(text, questions, path: "ex/answers.txt")
  }

  func testAnswersStandBehindColonsAndSeveralBetweenCommas() throws {
    let sheet = try sheet("# can-happen: no\n\n  can-happen :  DONE ,DEADLOCK,\nid: s3-27-0-N\r\n")
    XCTAssertEqual(sheet["can-happen"], ["DONE", "DEADLOCK"])
    XCTAssertEqual(sheet["id"], ["s3-27-0-N"])
    XCTAssertEqual(try self.sheet("can-happen: done")["can-happen"], ["DONE"])
    XCTAssertEqual(try self.sheet("id:\n")["id"], [])
    XCTAssertEqual(try self.sheet("")["id"], [])
  }

  func testALineThatAnswersNothingIsNamedWithItsPlace() {
    for (text, words) in [
      ("id: 1\nidd: 2", "ex/answers.txt:2: “idd” is no question"),
      ("no colon", "ex/answers.txt:1: “no colon” is no question"),
      ("can-happen: MAYBE", "ex/answers.txt:1: “MAYBE” is none of the answers: choose from DONE"),
      ("can-happen: DEADLOK", "did you mean DEADLOCK?"),
      ("can-happen: DONE deadlock", "“DONE deadlock” is several answers: separate them by commas"),
      ("can-happen sure: 9", "ex/answers.txt:1: say how sure you are"),
    ] {
      XCTAssertThrowsError(try sheet(text)) { error in
        XCTAssertTrue("\(error)".contains(words), "\(error)")
      }
    }
  }

  func testALineThatCannotBeReadSpoilsNoOtherAnswer() {
    let sheet = AnswerSheet(
      readable: "can-happen: MAYBE\nid: s3-27-0-N", questions, path: "ex/answers.txt")
    XCTAssertEqual(sheet["id"], ["s3-27-0-N"])
    XCTAssertNil(sheet.complaint(about: "id"))
    XCTAssertEqual(sheet.complaint(about: "can-happen")?.description.contains("MAYBE"), true)
    // A line of no question may have been meant for any that is still open.
    let odd = AnswerSheet(readable: "idd: 1\ncan-happen: DONE", questions, path: "ex/answers.txt")
    XCTAssertNil(odd.complaint(about: "can-happen"))
    XCTAssertEqual(odd.complaint(about: "id")?.description.contains("“idd”"), true)
  }
}
