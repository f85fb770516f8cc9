import XCTest

@testable import PlaygroundKit
@testable import ProbeSides

/// Explores the sides of `OrderProbe`, whose orders can be counted by hand.
final class ExplorerTests: XCTestCase {
  private var executable: String { Explorations.probes }

  private static func explore(
    _ side: String, bound: Int? = 2, points: Int = 3, skips: Bool = true,
    strategy: Exploration.Strategy = .exhaustive, orders: Int? = nil, stepsMax: Int = 10_000
  ) throws -> Exploration.SideFound {
    var options = Explorer.Options()
    options.sides = [side]
    options.bound = bound
    options.parameters = ["points": points]
    options.skipsEqualOrders = skips
    options.strategy = strategy
    options.ordersMax = orders
    options.stepsMax = stepsMax
    return try Explorer(executable: Explorations.probes, version: "test")
      .explore(OrderProbe.self, options).sides[0]
  }

  private func controlled(_ side: String, points: Int = 3) throws -> ControlledSide {
    let found = try XCTUnwrap(OrderProbe.sides.first { $0.name == side })
    return try ControlledSide(
      OrderProbe.self, side: found, parameters: ["points": points], executable: executable,
      in: Workspace())
  }

  private func outcomes(_ found: Exploration.SideFound) -> Set<String> {
    Set(found.outcomes.filter { $0.orders > 0 }.map(\.name))
  }

  /// Every word of so many a and so many b.
  private func words(_ a: Int, _ b: Int) -> Set<String> {
    if a == 0 { return [String(repeating: "b", count: b)] }
    if b == 0 { return [String(repeating: "a", count: a)] }
    return Set(words(a - 1, b).map { "a" + $0 } + words(a, b - 1).map { "b" + $0 })
  }

  /// The side "dependent" without a bound, explored once for all tests.
  private static let dependent = Result {
    try explore("dependent", bound: nil)
  }

  func testTwoPartiesOfThreePointsHaveTheTwentyOrdersThatOneCounts() throws {
    let found = try Self.dependent.get()
    XCTAssertTrue(found.isComplete)
    XCTAssertEqual(outcomes(found), words(3, 3))
    XCTAssertEqual(outcomes(found).count, 20)
  }

  func testABoundOfSwitchesLeavesTheOrdersWithNoMore() throws {
    // In a word of two parties every change of letter but the last is a switch: a party that has
    // come to its end is not interrupted.
    for bound in 0...3 {
      let possible = words(3, 3).filter { word in
        switches(in: word) <= bound
      }
      XCTAssertEqual(
        outcomes(try Self.explore("dependent", bound: bound)), possible, "bound \(bound)")
    }
  }

  private func switches(in word: String) -> Int {
    let letters = Array(word)
    var left: [Character: Int] = ["a": 3, "b": 3]
    var count = 0
    for (index, letter) in letters.enumerated() {
      left[letter]! -= 1
      if index + 1 < letters.count, letters[index + 1] != letter, left[letter]! > 0 { count += 1 }
    }
    return count
  }

  func testStepsThatTouchNothingInCommonNeedNotBeRunInEveryOrder() throws {
    let apart = try Self.explore("independent", bound: nil)
    let together = try Self.dependent.get()
    XCTAssertTrue(apart.isComplete)
    XCTAssertLessThan(apart.orders, together.orders)
    // The record is a plain variable, which nobody tells the explorer of: it shows what was run.
    XCTAssertLessThan(outcomes(apart).count, 20)
  }

  func testLeavingOutEqualOrdersChangesTheirNumberAndNotWhatComesOfThem() throws {
    let few = try Self.explore("dependent", bound: 1, points: 2)
    let all = try Self.explore("dependent", bound: 1, points: 2, skips: false)
    XCTAssertLessThan(few.orders, all.orders)
    XCTAssertEqual(outcomes(few), outcomes(all))
  }

