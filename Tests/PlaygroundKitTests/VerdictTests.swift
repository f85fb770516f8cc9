import XCTest

@testable import PlaygroundKit

final class VerdictTests: XCTestCase {
  private typealias Sides = Explorations

  private func exploration(
    _ outcomes: [Exploration.OutcomeFound], kind: Side.Kind = .right,
    strategy: Exploration.Strategy = .exhaustive, bound: Int? = 2, isComplete: Bool = true,
    isWhole: Bool = false, share: Double = 1
  ) -> Exploration {
    Sides.exploration(
      [
        Sides.side(
          "side", kind, outcomes, isComplete: isComplete, isWhole: isWhole, share: share)
      ], strategy: strategy, bound: bound)
  }

  private func words(_ exploration: Exploration) -> String {
    Verdict(exploration.sides[0], in: exploration).words
  }

  private func sentence(_ exploration: Exploration) -> String {
    exploration.sentence(about: exploration.sides[0])
  }

  private let kept = Explorations.found("KEPT", 1_012)

  func testOneScheduleIsASchedule() {
    let exploration = exploration([Sides.found("KEPT", 1)])
    XCTAssertTrue(
      sentence(exploration).contains("in 1 of 1 schedule (1,204 equal schedules skipped)"))
    var alone = exploration
    alone.sides[0].ordersSkipped = 0
    XCTAssertTrue(sentence(alone).hasSuffix("no forbidden outcome in 1 of 1 schedule."))
  }

  func testAWrongSideThatGoesRightIsDoubted() {
    let doubt = " So this wrong side shows nothing wrong: is `observed` right"
    func sentence(
      _ kind: Side.Kind, _ strategy: Exploration.Strategy = .exhaustive, isWhole: Bool = false
    ) -> String {
      self.sentence(exploration([kept], kind: kind, strategy: strategy, isWhole: isWhole))
    }
    XCTAssertTrue(sentence(.wrong).hasSuffix(doubt + ", or is the bound too small?"))
    XCTAssertTrue(sentence(.wrong, isWhole: true).hasSuffix(doubt + "?"))
    XCTAssertTrue(sentence(.wrong, .pct).hasSuffix(doubt + ", or are these too few?"))
    for kind in [Side.Kind.right, .column, .yours] {
      XCTAssertFalse(sentence(kind).contains("observed"), "\(kind)")
    }
  }

  func testAForbiddenOutcomeRefutesByItsSmallestSchedule() {
    let exploration = exploration([
      kept, Sides.found("DEADLOCK", 2, switches: 2, steps: 5, (1, 1), (4, 1)),
      Sides.found("LOST", 388, switches: 1, (3, 1)),
    ])
    XCTAssertEqual(
      sentence(exploration),
      "refuted: s3-27-Q-K is the smallest schedule that ends as LOST: 1 switch, 11 steps.")
  }

  func testAnOutcomeThatIsNotDeclaredRefutes() {
    let exploration = exploration([kept, Sides.found("UNKNOWN", 1, switches: 2, steps: 1)])
    XCTAssertEqual(
      sentence(exploration),
      "refuted: s3-27-0-4 is the smallest schedule that ends as UNKNOWN, which is not declared:"
        + " 2 switches, 1 step.")
  }

  func testAForbiddenOutcomeThatNeverCameRefutesNothing() {
    XCTAssertEqual(words(exploration([kept, Sides.found("LOST", 0)])), "proved for ≤ 2 switches")
  }

  func testAReplayedScheduleHasTheStatusOfItsExploration() {
    func status(_ outcome: String, _ kind: Side.Kind, _ ending: Ending.Kind) -> ExitStatus {
      let grade = Explorations.outcomes.first { $0.name == outcome }?.grade
      let trace = Trace(
        parties: [], steps: [], choices: [], ending: Ending(ending), outcome: outcome,
        grade: grade, metrics: [], waits: [], marks: [])
      return Replay(
        scenario: Sides.two.scenario, side: "side", kind: kind, heading: "", settings: [],
        id: ScheduleID(.scenario(27), side: 0, schedule: Schedule()), trace: trace, fits: true
      ).status
    }
    for kind in [Side.Kind.wrong, .right, .column] {
      let ifBad: ExitStatus = kind == .wrong ? .done : .answerIsNo
      XCTAssertEqual(status("KEPT", kind, .finished), .done)
      XCTAssertEqual(status("LOST", kind, .finished), ifBad)
      XCTAssertEqual(status("NOT WAITED FOR", kind, .limit), kind == .wrong ? .done : .limit)
      XCTAssertEqual(status("UNKNOWN", kind, .finished), .answerIsNo)
      XCTAssertEqual(status("UNCONTROLLED", kind, .uncontrolled), .answerIsNo)
      XCTAssertEqual(status("LIMIT", kind, .limit), .limit)
    }
  }

  func testALimitIsNeverAPassWhateverTheScenarioCallsIt() {
    let exploration = exploration([kept, Sides.found("NOT WAITED FOR", 1)])
    XCTAssertEqual(exploration.sides[0].outcomes[1].grade, .accepted)
    XCTAssertEqual(words(exploration), "refuted")
  }

  func testWhatIsRefutedIsRefutedHoweverItWasSearched() {
    let lost = Sides.found("LOST", 1, switches: 1, (3, 1))
    for strategy in Exploration.Strategy.allCases {
      XCTAssertEqual(words(exploration([kept, lost], strategy: strategy)), "refuted")
    }
    XCTAssertEqual(
      sentence(exploration([kept, lost], isComplete: false, share: 0.5)),
      "refuted: s3-27-Q-K is the smallest schedule seen that ends as LOST: 1 switch, 11 steps.")
  }

