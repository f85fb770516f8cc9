import XCTest

@testable import PlaygroundKit

final class RenderingTests: XCTestCase {
  private func text(
    _ median: Int, _ unit: Metric.Unit, min: Int? = nil, max: Int? = nil, of total: Int? = nil
  ) -> String {
    Figures.text(
      Summary(
        name: "x", unit: unit, median: .number(median), min: min ?? median, max: max ?? median,
        total: total), repeats: 5)
  }

  func testANumberIsGroupedByThrees() {
    XCTAssertEqual(
      [0, 999, 1_000, 1_234_567, -12_345].map(Figures.grouped),
      ["0", "999", "1,000", "1,234,567", "−12,345"])
  }

  func testAShortVirtualTimeIsNotRoundedAway() {
    func text(_ time: Int) -> String { Figures.underControl(Metric("total", time, .nanoseconds)) }
    XCTAssertEqual(
      [0, 500, 22_500, 2_100_000].map(text),
      ["0.0 ms virtual", "0.5 µs virtual", "22.5 µs virtual", "2.1 ms virtual"])
  }

  func testATimeHasTheUnitThatSuitsItAndItsSpreadTheSame() {
    XCTAssertEqual(
      text(400_000, .nanoseconds, min: 200_000, max: 1_100_000), "0.4 ms (0.2–1.1)")
    XCTAssertEqual(
      text(237_000_000, .nanoseconds, min: 231_000_000, max: 252_000_000), "237 ms (231–252)")
    XCTAssertEqual(text(12_345_000_000, .nanoseconds), "12.3 s")
    XCTAssertEqual(text(0, .nanoseconds), "0.0 ms")
  }

  func testASpreadThatCannotBeSeenIsNotPrinted() {
    XCTAssertEqual(
      text(237_000_000, .nanoseconds, min: 236_900_000, max: 237_200_000), "237 ms")
    XCTAssertEqual(text(10_000, .count), "10,000")
    XCTAssertEqual(text(.max, .count), "9,223,372,036,854,775,807")
  }

  func testACountSaysOutOfHowMany() {
    XCTAssertEqual(text(14, .count, min: 12, max: 15, of: 30), "14 of 30 (12–15)")
  }

  func testWordsThatNotAllRepeatsAgreeOnSayHowManyDo() {
    let summary = Summary(name: "x", unit: .words, median: .text("Ada"), agreeing: 3)
    XCTAssertEqual(Figures.text(summary, repeats: 5), "Ada (3 of 5)")
    XCTAssertEqual(Figures.text(summary, repeats: 3), "Ada")
  }

  func testADifferenceIsSameOrACountOrAPercentageOrAFactor() {
    func delta(_ difference: Int, _ percent: Double?, _ unit: Metric.Unit) -> String {
      Figures.text(Delta(same: false, difference: difference, percent: percent), unit)
    }
    XCTAssertEqual(Figures.text(Delta(same: true), .count), "same")
    XCTAssertEqual(delta(8, 800, .count), "+8")
    XCTAssertEqual(delta(-9_900, -99, .count), "−99 %")
    XCTAssertEqual(delta(1_000_000, 0.42, .nanoseconds), "+0.4 %")
    XCTAssertEqual(delta(20_000, 1_900, .count), "×20")
    XCTAssertEqual(delta(5_000, nil, .count), "+5,000")
    XCTAssertEqual(delta(1_236_829, nil, .nanoseconds), "+1.2 ms", "where the first took none")
  }

  func testWrappingLosesNoWordAndKeepsTheIndent() {
    let sentence =
      "  the caller waits for the block, anUnreasonablyLongNameThatFitsNowhere and so on"
    for width in 5...90 {
      let lines = Wrapping.lines(sentence, width: width)
      XCTAssertTrue(lines.allSatisfy { $0.count <= width }, "\(width)")
      XCTAssertTrue(lines.allSatisfy { $0.hasPrefix("  ") }, "\(width)")
      XCTAssertEqual(lines.joined().filter { $0 != " " }, sentence.filter { $0 != " " })
    }
  }

  /// Counted anew for each of its lines, this one took minutes.
  func testAWordOfAMillionLettersIsWrapped() {
    let word = String(repeating: "x", count: 1_000_000)
    XCTAssertEqual(Wrapping.lines(word, width: 20).count, 50_000)
    XCTAssertEqual(Wrapping.lines(String(repeating: "`a` ", count: 50_000), width: 3).count, 50_001)
  }

  func testACommandIsNeverBrokenInHalf() {
    let command = "faultline explore exercises/27-the-lost-update --bound 3"
    let next = command + "   every schedule"
    XCTAssertEqual(Wrapping.hanging("Next  ", next, width: 90), ["Next  " + next])
    XCTAssertEqual(
      Wrapping.hanging("Next  ", next, width: 64),
      ["Next  " + command, "        every schedule"])
    XCTAssertEqual(
      Wrapping.hanging("Next  ", next, width: 60),
      [
        "Next  faultline explore exercises/27-the-lost-update \\",
        "      --bound 3", "        every schedule",
      ])
    let sentence = "Not for 3: `faultline explore 27 --bound 3`, which takes longer."
    XCTAssertEqual(
      Wrapping.lines(sentence, width: 33),
      ["Not for 3:", "`faultline explore 27 --bound 3`,", "which takes longer."])
    XCTAssertEqual(
      Wrapping.lines("It is ` and then `a b`", width: 8), ["It is `", "and then", "`a b`"])
  }

  func testALongPathIsBrokenAfterASlash() {
    XCTAssertEqual(
      Wrapping.lines("Fatal error: Foundation/NSObjCRuntime.swift:390", width: 24),
      ["Fatal error:", "Foundation/", "NSObjCRuntime.swift:390"])
    XCTAssertEqual(Wrapping.lines("a/bcdefghijkl", width: 9), ["a/bcdefgh", "ijkl"])
  }

  func testASideThatTakesHalfTheTimeIsDrawnHalfAsLong() {
    let short = Series(name: "x", kind: .frames, stepNanoseconds: 10, samples: [0, 1, 0, 0, 0])
    let long = Series(
      name: "x", kind: .frames, stepNanoseconds: 10, samples: .init(repeating: 0, count: 10))
    XCTAssertEqual(SparkLine.draw(short, width: 20, duration: 100, top: 1), "▁▁██▁▁▁▁▁▁")
    XCTAssertEqual(SparkLine.draw(long, width: 20, duration: 100, top: 1).count, 20)
  }

  func testASpikeSurvivesBeingDrawnNarrow() {
    let series = Series(
      name: "x", kind: .curve, stepNanoseconds: 1,
      samples: .init(repeating: 0, count: 50) + [8] + .init(repeating: 0, count: 49))
    XCTAssertEqual(SparkLine.draw(series, width: 4, duration: 100, top: 8), "▁▁█▁")
    XCTAssertEqual(series.thinned(to: 10).samples.max(), 8)
    XCTAssertEqual(series.thinned(to: 10).stepNanoseconds, 10)
  }

  func testACurveOfAnyNumbersIsDrawn() {
    for step in [Int.min, -1, 0, .max] {
      let series = Series(
        name: "x", kind: .curve, stepNanoseconds: step,
        samples: .init(repeating: -1e308, count: 500) + [1e-308])
      XCTAssertLessThanOrEqual(series.thinned(to: 10).samples.count, 10)
      let line = SparkLine.draw(series, width: 9, duration: 1, top: 1e-308)
      XCTAssertTrue((1...9).contains(line.count), line)
    }
  }
}