  func testEveryWayToEndIsAnOutcomeThatItsIdBringsBack() throws {
    let expected: [(String, Ending.Kind)] = [
      ("deadlock", .deadlock), ("trap", .crashed), ("endless", .limit), ("outside", .uncontrolled),
      ("hang", .hung), ("kill", .killed), ("tasks", .limit), ("interrupted", .crashed),
    ]
    for (side, kind) in expected {
      for strategy in Exploration.Strategy.allCases {
        let found = try Self.explore(
          side, strategy: strategy, orders: side == "interrupted" ? 8 : 3, stepsMax: 400)
        let name = kind == .deadlock ? "STUCK" : kind == .killed ? "FINISHED" : kind.undeclaredName
        let outcome = try XCTUnwrap(
          found.outcomes.first { $0.name == name && $0.orders > 0 }, "\(side) \(strategy)")
        let smallest = try XCTUnwrap(outcome.smallest)
        let place = try XCTUnwrap(OrderProbe.sides.firstIndex { $0.name == side })
        let id = try ScheduleID(
          ScheduleID(scenario: 98, side: place, schedule: smallest.schedule).whole)
        let seen = try controlled(side).run(.replay(id.schedule), stepsMax: 400)
        XCTAssertEqual(seen.ending.kind, kind, "\(side) \(strategy)")
        XCTAssertEqual(seen.outcome, name)
        XCTAssertEqual(seen.stepCount, smallest.steps, "\(side) \(strategy)")
        XCTAssertFalse(seen.isMisfit)
      }
    }
  }

  func testCodeThatBlocksWhereNobodySchedulesItIsNeverAPass() throws {
    let found = try Self.explore("blocked", bound: 0, orders: 1)
    XCTAssertEqual(outcomes(found), ["UNCONTROLLED"])
  }

  func testAnObjectUsedOffItsQueueIsReadBeforeAndAfterAndInBetween() throws {
    XCTAssertEqual(outcomes(try Self.explore("trespass")), ["read 11", "read 12", "read 22"])
  }

  func testWhoReadsWhileAnotherHasTheWriterIsRefusedAfterOneSwitch() throws {
    let few = try Self.explore("refused", bound: 1)
    let all = try Self.explore("refused", bound: 1, skips: false)
    XCTAssertEqual(outcomes(few), outcomes(all))
    XCTAssertTrue(outcomes(few).contains("refused: block "), "\(outcomes(few))")
    XCTAssertLessThan(few.orders, all.orders)
  }

  func testWhoWaitedForAQueueMayGoOnBeforeTheStoreIsRead() throws {
    XCTAssertEqual(outcomes(try Self.explore("left")), ["0 then 0", "0 then 1", "1 then 1"])
  }

  ///     main   starts A, m        A and B may go on as soon as they are there, so the three
  ///     A      starts B, a        letters come in each of their 3! = 6 orders
  ///     B      b
  ///
  ///     switches   0    1            2      orders: A before B, or B before A, and m at one of
  ///     new        mab  amb abm mba  bma bam        four places; m before A begins equals m after
  func testAPartyMayGoOnBeforeTheFirstPointOfWhoeverStartedIt() throws {
    let words: [Set<String>] = [["mab"], ["amb", "abm", "mba"], ["bma", "bam"]]
    for bound in words.indices {
      let expected = words[...bound].reduce(into: Set()) { $0.formUnion($1) }
      for skips in [false, true] {
        XCTAssertEqual(
          outcomes(try Self.explore("born", bound: bound, skips: skips)), expected, "bound \(bound)"
        )
      }
    }
    let few = try Self.explore("born", bound: nil)
    let all = try Self.explore("born", bound: nil, skips: false)
    XCTAssertEqual(outcomes(few), outcomes(all))
    XCTAssertEqual(outcomes(few).count, 6)
    XCTAssertEqual(all.orders, 8)
    // The last of the equal ones is known before it is run, the other only when it was.
    XCTAssertEqual([few.orders, few.ordersSkipped], [7, 1])
  }

  func testARunIsOverWhenThoseWhoAreLeftHaveComeToTheirEndsToo() throws {
    XCTAssertEqual(outcomes(try Self.explore("leaves")), ["left", "STUCK"])
  }

  func testABlockThatIsLeftToDispatchsMainQueueIsNoPass() throws {
    XCTAssertEqual(outcomes(try Self.explore("forgotten", bound: 1)), ["UNCONTROLLED"])
  }

