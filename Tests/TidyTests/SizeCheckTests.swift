import XCTest

final class SizeCheckTests: XCTestCase {
  private func complaints(_ text: String) -> [String] {
    SizeCheck.complaints(about: TextFile(path: "A.swift", text: text)).map(\.description)
  }

  func testAFileOfFourHundredLinesPassesAndOneMoreDoesNot() {
    XCTAssertEqual(complaints(String(repeating: "\n", count: 400)), [])
    XCTAssertEqual(
      complaints(String(repeating: "\n", count: 401)),
      ["A.swift: 401 lines; at most 400. Move a topic to Type+Topic.swift."])
  }

  func testALineOfAHundredColumnsPassesAndOneMoreDoesNot() {
    let hundred = String(repeating: "é", count: 100)
    XCTAssertEqual(complaints("\n\(hundred)\n"), [])
    XCTAssertEqual(
      complaints("\n\(hundred)é\n"), ["A.swift:2: 101 columns; at most 100. Break the line."])
  }

  func testAFunctionOfSixtyLinesPassesAndOneMoreDoesNot() {
    func function(_ inner: Int) -> String {
      "struct S {\n  func f(a: () -> Void = { }) {\n" + String(repeating: "  g { }\n", count: inner)
        + "  }\n  func h()\n}\n"
    }
    XCTAssertEqual(complaints(function(58)), [])
    XCTAssertEqual(
      complaints(function(59)),
      ["A.swift:2: func f: 61 lines; at most 60. Give a step a name of its own."])
  }

  func testBracesInStringsAndCommentsDoNotCount() {
    let text = "func f() {\n  // }\n  let s = \"}\"\n  let t = \"\"\"\n }}\n \"\"\"\n"
    XCTAssertEqual(complaints(text + String(repeating: "\n", count: 53) + "}\n"), [])
    XCTAssertEqual(complaints(text + String(repeating: "\n", count: 54) + "}\n").count, 1)
  }
}
