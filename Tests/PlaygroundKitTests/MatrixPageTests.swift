import XCTest

@testable import PlaygroundKit

final class MatrixPageTests: XCTestCase {
  private let rows = [
    MatrixLine("one", "two contexts on one coordinator"), MatrixLine("two", "two children of main"),
  ]
  private let columns = ["error", "trump", "rollback"].map { MatrixLine($0, $0) }

  /// A cell of each kind: refuted twice, by two outcomes; proved, with and without a bound; not
  /// finished; and one that was not explored.
  private var made: Exploration {
    typealias E = Explorations
    var exploration = E.exploration([
      E.side("one.error", .wrong, [E.found("KEPT", 31), E.found("LOST", 0)]),
      E.side(
        "one.trump", .wrong, place: 1,
        [E.found("KEPT", 12), E.found("LOST", 1, switches: 1, (3, 1))]),
      E.side("one.rollback", .wrong, place: 2, [E.found("KEPT", 5)], isWhole: true),
      E.side("two.error", .wrong, place: 3, [E.found("DEADLOCK", 1, (0, 1))]),
      E.side("two.trump", .wrong, place: 4, [E.found("KEPT", 7)], isComplete: false, share: 0.5),
    ])
    exploration.scenario.number = 101
    for side in exploration.sides.indices { exploration.sides[side].subject = .scenario(101) }
    exploration.scenario.slug = "matrix-lost-update"
    return exploration
  }

  private func page(_ style: PageStyle, showsIDs: Bool = false) -> String {
    MatrixPage([made], rows: rows, columns: columns, showsIDs: showsIDs, style).text
  }

  func testPagesAreTheOnesThatWereLookedAt() throws {
    for width in [100, 60] {
      let style = PageStyle(width: width)
      try Golden.compare(page(style), with: "matrix-\(width).txt")
      try Golden.compare(page(style, showsIDs: true), with: "matrix-ids-\(width).txt")
    }
    try Golden.compare(
      PlainMatrix([made], rows: rows, columns: columns).text, with: "matrix.tsv")
  }

  func testNoLineIsWiderThanThePageAndEveryCellIsOnIt() {
    for width in 60...140 {
      for ascii in [false, true] {
        let style = PageStyle(width: width, ascii: ascii)
        let (text, withIDs) = (page(style), page(style, showsIDs: true))
        for line in (text + withIDs).split(separator: "\n") {
          XCTAssertLessThanOrEqual(line.count, width, String(line))
        }
        for word in ["s3-101b-Q-Q", "s3-101d-H-X", "LOST", "DEADLOCK"] {
          XCTAssertTrue(withIDs.contains(word), "\(word) at \(width):\n\(withIDs)")
        }
        let (can, cannot) = ascii ? ("x ", "+ cannot") : ("✗ ", "✓ cannot")
        for word in [can + "LOST", can + "DEADLOCK", cannot] {
          XCTAssertTrue(text.contains(word), "\(word) at \(width):\n\(text)")
        }
        XCTAssertFalse(text.contains("s3-101d-H-X"), text)
        if ascii { XCTAssertTrue((text + withIDs).allSatisfy(\.isASCII), text) }
      }
    }
  }

  func testALineOfTheTableIsACellThatWasExplored() {
    let lines = PlainMatrix([made], rows: rows, columns: columns).text.split(separator: "\n")
    XCTAssertEqual(lines.count, 1 + made.sides.count)
    XCTAssertEqual(
      Set(lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).count }), [8])
  }

  func testColourOnlyRepeatsWhatIsThereWithoutIt() {
    let painted = page(PageStyle(colour: true), showsIDs: true)
    XCTAssertTrue(painted.contains("\u{1B}[31ms3-101b-Q-Q\u{1B}[0m"), painted)
    XCTAssertEqual(
      painted.replacing(#/\u{1B}\[[0-9]*m/#, with: ""), page(PageStyle(), showsIDs: true))
  }
}