  func testAllSchedulesWithinABoundProveForThatManySwitches() {
    XCTAssertEqual(
      sentence(exploration([kept])),
      "proved for ≤ 2 switches: no forbidden outcome in 1,012 of 1,012 schedules (1,204 equal"
        + " schedules skipped).")
    XCTAssertEqual(words(exploration([kept], bound: 1)), "proved for ≤ 1 switch")
    XCTAssertEqual(words(exploration([kept], bound: 0)), "proved for ≤ 0 switches")
  }

  func testAllSchedulesProve() {
    XCTAssertEqual(
      sentence(exploration([kept], bound: nil)),
      "proved: no forbidden outcome in 1,012 of 1,012 schedules (1,204 equal schedules skipped),"
        + " with any number of switches.")
  }

  func testABoundThatLeftNothingOutProvesWithoutIt() {
    XCTAssertEqual(words(exploration([kept], isWhole: true)), "proved")
  }

  func testNothingFoundInARandomSampleIsSampledWithItsBound() {
    let twentyThousand = Sides.found("KEPT", 20_000)
    XCTAssertEqual(
      sentence(exploration([twentyThousand], strategy: .pct, bound: nil)),
      "sampled: 0 of 20,000 schedules (pct, seed 1) had a forbidden outcome; with 95 % confidence,"
        + " the chance per run is below 0.015 %.")
  }

  func testTheRuleOfThreeIsRoundedUpAndNeverAboveAll() {
    for (orders, bound) in [
      (1, "100 %"), (2, "100 %"), (3, "100 %"), (7, "43 %"), (100, "3.0 %"), (700, "0.43 %"),
      (7_000, "0.043 %"), (1_000_000, "0.00030 %"),
    ] {
      let text = sentence(exploration([Sides.found("KEPT", orders)], strategy: .random))
      XCTAssertTrue(text.hasSuffix("below \(bound)."), text)
      // The bound holds: so many runs without it are less likely than 5 %.
      if case .sampled(let chance) = Verdict(
        exploration([Sides.found("KEPT", orders)], strategy: .random).sides[0],
        in: exploration([], strategy: .random))
      {
        var none = 1.0
        for _ in 0..<orders { none *= 1 - chance }
        XCTAssertLessThanOrEqual(none, 0.05)
      }
    }
  }

  func testABudgetThatEndedIsIncomplete() {
    XCTAssertEqual(
      sentence(exploration([kept], isComplete: false, share: 0.349)),
      "incomplete: the budget ended after 1,012 schedules, 34 % of those known so far; none had a"
        + " forbidden outcome.")
    XCTAssertEqual(words(exploration([], strategy: .random)), "incomplete")
  }

  func testThereAreNoOtherWords() {
    var seen: Set<String> = []
    for outcomes in [[], [kept], [kept, Sides.found("LOST", 1)]] {
      for strategy in Exploration.Strategy.allCases {
        for bound in [2, nil] {
          for isComplete in [false, true] {
            seen.insert(
              words(
                exploration(outcomes, strategy: strategy, bound: bound, isComplete: isComplete)))
          }
        }
      }
    }
    XCTAssertEqual(
      seen, ["refuted", "proved for ≤ 2 switches", "proved", "sampled", "incomplete"])
  }

  func testTheExitCodeIsNoWhereSomethingIsWrongThatShouldBeRightAndTellsOfALimit() {
    let lost = Sides.found("LOST", 1, switches: 1)
    let unknown = Sides.found("UNKNOWN", 1)
    let limit = Sides.found(Ending.Kind.limit.undeclaredName, 1)
    let notWaitedFor = Sides.found("NOT WAITED FOR", 1)
    for (exploration, status) in [
      (exploration([kept]), ExitStatus.done),
      (exploration([kept, lost]), .answerIsNo),
      (exploration([kept, lost], kind: .column), .answerIsNo),
      (exploration([kept, lost], kind: .wrong), .done),
      (exploration([kept, lost], kind: .wrong, isComplete: false), .done),
      (exploration([kept, unknown], kind: .wrong), .answerIsNo),
      (exploration([kept], kind: .wrong), .done),
      (exploration([kept], isComplete: false), .inconclusive),
      (exploration([kept, lost], isComplete: false), .answerIsNo),
      (exploration([kept], strategy: .random, isComplete: false), .done),
      (exploration([], strategy: .random), .inconclusive),
      (exploration([kept, limit]), .limit),
      (exploration([kept, limit], kind: .wrong), .limit),
      (exploration([kept, limit], isComplete: false), .limit),
      (exploration([kept, limit, lost]), .answerIsNo),
      (exploration([kept, limit, unknown], kind: .wrong), .answerIsNo),
      (exploration([kept, notWaitedFor]), .limit),
      (exploration([kept, notWaitedFor], kind: .wrong), .done),
    ] {
      XCTAssertEqual(exploration.status, status, sentence(exploration))
    }
    XCTAssertEqual(Explorations.two.status, .done)
    XCTAssertEqual(Explorations.three.status, .answerIsNo)
  }

  func testEveryIDOnAPageLeadsBackToItsSchedule() throws {
    for (_, exploration) in Explorations.all {
      XCTAssertEqual(
        exploration.ids.count,
        exploration.sides.flatMap(\.outcomes).count { $0.smallest != nil })
      for id in exploration.ids { XCTAssertEqual(try ScheduleID(id.whole), id) }
    }
  }
}
