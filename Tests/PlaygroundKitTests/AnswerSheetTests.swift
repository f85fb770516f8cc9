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
    XCTAssertEqual(try self.sheet("id:\n")["id"], [])
    XCTAssertEqual(try self.sheet("")["id"], [])
  }

  func testALineThatAnswersNothingIsNamedWithItsPlace() {
    for (text, words) in [
      ("id: 1\nidd: 2", "ex/answers.txt:2: “idd” is no question"),
      ("no colon", "ex/answers.txt:1: “no colon” is no question"),
      ("can-happen: MAYBE", "ex/answers.txt:1: “MAYBE” is none of the answers DONE, DEADLOCK"),
    ] {
      XCTAssertThrowsError(try sheet(text)) { error in
        XCTAssertTrue("\(error)".contains(words), "\(error)")
      }
    }
  }
}
