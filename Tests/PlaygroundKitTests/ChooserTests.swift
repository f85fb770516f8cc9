import Foundation
import XCTest

@testable import PlaygroundKit

final class ChooserTests: XCTestCase {
  private func choices(_ plan: Plan, _ options: [[Int]]) -> [Int] {
    var chooser = plan.chooser
    return options.map { chooser.choose($0, isSwitchPoint: true) }
  }

  private let three: [[Int]] = .init(repeating: [0, 1, 2], count: 400)

  private let plans: [Plan] = [
    .replay(Schedule([Schedule.Turn(choice: 3, option: 2)])), .random(seed: 7),
    .pct(seed: 7, depth: 3, length: 100), .starveMain(seed: 7),
  ]

  func testAPlanChoosesTheSameWayEachTimeAndAfterATrip() throws {
    for plan in plans {
      let first = choices(plan, three)
      XCTAssertEqual(choices(plan, three), first)
      XCTAssertTrue(first.allSatisfy { (0..<3).contains($0) })
      let copy = try JSONDecoder().decode(Plan.self, from: JSONEncoder().encode(plan))
      XCTAssertEqual(copy, plan)
      XCTAssertEqual(choices(copy, three), first)
    }
  }

  func testAReplayTakesItsTurnsAndElsewhereTheDefault() {
    var chooser = ReplayChooser(
      Schedule([Schedule.Turn(choice: 1, option: 2), Schedule.Turn(choice: 3, option: 1)]))
    let taken = (0..<5).map { _ in chooser.choose([4, 5, 6], isSwitchPoint: false) }
    XCTAssertEqual(taken, [0, 2, 0, 1, 0])
    XCTAssertNil(chooser.misfit)
  }

  func testAReplayNamesTheTurnWhoseOptionIsNotThere() {
    let turn = Schedule.Turn(choice: 0, option: 2)
    var chooser = ReplayChooser(Schedule([turn, Schedule.Turn(choice: 1, option: 1)]))
    XCTAssertEqual(chooser.choose([0, 1], isSwitchPoint: true), 0)
    XCTAssertEqual(chooser.choose([0, 1], isSwitchPoint: true), 1)
    XCTAssertEqual(chooser.misfit, turn)
  }

  func testAReplayNamesTheTurnThatNeverCame() {
    let turn = Schedule.Turn(choice: 2, option: 1)
    var chooser = ReplayChooser(Schedule([turn]))
    XCTAssertEqual(chooser.choose([0, 1], isSwitchPoint: true), 0)
    XCTAssertEqual(chooser.misfit, turn)
  }

  func testAPortfolioTakesEveryWayInTurn() {
    let plans = (0..<5).map {
      Plan.drawn(by: .portfolio, seed: 10, number: $0, length: 30)
    }
    XCTAssertEqual(
      plans,
      [
        .random(seed: 10), .starveMain(seed: 11), .pct(seed: 12, depth: 2, length: 30),
        .pct(seed: 13, depth: 3, length: 30), .random(seed: 14),
      ])
  }

  func testLotsFallOnEveryOption() {
    let tallies = Dictionary(grouping: choices(.random(seed: 1), three)) { $0 }
    XCTAssertEqual(Set(tallies.keys), [0, 1, 2])
    XCTAssertTrue(tallies.values.allSatisfy { $0.count > 80 })
  }

  func testPrioritiesChangeAtMostDepthMinusOneTimesAndThenLotsAreDrawn() {
    for seed in 1...50 as ClosedRange<UInt64> {
      let taken = choices(.pct(seed: seed, depth: 3, length: 100), three)
      let changes = (1..<100).count { taken[$0] != taken[$0 - 1] }
      XCTAssertLessThanOrEqual(changes, 2, "seed \(seed)")
      XCTAssertEqual(Set(taken[100...]).count, 3, "seed \(seed)")
    }
  }

  func testPrioritiesOfDepthOneNeverChangeWhateverIsOnOffer() {
    for seed in 1...50 as ClosedRange<UInt64> {
      let offers = [[0, 1], [1, 2], [2, 0], [0, 1, 2], [2, 1, 0]]
      let taken = choices(.pct(seed: seed, depth: 1, length: 10), offers)
      let parties = zip(offers, taken).map { $0[$1] }
      // Whoever is chosen of all three wins against each of the others.
      let best = parties[3]
      XCTAssertEqual(parties[4], best, "seed \(seed)")
      for (offer, party) in zip(offers, parties) where offer.contains(best) {
        XCTAssertEqual(party, best, "seed \(seed)")
      }
    }
  }

  /// An order that needs one change of priorities: x after the second of three steps of party 1.
  func testPrioritiesFindWhatTheyPromise() {
    var found = 0
    for seed in 1...2_000 as ClosedRange<UInt64> {
      // Party 1 has three steps, party 2 has one; a step of 2 between the second and the third.
      var chooser = PCTChooser(seed: seed, depth: 2, length: 3)
      var order: [Int] = []
      var left = [1: 3, 2: 1]
      while let options = Optional(left.filter { $0.value > 0 }.keys.sorted()), !options.isEmpty {
        let party =
          options.count == 1
          ? options[0] : options[chooser.choose(options, isSwitchPoint: true)]
        order.append(party)
        left[party, default: 0] -= 1
      }
      if order == [1, 1, 2, 1] { found += 1 }
    }
    // At least 1/(2 · 3), less what chance may take.
    XCTAssertGreaterThan(found, 2_000 / 6 - 60)
  }

  func testTheMainLoopStarvesForStretchesAndNotForEver() {
    var stretches: [Int] = []
    var current = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      for choice in choices(.starveMain(seed: seed), three) {
        if choice == 0 {
          stretches.append(current)
          current = 0
        } else {
          current += 1
        }
      }
      current = 0
    }
    XCTAssertGreaterThan(stretches.max() ?? 0, 20)
    // At most forty-nine lots that fell on others, and a stretch of fifty.
    XCTAssertLessThan(stretches.max() ?? 0, 100)
  }
}
