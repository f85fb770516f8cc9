import XCTest

@testable import PlaygroundKit
@testable import ProbeSides

final class StoryTests: XCTestCase {
  func testPassagesAreCutFromAnchorToEndInTheOrderOfTheFile() {
    let passages = CodePassage.all(
      in:
        """
        let a = 1
          // anchor: wrong
          try wrong()

          // end: wrong
        // anchor: never ended
        // anchor: right
        try right()
        // end: right
        """)
    XCTAssertEqual(passages.map(\.name), ["wrong", "right"])
    XCTAssertEqual(passages.map(\.text), ["try wrong()\n", "try right()"])
  }

  func testTheRestOfALineOfCodeIsIndentedFurther() {
    XCTAssertEqual(
      Wrapping.code("    let policy = NSMergePolicy(merge: kind)", width: 32),
      ["    let policy =", "        NSMergePolicy(merge:", "        kind)"])
    XCTAssertEqual(
      Wrapping.code("  /// What is read first is older.", width: 24),
      ["  /// What is read", "  /// first is older."])
  }

  func testAStoryIsTheSameFromADescriptionThatWasSent() throws {
    let description = ScenarioDescription(Probe.self)
    let sent = try JSONDecoder().decode(
      ScenarioDescription.self, from: JSONEncoder().encode(description))
    XCTAssertEqual(Story(sent).text, Story(description).text)
    XCTAssertEqual(sent.sides.map(\.checker), Probe.sides.map(\.checker))
    XCTAssertEqual(sent.parameters.map(\.explored), Probe.parameters.map(\.explored))
    XCTAssertEqual(sent.limitNanoseconds, Probe.limit.nanoseconds)
    XCTAssertEqual(sent.repeats, Probe.repeats)
  }

  func testAStoryNamesEverythingAScenarioDeclaresAndFitsItsWidth() {
    for width in 60...140 {
      let text = Story(ScenarioDescription(Probe.self), PageStyle(width: width)).text
      XCTAssertTrue(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(width)")
      for outcome in Probe.outcomes { XCTAssertTrue(text.contains(outcome.name)) }
      for parameter in Probe.parameters { XCTAssertTrue(text.contains("--set \(parameter.name)=")) }
      for side in Probe.sides { XCTAssertTrue(text.contains(side.name)) }
    }
  }
}
