import Foundation
import Testing

@testable import PlaygroundKit
@testable import ProbeSides

/// Explores the sides of `OrderProbe`, whose orders can be counted by hand.
@Suite struct ExplorerTests {
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
    return try Explorer(version: "test")
      .explore(
        RunnableScenario(OrderProbe.self, executable: Explorations.probes), options
      ).sides[0]
  }

  private func controlled(_ side: String, points: Int = 3) throws -> ControlledSide {
    let found = try #require(OrderProbe.sides.first { $0.name == side })
    return try ControlledSide(
      RunnableScenario(OrderProbe.self, executable: executable), side: found.description,
      parameters: ["points": points],
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

  @Test func twoPartiesOfThreePointsHaveTheTwentyOrdersThatOneCounts() throws {
    let found = try Self.dependent.get()
    #expect(found.isComplete)
    #expect(outcomes(found) == words(3, 3))
    #expect(outcomes(found).count == 20)
  }

  @Test func aBoundOfSwitchesLeavesTheOrdersWithNoMore() throws {
    // In a word of two parties every change of letter but the last is a switch: a party that has
    // come to its end is not interrupted.
    for bound in 0...3 {
      let possible = words(3, 3).filter { word in
        switches(in: word) <= bound
      }
      #expect(outcomes(try Self.explore("dependent", bound: bound)) == possible, "bound \(bound)")
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

  @Test func stepsThatTouchNothingInCommonNeedNotBeRunInEveryOrder() throws {
    let apart = try Self.explore("independent", bound: nil)
    let together = try Self.dependent.get()
    #expect(apart.isComplete)
    #expect(apart.orders < together.orders)
    // The record is a plain variable, which nobody tells the explorer of: it shows what was run.
    #expect(outcomes(apart).count < 20)
  }

  @Test func leavingOutEqualOrdersChangesTheirNumberAndNotWhatComesOfThem() throws {
    let few = try Self.explore("dependent", bound: 1, points: 2)
    let all = try Self.explore("dependent", bound: 1, points: 2, skips: false)
    #expect(few.orders < all.orders)
    #expect(outcomes(few) == outcomes(all))
  }

  @Test func everyWayToEndIsAnOutcomeThatItsIdBringsBack() throws {
    let expected: [(String, Ending.Kind)] = [
      ("deadlock", .deadlock), ("trap", .crashed), ("endless", .limit), ("outside", .uncontrolled),
      ("hang", .hung), ("kill", .killed), ("tasks", .limit), ("interrupted", .crashed),
    ]
    for (side, kind) in expected {
      for strategy in Exploration.Strategy.allCases {
        let found = try Self.explore(
          side, strategy: strategy, orders: side == "interrupted" ? 8 : 3, stepsMax: 400)
        let name = kind == .deadlock ? "STUCK" : kind == .killed ? "FINISHED" : kind.undeclaredName
        let outcome = try #require(
          found.outcomes.first { $0.name == name && $0.orders > 0 }, "\(side) \(strategy)")
        let smallest = try #require(outcome.smallest)
        let place = try #require(OrderProbe.sides.firstIndex { $0.name == side })
        let id = try ScheduleID(
          ScheduleID(.scenario(98), side: place, schedule: smallest.schedule).whole)
        let seen = try controlled(side).run(.replay(id.schedule), stepsMax: 400)
        #expect(seen.ending.kind == kind, "\(side) \(strategy)")
        #expect(seen.outcome == name)
        #expect(seen.stepCount == smallest.steps, "\(side) \(strategy)")
        #expect(!seen.isMisfit)
      }
    }
  }

  @Test func codeThatBlocksWhereNobodySchedulesItIsNeverAPass() throws {
    let found = try Self.explore("blocked", bound: 0, orders: 1)
    #expect(outcomes(found) == ["UNCONTROLLED"])
  }

  @Test func aChildsAutomaticMergeIsNoDeadlockInAnyOrder() throws {
    let found = try Self.explore("merges")
    #expect(outcomes(found) == ["read 2"])
    #expect(found.isComplete)
  }

  @Test func anObjectUsedOffItsQueueIsReadBeforeAndAfterAndInBetween() throws {
    #expect(outcomes(try Self.explore("trespass")) == ["read 11", "read 12", "read 22"])
  }

  @Test func whoReadsWhileAnotherHasTheWriterIsRefusedAfterOneSwitch() throws {
    let few = try Self.explore("refused", bound: 1)
    let all = try Self.explore("refused", bound: 1, skips: false)
    #expect(outcomes(few) == outcomes(all))
    #expect(outcomes(few).contains("refused: block "), "\(outcomes(few))")
    #expect(few.orders < all.orders)
  }

  @Test func whoWaitedForAQueueMayGoOnBeforeTheStoreIsRead() throws {
    #expect(outcomes(try Self.explore("left")) == ["0 then 0", "0 then 1", "1 then 1"])
  }

  ///     main   starts A, m        A and B may go on as soon as they are there, so the three
  ///     A      starts B, a        letters come in each of their 3! = 6 orders
  ///     B      b
  ///
  ///     switches   0    1            2      orders: A before B, or B before A, and m at one of
  ///     new        mab  amb abm mba  bma bam        four places; m before A begins equals m after
  @Test func aPartyMayGoOnBeforeTheFirstPointOfWhoeverStartedIt() throws {
    let words: [Set<String>] = [["mab"], ["amb", "abm", "mba"], ["bma", "bam"]]
    for bound in words.indices {
      let expected = words[...bound].reduce(into: Set()) { $0.formUnion($1) }
      for skips in [false, true] {
        #expect(
          outcomes(try Self.explore("born", bound: bound, skips: skips)) == expected,
          "bound \(bound)")
      }
    }
    let few = try Self.explore("born", bound: nil)
    let all = try Self.explore("born", bound: nil, skips: false)
    #expect(outcomes(few) == outcomes(all))
    #expect(outcomes(few).count == 6)
    #expect(all.orders == 8)
    // The last of the equal ones is known before it is run, the other only when it was.
    #expect(few.orders == 7)
    #expect(few.ordersSkipped == 1)
  }

  @Test func aRunIsOverWhenThoseWhoAreLeftHaveComeToTheirEndsToo() throws {
    #expect(outcomes(try Self.explore("leaves")) == ["left", "STUCK"])
  }

  @Test func aBlockThatIsLeftToDispatchsMainQueueIsNoPass() throws {
    #expect(outcomes(try Self.explore("forgotten", bound: 1)) == ["UNCONTROLLED"])
  }

  @Test func aProcessThatTooManyRunsStayBehindInIsReplaced() throws {
    let found = try Self.explore("endless", strategy: .random, orders: 30, stepsMax: 100)
    #expect(outcomes(found) == [Ending.Kind.limit.undeclaredName])
    #expect(found.orders == 30)
  }

  @Test func aSideWhoseRunsCannotBeRepeatedIsOutOfControlAndNeverProved() throws {
    let found = try Self.explore("unrepeatable")
    #expect(outcomes(found).contains("UNCONTROLLED"), "\(outcomes(found))")
    #expect(!found.isComplete)
  }

  @Test func everyPartyThatCouldGoOnIsAnOption() throws {
    let seen = try controlled("crowd", points: 40).run(.replay(Schedule()))
    #expect(seen.choices.map(\.optionCount).max() == 41, "and main")
    let crowd = try controlled("crowd", points: 400).run(.replay(Schedule()))
    #expect(crowd.ending == Ending(.limit, "401 threads and tasks could run at once"))
  }

  @Test func aReaderWhoseClockIsBehindAsksForTheAgeOfARow() throws {
    #expect(outcomes(try Self.explore("stale", bound: 0)) == ["FINISHED"])
  }

  @Test func aTrespassIsKnownEvenIfEveryRunWithOneTraps() throws {
    #expect(outcomes(try Self.explore("torn")) == ["CRASHED", "FINISHED"])
  }

  @Test func theTraceOfARunThatDiesHasItsLastChoice() throws {
    let side = try controlled("interrupted")
    let crash = try #require(
      Self.explore("interrupted", bound: 1).outcomes.first { $0.name == "CRASHED" }?.smallest)
    #expect(crash.switches == 1)
    let (seen, trace) = try side.trace(.replay(crash.schedule))
    #expect(seen.ending.kind == .crashed)
    #expect(trace.schedule == crash.schedule)
    #expect(trace.switches == 1)
    let last = try #require(trace.choices.last)
    #expect(trace.choices.map(\.chosen) == seen.choices.map(\.chosen))
    #expect(trace.steps[last.step].party == last.options[last.chosen])
    #expect(trace.steps[last.step].stop == .abandoned)
  }

  @Test func aRunThatDiesBeforeItsTurnsIsAnotherOrder() throws {
    let crash = try #require(
      Self.explore("interrupted", bound: 1).outcomes.first { $0.name == "CRASHED" }?.smallest)
    let more = Schedule(crash.schedule.turns + [Schedule.Turn(choice: 900, option: 1)])
    let seen = try controlled("interrupted").run(.replay(more))
    #expect(seen.ending.kind == .crashed)
    #expect(seen.isMisfit)
  }

  @Test func aProcessThatDiedOfARunBeforeIsNoCrashOfTheNext() throws {
    signal(SIGPIPE, SIG_IGN)
    let found = try Self.explore("last", bound: 1, points: 1)
    #expect(outcomes(found) == ["ab", "ba"])
  }

  @Test func aBudgetOfAsManyOrdersAsThereAreIsEnough() throws {
    let whole = try Self.explore("dependent", bound: 1)
    let budgeted = try Self.explore("dependent", bound: 1, orders: whole.orders)
    #expect(budgeted.isComplete)
    #expect(budgeted.ordersSkipped == whole.ordersSkipped)
    #expect(try !(Self.explore("dependent", bound: 1, orders: whole.orders - 1).isComplete))
  }

  @Test func aTraceTellsWhoTookPartAndWhatTheyTouched() throws {
    let trace = try controlled("dependent").trace(.replay(Schedule())).trace
    #expect(trace.parties.first?.lane == "main")
    #expect(trace.outcome == "aaabbb")
    let touching = trace.steps.filter { $0.touches.contains { $0.thing == "shared" } }
    #expect(touching.map(\.queue) == ["a", "a", "a", "b", "b", "b"])
    #expect(trace.schedule == Schedule())
  }
}
