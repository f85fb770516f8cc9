import Foundation
import XCTest

@testable import PlaygroundKit

final class ExhaustiveSearchTests: XCTestCase {
  /// Runs everything that a search hands out.
  private func explored(
    _ program: ToyProgram, bound: Int?, skipping: Bool, file: StaticString = #filePath,
    line: UInt = #line
  ) -> (ends: Set<ToyProgram.End>, search: ExhaustiveSearch, switches: [Int]) {
    var search = ExhaustiveSearch(bound: bound, skipsEqualOrders: skipping)
    var ends: Set<ToyProgram.End> = []
    var switches: [Int] = []
    while let schedule = search.next() {
      let run = program.run(schedule)
      XCTAssertNil(run.misfit, file: file, line: line)
      ends.insert(run.end)
      switches.append(run.choices.count { $0.isSwitchPoint && $0.chosen > 0 })
      search.learn(schedule, run.choices)
    }
    XCTAssertEqual(search.orders, switches.count, file: file, line: line)
    XCTAssertEqual(search.share, 1, file: file, line: line)
    return (ends, search, switches)
  }

  /// How many programs, and from which seed on; `FAULTLINE_PROGRAMS=20000` tries so many.
  private var seeds: ClosedRange<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["FAULTLINE_FIRST"].flatMap { UInt64($0) } ?? 1
    let count = environment["FAULTLINE_PROGRAMS"].flatMap { UInt64($0) } ?? 80
    return first...(first + count - 1)
  }

  ///     A  w w w        C(6, 3) = 20 ways to lay one row of three into another
  ///     B  w w w
  func testTwoPartiesOfThreeStepsThatAllDependHaveTwentyOrders() {
    let program = ToyProgram(.init(repeating: [.write(0), .write(0), .write(0)], count: 2))
    for skipping in [false, true] {
      let (_, search, _) = explored(program, bound: nil, skipping: skipping)
      XCTAssertEqual(search.orders, 20)
      XCTAssertEqual(search.skipped, 0)
      XCTAssertTrue(search.isWhole)
    }
  }

  ///     switches   0   1   2   3   4    by hand: who begins, then where the rows are cut,
  ///     orders     2   4   8   4   2    as often on one side as on the other or once more
  func testTheTwentyOrdersComeByTheirSwitches() {
    let program = ToyProgram(.init(repeating: [.write(0), .write(0), .write(0)], count: 2))
    let (_, _, switches) = explored(program, bound: nil, skipping: true)
    XCTAssertEqual(switches, switches.sorted())
    XCTAssertEqual((0...4).map { few in switches.count { $0 == few } }, [2, 4, 8, 4, 2])
    for (bound, orders) in [(0, 2), (1, 6), (2, 14), (3, 18), (4, 20)] {
      let (_, search, _) = explored(program, bound: bound, skipping: true)
      XCTAssertEqual(search.orders, orders, "bound \(bound)")
      XCTAssertEqual(search.isWhole, bound == 4, "bound \(bound)")
    }
  }

  func testPartiesThatShareNothingHaveOneOrderForEachWhoBegins() {
    let program = ToyProgram([[.write(0), .write(0)], [.write(1), .write(1)]])
    let (ends, search, _) = explored(program, bound: nil, skipping: true)
    XCTAssertEqual(ends.count, 1)
    XCTAssertLessThan(search.orders, explored(program, bound: nil, skipping: false).search.orders)
  }

  func testALocalStepIsNoPlaceToInterrupt() {
    let local = ToyProgram([[.local, .local, .write(0)], [.write(0)]])
    let bare = ToyProgram([[.write(0)], [.write(0)]])
    XCTAssertEqual(
      explored(local, bound: nil, skipping: true).ends.count,
      explored(bare, bound: nil, skipping: true).ends.count)
    XCTAssertGreaterThan(explored(local, bound: nil, skipping: true).search.skipped, 0)
  }

  func testEverythingThatCanComeOutWithinABoundComesOutWithoutEqualOrders() {
    var orders = (all: 0, skipping: 0)
    for seed in seeds {
      let program = ToyProgram(seed: seed, parties: 3, steps: seed.isMultiple(of: 4) ? 4 : 3)
      let known = program.ends()
      for bound in [0, 1, 2, 3, nil] {
        let expected = Set(known.filter { bound == nil || $0.value <= bound! }.keys)
        let (ends, search, _) = explored(program, bound: bound, skipping: true)
        XCTAssertEqual(
          ends, expected, "FAULTLINE_FIRST=\(seed), bound \(bound.map(String.init) ?? "none")")
        if search.isWhole {
          XCTAssertEqual(ends, Set(known.keys), "FAULTLINE_FIRST=\(seed) is not whole")
        }
        if bound == 1 {
          let all = explored(program, bound: bound, skipping: false)
          XCTAssertEqual(all.ends, expected, "FAULTLINE_FIRST=\(seed), not skipping")
          orders.all += all.search.orders
          orders.skipping += search.orders
        }
      }
    }
    XCTAssertLessThan(orders.skipping, orders.all)
  }

  func testNothingComesOutOfTheEqualOrdersThatDoesNotComeOutOfTheOthers() {
    var orders = (all: 0, skipping: 0)
    for seed in seeds.prefix(30) {
      let program = ToyProgram(seed: seed, parties: 3, steps: 2 + Int(seed % 2))
      for bound in [2, nil] {
        let all = explored(program, bound: bound, skipping: false)
        let few = explored(program, bound: bound, skipping: true)
        XCTAssertEqual(few.ends, all.ends, "FAULTLINE_FIRST=\(seed)")
        XCTAssertLessThanOrEqual(few.search.orders, all.search.orders, "FAULTLINE_FIRST=\(seed)")
        orders.all += all.search.orders
        orders.skipping += few.search.orders
      }
    }
    XCTAssertLessThan(orders.skipping * 2, orders.all)
  }

  func testOrdersComeByTheirSwitchesThenByTheirTurns() {
    for seed in seeds.prefix(20) {
      let program = ToyProgram(seed: seed, parties: 3, steps: 4)
      var search = ExhaustiveSearch(bound: 2, skipsEqualOrders: true)
      var last = (0, 0)
      while let schedule = search.next() {
        let run = program.run(schedule)
        let size = (
          run.choices.count { $0.isSwitchPoint && $0.chosen > 0 }, schedule.turns.count
        )
        XCTAssertGreaterThanOrEqual(size.0, last.0, "FAULTLINE_FIRST=\(seed)")
        // A free turn makes an order of as many switches and one turn more.
        if size.0 == last.0 { XCTAssertGreaterThanOrEqual(size.1, last.1, "\(seed)") }
        last = size
        search.learn(schedule, run.choices)
      }
    }
  }

  func testTheFirstOrderWithAnOutcomeHasTheFewestSwitches() {
    for seed in seeds.prefix(15) {
      let program = ToyProgram(seed: seed, parties: 3, steps: 4)
      var search = ExhaustiveSearch(bound: nil, skipsEqualOrders: true)
      var found: [ToyProgram.End: Int] = [:]
      while let schedule = search.next() {
        let run = program.run(schedule)
        let switches = run.choices.count { $0.isSwitchPoint && $0.chosen > 0 }
        found[run.end] = found[run.end] ?? switches
        search.learn(schedule, run.choices)
      }
      XCTAssertEqual(found, program.ends(), "FAULTLINE_FIRST=\(seed)")
    }
  }

  /// Many workers, of which some are slow: what they would find with few switches is found by
  /// others before, with more.
  func testNothingIsLostWhenSeveralOrdersRunAtOnce() {
    for seed in seeds.prefix(200) {
      let program = ToyProgram(seed: seed, parties: 3, steps: seed.isMultiple(of: 4) ? 4 : 3)
      let known = program.ends()
      var generator = SeededGenerator(seed: seed)
      for bound in [1, 2] {
        var search = ExhaustiveSearch(bound: bound, skipsEqualOrders: true)
        var running: [Schedule] = []
        var ends: Set<ToyProgram.End> = []
        while true {
          while running.count < 24, let schedule = search.next() { running.append(schedule) }
          if running.isEmpty { break }
          let isFirst = Int.random(in: 0..<8, using: &generator) == 0
          let schedule = running.remove(at: isFirst ? 0 : running.count - 1)
          let run = program.run(schedule)
          ends.insert(run.end)
          search.learn(schedule, run.choices)
        }
        XCTAssertEqual(
          ends, Set(known.filter { $0.value <= bound }.keys), "FAULTLINE_FIRST=\(seed)")
      }
    }
  }

  func testTheRunOfAnotherOrderTeachesNothing() throws {
    let program = ToyProgram(.init(repeating: [.write(0), .write(0), .write(0)], count: 2))
    let other = ToyProgram(.init(repeating: [.write(1), .write(0), .write(0)], count: 2))
    var search = ExhaustiveSearch(bound: 2, skipsEqualOrders: true)
    XCTAssertEqual(search.next(), Schedule())
    XCTAssertTrue(search.learn(Schedule(), program.run(Schedule()).choices))
    let first = try XCTUnwrap(search.next())
    XCTAssertTrue(search.learn(first, program.run(first).choices))
    let second = try XCTUnwrap(search.next())
    let waiting = search.waiting
    XCTAssertFalse(search.learn(second, other.run(second).choices), "another past")
    let third = try XCTUnwrap(search.next())
    XCTAssertFalse(search.learn(third, []), "no such choice")
    XCTAssertEqual(search.waiting.reduce(0, +), waiting.reduce(0, +) - 1)
  }

  func testTheShareTellsHowMuchOfWhatIsKnownWasHandedOut() {
    let program = ToyProgram(.init(repeating: [.write(0), .write(0), .write(0)], count: 2))
    var search = ExhaustiveSearch(bound: 1, skipsEqualOrders: true)
    XCTAssertEqual(search.waiting, [1])
    let first = search.next()
    XCTAssertEqual(first, Schedule())
    search.learn(Schedule(), program.run(Schedule()).choices)
    // B may begin, or A may be interrupted after its first or its second step.
    XCTAssertEqual(search.waiting, [1, 2])
    XCTAssertEqual(search.share, 0.25)
  }
}
