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

  func testNoTwoRulesFollowEachOtherWhereNothingIsSaidOfTheCause() {
    var record = Samples.columns(1)
    record.sides[0].kind = .yours
    for trial in record.sides[0].trials.indices { record.sides[0].trials[trial].marks = [] }
    let lines = Page(record).text.split(separator: "\n", omittingEmptySubsequences: false)
    let rules = lines.indices.filter { lines[$0].hasPrefix("────") }
    XCTAssertGreaterThan(rules.count, 1)
    for rule in rules { XCTAssertFalse(rules.contains(rule + 1), "\(rule + 1)") }
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

  func testTwoColumnsStandSideBySideAtEveryWidthAndFiveFromEightyOn() {
    func isBesides(_ record: RunRecord, _ width: Int, _ words: [String]) -> Bool {
      Page(record, PageStyle(width: width)).text.split(separator: "\n")
        .contains { line in words.allSatisfy { line.contains($0) } }
    }
    for width in 60...140 {
      XCTAssertTrue(isBesides(Samples.twoSides(), width, ["STALL", "SMOOTH"]), "\(width)")
      let five = isBesides(Samples.columns(5), width, (1...5).map { "POLICY \($0)" })
      XCTAssertEqual(five, width >= 75, "\(width)")
    }
  }

  func testOutcomeAndCauseComeFirstThenWhatDiffersThenWhatIsEqual() throws {
    for width in [60, 80, 100] {
      let page = Page(Samples.twoSides(), PageStyle(width: width)).text
      let places = try [
        "STALL  forbidden", "\nWhy  The caller waits", "PerformAndWaitOnMain.swift:31",
        "frames dropped", "longest stall", "\nSAME ON BOTH SIDES\n", "statements /",
        "peak memory", "total", "\nMarks ", "\nFrom ", "\nRead ", "\nNext ",
      ].map { try XCTUnwrap(page.range(of: $0), "\($0) at \(width)").lowerBound }
      XCTAssertEqual(places, places.sorted(), "\(width)")
    }
  }

  func testASectionOfTheScenarioStaysWholeWhereOneRowOfItDiffers() throws {
    var record = Samples.twoSides()
    for side in record.sides.indices {
      for (name, value) in [("lost", side), ("kept", 5)] {
        record.sides[side].summaries.append(
          Summary(name: name, section: "the file", unit: .count, median: .number(value)))
      }
    }
    let page = Page(record).text
    let equal = try XCTUnwrap(page.range(of: "SAME ON")).lowerBound
    let kept = try XCTUnwrap(page.range(of: "\nthe file\n  lost")).lowerBound
    XCTAssertLessThan(kept, equal)
    XCTAssertFalse(page[equal...].contains("  kept"))
  }

  func testNoDifferenceIsPrintedToASideThatDidNotFinish() {
    var record = Samples.twoSides()
    for trial in record.sides[0].trials.indices {
      record.sides[0].trials[trial].ending = Ending(
        .deadlock,
        "thread 7fb10f7fe6c0 (inside queue \"shelves\") waits for queue \"articles\", held by"
          + " thread 7fb10ffff6c0 (inside queue \"articles\"); thread 7fb10ffff6c0 (inside queue"
          + " \"articles\") waits for queue \"main\", held by main")
    }
    let page = Page(record, PageStyle(width: 200)).text
    XCTAssertFalse(page.contains("same"), page)
    XCTAssertFalse(page.contains("7fb10f"), page)
    XCTAssertEqual(
      record.sides[0].trials[0].ending.detailOnPage,
      "the block on \"shelves\" waits for queue \"articles\"; the block on \"articles\" waits for"
        + " main")
    let crash = Ending(
      .crashed, "object <x-coredata://02C24327-1C48-4549-A727-E3FD17B2F855/Article/p1> is gone")
    XCTAssertEqual(crash.detailOnPage, "object <Article/p1> is gone")
  }

  func testTheSignsOfAPageAreExplainedAndNoOthers() throws {
    func marks(_ record: RunRecord) -> String {
      let lines = Page(record, PageStyle(width: 400)).text.split(separator: "\n")
      return String(lines.first { $0.hasPrefix("Marks ") } ?? "")
    }
    XCTAssertEqual(
      marks(Samples.twoSides()),
      "Marks ✗ wrong in at least one of the 3 runs · same: equal counts, or times and sizes whose"
        + " medians lie in each other's spread")
    XCTAssertEqual(marks(Samples.columns(5)), "Marks + − × compare with the first column")
    XCTAssertEqual(marks(Samples.columns(1)), "")
    var race = Samples.columns(1)
    race.sides[0].summaries.append(
      Summary(name: "lost", unit: .count, median: .number(3), min: 1, max: 5))
    XCTAssertEqual(marks(race), "Marks counts vary from run to run where threads race")
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
      good.contains("\nWhy  Nothing went wrong with these values. With the default values: The"),
      good)
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

  func testTheOutcomesThatWereSeenAreExplainedBelowNarrowColumns() {
    for count in [3, 4] {
      var record = Samples.columns(count)
      record.scenario.outcomes = [
        Outcome("POLICY 2", .accepted, "what it means"), Outcome("POLICY 9", .accepted, "unseen"),
      ]
      let page = Page(record, PageStyle(width: 100)).text
      let line = "\n" + String(repeating: " ", count: 16) + "POLICY 2  what it means\n"
      XCTAssertEqual(page.contains(line), count > 3, page)
      XCTAssertTrue(page.contains("what it means") && !page.contains("unseen"), page)
    }
  }

  func testACountThatGrowsTenfoldOverTheColumnsIsACurve() {
    var record = Samples.columns(3)
    for (index, counts) in [[1, 5_000, 0], [10, 50, 9], [100, 5_000, 9]].enumerated() {
      for (name, count) in zip(["saves", "objects", "never at first"], counts) {
        record.sides[index].summaries.append(
          Summary(name: name, unit: .count, median: .number(count)))
      }
    }
    func curves(_ record: RunRecord) -> [String: [Int]] {
      let page = Page(record, PageStyle(width: 100)).text
      let lines = page.components(separatedBy: "\ncurves\n").dropFirst().first ?? ""
      return Dictionary(
        uniqueKeysWithValues: lines.components(separatedBy: "\ntotal")[0].split(separator: "\n")
          .map { line in
            let words = line.split(separator: " ")
            return (String(words[0]), words.dropFirst().map(\.count))
          })
    }
    // Two decades fill a cell of 23 signs: 11 for each, after the first sign.
    XCTAssertEqual(curves(record), ["saves": [1, 12, 23], "objects": [23, 1, 23]])
    record.sides[1].trials[0].ending = Ending(.deadlock)
    XCTAssertEqual(curves(record), [:])
    record.sides.removeLast(2)
    XCTAssertEqual(curves(record), [:])
  }

  func testEqualWorkIsPrintedAsSame() throws {
    let page = Page(Samples.twoSides()).text
    let line = try XCTUnwrap(page.split(separator: "\n").first { $0.contains("statements") })
    XCTAssertTrue(line.hasSuffix("same"), String(line))
  }

  func testOfTwoCountsInOneCellTheSpreadsAloneAreNoDifference() throws {
    func line(_ deltas: [Delta]) throws -> String {
      var record = Samples.twoSides()
      for (name, delta) in zip([Metric.statements, Metric.commits], deltas) {
        let place = try XCTUnwrap(record.sides[1].summaries.firstIndex { $0.name == name })
        record.sides[1].summaries[place].delta = delta
      }
      let lines = Page(record).text.split(separator: "\n").map(String.init)
      return try XCTUnwrap(lines.first { $0.contains("statements") })
    }
    let (same, spread) = (Delta(same: true, difference: 0), Delta(same: false, difference: 0))
    let more = Delta(same: false, difference: 2)
    XCTAssertTrue(try line([same, same]).hasSuffix(" same"))
    XCTAssertFalse(try line([spread, same]).contains("same"))
    XCTAssertTrue(try line([spread, more]).hasSuffix(" 0 / +2"))
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
    XCTAssertTrue(page.contains("crashed in 1 of 3 runs: SIGSEGV: main.swift:7: Fatal error"), page)
    XCTAssertTrue(page.contains("CRASHED 1 of 3 runs  undeclared"), page)
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
