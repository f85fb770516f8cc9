import XCTest

@testable import PlaygroundKit

final class PageTests: XCTestCase {
  private var records: [(name: String, record: RunRecord)] {
    [
      ("two", Samples.twoSides()), ("three", Samples.columns(3)), ("five", Samples.columns(5)),
      ("one", Samples.columns(1)), ("crash", Samples.crashes()),
    ]
  }

  func testNoLineIsWiderThanThePage() {
    for (name, record) in records {
      for width in 60...140 {
        for ascii in [false, true] {
          let page = Page(record, PageStyle(width: width, ascii: ascii)).text
          for line in page.split(separator: "\n") {
            XCTAssertLessThanOrEqual(line.count, width, "\(name) at \(width): \(line)")
          }
        }
      }
    }
  }

  func testEveryOutcomeOfEverySideIsOnThePageAtEveryWidth() {
    for (name, record) in records {
      for width in 60...140 {
        let page = Page(record, PageStyle(width: width)).text
        for outcome in record.sides.flatMap(\.outcomes) {
          // A narrow cell may break a name of two words.
          for word in outcome.outcome.split(separator: " ") {
            XCTAssertTrue(page.contains(word), "\(name) at \(width) lacks \(outcome.outcome)")
          }
        }
      }
    }
  }

  func testAnASCIIPageHasNoOtherCharacterAndTheSameLines() {
    for (name, record) in records {
      let page = Page(record, PageStyle(width: 100)).text
      let ascii = Page(record, PageStyle(width: 100, ascii: true)).text
      XCTAssertTrue(ascii.allSatisfy(\.isASCII), name)
      XCTAssertEqual(
        page.split(separator: "\n", omittingEmptySubsequences: false).map(\.count),
        ascii.split(separator: "\n", omittingEmptySubsequences: false).map(\.count), name)
    }
  }

  func testColourOnlyRepeatsWhatIsThereWithoutIt() {
    for (name, record) in records {
      let page = Page(record, PageStyle(width: 100)).text
      let painted = Page(record, PageStyle(width: 100, colour: true)).text
      XCTAssertTrue(painted.contains("\u{1B}["), name)
      XCTAssertEqual(
        painted.replacingOccurrences(
          of: "\u{1B}\\[[0-9]+m", with: "", options: .regularExpression), page, name)
    }
  }

  func testTwoColumnsStandSideBySideAtAHundredAndUnderOneAnotherAtEighty() {
    func lineWithBoth(_ width: Int) -> Bool {
      Page(Samples.twoSides(), PageStyle(width: width)).text.split(separator: "\n")
        .contains { $0.contains("WRONG") && $0.contains("RIGHT") }
    }
    XCTAssertTrue(lineWithBoth(100))
    XCTAssertFalse(lineWithBoth(80))
  }

  func testOtherValuesThanTheShippedOnesAreNamedAndTheCauseClaimsNothing() throws {
    var record = Samples.twoSides()
    record.settings = ["policy=1"]
    let bad = Page(record).text
    XCTAssertTrue(bad.contains("one save · policy=1 · real threads"), bad)
    XCTAssertTrue(bad.contains("\nWhy  The caller waits"), bad)
    record.sides[0].outcomes = record.sides[1].outcomes
    let good = Page(record).text
    XCTAssertTrue(
      good.contains("\nWhy  Nothing went wrong with these values. With the shipped ones: The"), good
    )
    record.settings = []
    XCTAssertTrue(Page(record).text.contains("\nWhy  The caller waits"))
  }

  func testFiveColumnsStandSideBySideAtAHundred() {
    let page = Page(Samples.columns(5)).text
    XCTAssertTrue(
      page.split(separator: "\n").contains { line in
        (1...5).allSatisfy { line.contains("POLICY \($0)") }
      })
  }

  func testEqualWorkIsPrintedAsSame() throws {
    let page = Page(Samples.twoSides()).text
    let line = try XCTUnwrap(page.split(separator: "\n").first { $0.contains("statements") })
    XCTAssertTrue(line.hasSuffix("same"), String(line))
  }

  func testAVerdictStandsBesideWhatItJudges() throws {
    let page = Page(Samples.twoSides()).text
    let line = try XCTUnwrap(page.split(separator: "\n").first { $0.contains("frames dropped") })
    XCTAssertTrue(line.contains("14 of 15"), String(line))
    XCTAssertTrue(line.contains("✗"), String(line))
    XCTAssertTrue(line.hasSuffix("✓"), String(line))
  }

  func testACountThatIsZeroEverywhereAndRareIsLeftOut() {
    XCTAssertFalse(Page(Samples.twoSides()).text.contains("faults fired"))
  }

  func testACrashSaysHowOftenAndOfWhat() {
    let page = Page(Samples.crashes(), PageStyle(width: 140)).text
    XCTAssertTrue(page.contains("crashed in 1 of 3: SIGSEGV: main.swift:7: Fatal error"), page)
    XCTAssertTrue(page.contains("CRASHED 1 of 3  undeclared"), page)
  }

  func testAPageOfARecordIsTheOneThatWasLookedAt() throws {
    for (name, record) in records {
      for width in [80, 100] {
        try Golden.compare(Page(record, PageStyle(width: width)).text, with: "\(name)-\(width).txt")
      }
    }
  }

  func testATableOfARecordIsTheOneThatWasLookedAt() throws {
    try Golden.compare(PlainTable(Samples.twoSides()).text, with: "two.tsv")
  }

  func testEveryLineOfATableHasTheSameNumberOfFields() {
    for (name, record) in records {
      let fields = PlainTable(record).text.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).count
      }
      XCTAssertEqual(Set(fields), [record.sides.count * 2], name)
    }
  }
}
