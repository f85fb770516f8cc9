import XCTest

@testable import PlaygroundKit

final class StatisticsTests: XCTestCase {
  func testTheMedianIsTheMiddleOrHalfwayBetweenTwo() {
    XCTAssertNil(Statistics.median([]))
    XCTAssertEqual(Statistics.median([7]), 7)
    XCTAssertEqual(Statistics.median([9, 1, 5]), 5)
    XCTAssertEqual(Statistics.median([4, 1, 3, 2]), 2)
    XCTAssertEqual(Statistics.median([.max, .max - 2]), .max - 1)
    XCTAssertEqual(Statistics.median([.max, .min]), -1)
  }

  /// `world.observe("x", .max)` beside a side that notes `.min` was the end of the tool.
  func testNumbersThatAreFurtherApartThanANumberCanSayAreCompared() {
    let numbers: [Int] = [.min, -1, 0, 1, .max]
    for unit in [Metric.Unit.count, .nanoseconds, .bytes] {
      for here in numbers {
        for there in numbers {
          let delta = delta(unit, [here], from: [there])
          if unit == .count { XCTAssertEqual(delta?.same, here == there) }
          XCTAssertFalse(delta.map { Figures.text($0, unit) }?.isEmpty ?? true)
        }
      }
    }
    XCTAssertEqual(delta(.count, [.max], from: [.min])?.difference, .max)
    XCTAssertEqual(delta(.count, [.min], from: [.max])?.difference, .min)
  }

  func testOutcomesAreTalliedTheMostFrequentFirstAndTheEarliestOfEquals() {
    let tally = Statistics.tally(["B", "A", "C", "A", "B", "A"])
    XCTAssertEqual(tally.map(\.text), ["A", "B", "C"])
    XCTAssertEqual(tally.map(\.count), [3, 2, 1])
    XCTAssertEqual(Statistics.tally(["Y", "X"]).map(\.text), ["Y", "X"])
  }

  func testASummaryIsGoodOnlyIfEveryRepeatIs() {
    let good = Metric("rows", 100, of: 100)
    let bad = Metric("rows", 99, of: 100)
    XCTAssertEqual(Statistics.summaries(of: [[good], [good]]).first?.good, true)
    XCTAssertEqual(Statistics.summaries(of: [[good], [bad]]).first?.good, false)
    XCTAssertNil(Statistics.summaries(of: [[Metric("rows", 1)]]).first?.good as Any?)
  }

  func testTheSameNameInTwoSectionsIsTwoFigures() {
    let summaries = Statistics.summaries(of: [
      [Metric("rows", 1, section: "a"), Metric("rows", 2, section: "b")]
    ])
    XCTAssertEqual(summaries.map(\.section), ["a", "b"])
    XCTAssertEqual(summaries.map(\.median), [.number(1), .number(2)])
  }

  func testCountsAreTheSameOnlyWhenTheyAreEqual() {
    XCTAssertEqual(delta(.count, [10, 10, 10], from: [10, 10, 10])?.same, true)
    XCTAssertEqual(delta(.count, [11, 10, 12], from: [10, 10, 13])?.same, false)
    let spread = delta(.count, [0, 0, 187], from: [0, 0, 0])
    XCTAssertEqual(spread, Delta(same: false, difference: 0, percent: nil))
    XCTAssertEqual(spread.map { Figures.text($0, .count) }, "", "the spreads say it")
  }

  func testTimesAreTheSameWhenEachMedianLiesInTheOthersSpread() {
    let ms = { (times: [Int]) in times.map { $0 * 1_000_000 } }
    XCTAssertEqual(
      delta(.nanoseconds, ms([100, 110, 120]), from: ms([105, 112, 125]))?.same, true)
    XCTAssertEqual(
      delta(.nanoseconds, ms([100, 101, 102]), from: ms([90, 110, 130]))?.same, false)
    let apart = delta(.nanoseconds, ms([150, 150, 150]), from: ms([100, 100, 100]))
    XCTAssertEqual(apart, Delta(same: false, difference: 50_000_000, percent: 50))
  }

  func testMediansAreComparedAsThePagePrintsThem() {
    // Printed as 49 MB (49–50) and 49 MB (48–49).
    let here = [49_400_000, 48_600_000, 49_600_000]
    XCTAssertEqual(delta(.bytes, here, from: [48_500_001, 48_300_000, 48_590_000])?.same, true)
  }

  func testThereIsNoPercentageOfNothing() {
    XCTAssertEqual(
      delta(.count, [5], from: [0]), Delta(same: false, difference: 5, percent: nil))
  }

  private func delta(_ unit: Metric.Unit, _ here: [Int], from there: [Int]) -> Delta? {
    func summary(_ values: [Int]) -> Summary? {
      Statistics.summaries(of: values.map { [Metric("x", $0, unit)] }).first
    }
    guard let here = summary(here), let there = summary(there) else { return nil }
    return Statistics.delta(here, from: there)
  }
}