  func testAProcessThatTooManyRunsStayBehindInIsReplaced() throws {
    let found = try Self.explore("endless", strategy: .random, orders: 30, stepsMax: 100)
    XCTAssertEqual(outcomes(found), [Ending.Kind.limit.undeclaredName])
    XCTAssertEqual(found.orders, 30)
  }

  func testASideWhoseRunsCannotBeRepeatedIsOutOfControlAndNeverProved() throws {
    let found = try Self.explore("unrepeatable")
    XCTAssertTrue(outcomes(found).contains("UNCONTROLLED"), "\(outcomes(found))")
    XCTAssertFalse(found.isComplete)
  }

  func testEveryPartyThatCouldGoOnIsAnOption() throws {
    let seen = try controlled("crowd", points: 40).run(.replay(Schedule()))
    XCTAssertEqual(seen.choices.map(\.optionCount).max(), 41, "and main")
    let crowd = try controlled("crowd", points: 400).run(.replay(Schedule()))
    XCTAssertEqual(crowd.ending, Ending(.limit, "401 threads and tasks could run at once"))
  }

  func testAReaderWhoseClockIsBehindAsksForTheAgeOfARow() throws {
    XCTAssertEqual(outcomes(try Self.explore("stale", bound: 0)), ["FINISHED"])
  }

  func testATrespassIsKnownEvenIfEveryRunWithOneTraps() throws {
    XCTAssertEqual(outcomes(try Self.explore("torn")), ["CRASHED", "FINISHED"])
  }

  func testTheTraceOfARunThatDiesHasItsLastChoice() throws {
    let side = try controlled("interrupted")
    let crash = try XCTUnwrap(
      Self.explore("interrupted", bound: 1).outcomes.first { $0.name == "CRASHED" }?.smallest)
    XCTAssertEqual(crash.switches, 1)
    let (seen, trace) = try side.trace(.replay(crash.schedule))
    XCTAssertEqual(seen.ending.kind, .crashed)
    XCTAssertEqual(trace.schedule, crash.schedule)
    XCTAssertEqual(trace.switches, 1)
    let last = try XCTUnwrap(trace.choices.last)
    XCTAssertEqual(trace.choices.map(\.chosen), seen.choices.map(\.chosen))
    XCTAssertEqual(trace.steps[last.step].party, last.options[last.chosen])
    XCTAssertEqual(trace.steps[last.step].stop, .abandoned)
  }

  func testARunThatDiesBeforeItsTurnsIsAnotherOrder() throws {
    let crash = try XCTUnwrap(
      Self.explore("interrupted", bound: 1).outcomes.first { $0.name == "CRASHED" }?.smallest)
    let more = Schedule(crash.schedule.turns + [Schedule.Turn(choice: 900, option: 1)])
    let seen = try controlled("interrupted").run(.replay(more))
    XCTAssertEqual(seen.ending.kind, .crashed)
    XCTAssertTrue(seen.isMisfit)
  }

  func testAProcessThatDiedOfARunBeforeIsNoCrashOfTheNext() throws {
    signal(SIGPIPE, SIG_IGN)
    let found = try Self.explore("last", bound: 1, points: 1)
    XCTAssertEqual(outcomes(found), ["ab", "ba"])
  }

  func testABudgetOfAsManyOrdersAsThereAreIsEnough() throws {
    let whole = try Self.explore("dependent", bound: 1)
    let budgeted = try Self.explore("dependent", bound: 1, orders: whole.orders)
    XCTAssertTrue(budgeted.isComplete)
    XCTAssertEqual(budgeted.ordersSkipped, whole.ordersSkipped)
    XCTAssertFalse(try Self.explore("dependent", bound: 1, orders: whole.orders - 1).isComplete)
  }

  func testATraceTellsWhoTookPartAndWhatTheyTouched() throws {
    let trace = try XCTUnwrap(try controlled("dependent").trace(.replay(Schedule())).trace)
    XCTAssertEqual(trace.parties.first?.lane, "main")
    XCTAssertEqual(trace.outcome, "aaabbb")
    let touching = trace.steps.filter { $0.touches.contains { $0.thing == "shared" } }
    XCTAssertEqual(touching.map(\.queue), ["a", "a", "a", "b", "b", "b"])
    XCTAssertEqual(trace.schedule, Schedule())
  }
}
