import Foundation
import Testing

@testable import PlaygroundKit
@testable import ProbeSides

/// Explores code that uses Dispatch, operations, locks, threads and sleeps as it stands.
///
/// A side's schedules are the orders of its steps that its waits allow. A block on a queue has two:
/// it begins, and it writes; a thread has one, as it begins with no call. What puts something on a
/// queue is a step of main, and so is what follows the last of them.
@Suite(.enabled(if: !BuildFolder.isThreadSanitized)) struct OutsideTests {
  private static func explore(
    _ side: String, bound: Int? = nil, skips: Bool = true
  ) throws -> Exploration.SideFound {
    var options = Explorer.Options()
    options.sides = [side]
    options.bound = bound
    options.skipsEqualOrders = skips
    return try Explorer(version: "test")
      .explore(
        RunnableScenario(OutsideProbe.self, executable: Explorations.probes), options
      ).sides[0]
  }

  private func outcomes(_ found: Exploration.SideFound) -> Set<String> {
    Set(found.outcomes.filter { $0.orders > 0 }.map(\.name))
  }

  /// What a side can write, and how many schedules there are, where one can count them.
  struct Row: Sendable, CustomTestStringConvertible {
    let side: String
    let words: Set<String>
    var schedules: Int?
    var testDescription: String { side }

    init(_ side: String, _ words: Set<String>, schedules: Int? = nil) {
      (self.side, self.words, self.schedules) = (side, words, schedules)
    }
  }

  static let rows = [
    // a: 2 steps. Main hands b over, b: 2 steps, in this order. 5 choose 2 = 10.
    Row("async", ["ab", "ba"], schedules: 10),
    // b comes after a, so only when main hands it over is open: before, between or after the steps
    // of a.
    Row("serial", ["ab"], schedules: 3),
    Row("concurrent", ["ab", "ba"], schedules: 10),
    Row("barrier", ["ab|c", "ba|c"]),
    Row("target", ["aabb", "bbaa"]),
    // b's 2 steps among what hands c over and c's 2 steps, and a's 2 steps among all of the six:
    // 5 choose 2 times 8 choose 2.
    Row("global", ["abc", "acb", "bac", "bca", "cab", "cba"], schedules: 280),
    // Main's block writes before, between or after the steps of the other.
    Row("main", ["am", "ma"], schedules: 3),
    Row("sync", ["am", "ma"]),
    Row("sync on main", ["ma"]),
    Row("barrier sync", ["aam"]),
    Row("work item inside", ["am", "ma"]),
    Row("semaphore", ["abm", "amb"]),
    // t: the time was up, before the signal or before a.
    Row("semaphore in time", ["am", "at", "ta"]),
    Row("enter and leave", ["am"]),
    Row("item", ["amn", "anm"]),
    Row("early wait", ["iw"]),
    // The cancelled one writes nothing.
    Row("cancelled item", ["", "a"]),
    // The timer for 2 is set first, and may come before the one for 1 is set; 1 comes before 2 from
    // then on, and 0 is put in line last.
    Row("after", ["012", "102", "120", "201", "210"]),
    Row("perform", ["012", "021", "102", "120", "201", "210"], schedules: 90),
    Row("one by one", ["abm"]),
    Row("dependency", ["12"]),
    Row("lock", ["aamm", "mmaa"]),
    Row("recursive", ["aamm", "mmaa"]),
    Row("condition", ["am"]),
    // One step each.
    Row("thread", ["am", "ma"], schedules: 2),
    // Main wakes before, between or after the two steps of a.
    Row("sleep", ["am", "ma"], schedules: 3),
    Row("usleep", ["am", "ma"]),
    Row("spins", ["am"]),
    Row("timer", ["ttm"]),
    Row("yield", ["am", "ma"]),
    Row("task sleep", ["am", "ma"]),
    Row("nobody signals", ["HANG"], schedules: 1),
    Row("itself", ["CRASHED"], schedules: 1),
    Row("each other", ["NONE", "STUCK"]),
    Row("idle threads", ["NONE"]),
    Row("kept lock", ["NONE", "STUCK"]),
    Row("refused", ["UNCONTROLLED"], schedules: 1),
  ]

  @Test(arguments: rows) func everyOrderOfASmallProgramIsSeenAndNoOther(_ row: Row) throws {
    let few = try Self.explore(row.side)
    let all = try Self.explore(row.side, skips: false)
    #expect(outcomes(few) == row.words)
    #expect(outcomes(all) == row.words, "\(all.outcomes.filter { $0.orders > 0 }.map(\.meaning))")
    #expect(few.isComplete)
    #expect(few.orders <= all.orders)
    if let schedules = row.schedules { #expect(all.orders == schedules) }
  }

  @Test(
    arguments: [
      Row("group", ["abmn", "abnm", "bamn", "banm"]),
      Row("operations", ["ab", "ba"]),
      Row("barrier operation", ["ab|", "ba|"]),
    ])
  func aLargerProgramIsSeenInEveryOrderOfAtMostTwoSwitches(_ row: Row) throws {
    let few = try Self.explore(row.side, bound: 2)
    #expect(few.isComplete)
    #expect(outcomes(few) == row.words)
    #expect(try outcomes(Self.explore(row.side, bound: 1, skips: false)).isSubset(of: row.words))
  }

  /// A mistake, what comes of it, and the waits that the end of a deadlock names.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let program: String
    let outcome: String
    let waits: [String]
    var testDescription: String { program }
  }

  static let mistakes = [
    Mistake(
      program: "semaphore", outcome: "STUCK",
      waits: [
        "main waits for a semaphore, which a block of \"import\" could signal",
        "a block of \"import\" waits for queue \"main\", held by main",
      ]),
    Mistake(
      program: "lock", outcome: "STUCK",
      waits: [
        "a block of \"import\" waits for a lock, held by main",
        "main waits for queue \"import\", held by a block of \"import\"",
      ]),
    Mistake(program: "operations", outcome: "TWICE", waits: []),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsRefutedWithAShortIdThatNamesTheCycleAndItsRepairIsProved(
    _ mistake: Mistake
  ) throws {
    let wrong = try Self.explore("\(mistake.program)-wrong", bound: 2)
    let smallest = try #require(
      wrong.outcomes.first { $0.name == mistake.outcome && $0.orders > 0 }?.smallest)
    let side = try #require(
      OutsideProbe.sides.firstIndex { $0.name == "\(mistake.program)-wrong" })
    let id = ScheduleID(.scenario(97), side: side, schedule: smallest.schedule)
    #expect(id.whole.count <= 16, "\(id.whole)")
    let controlled = try ControlledSide(
      RunnableScenario(OutsideProbe.self, executable: Explorations.probes),
      side: OutsideProbe.sides[side].description, parameters: [:], in: Workspace())
    let (seen, trace) = try controlled.trace(.replay(ScheduleID(id.whole).schedule))
    #expect(seen.outcome == mistake.outcome)
    #expect(trace.waits == mistake.waits)
    let right = try Self.explore("\(mistake.program)-right", bound: 2)
    #expect(right.isComplete)
    #expect(outcomes(right) == ["NONE"])
  }

  ///     FAULTLINE_DOUBLE_RUNS=10000 swift test --filter OutsideTests
  @Test(arguments: OutsideProbe.programs.map(\.name))
  func theSameScheduleMakesTheSameEventsInAnotherProcess(_ name: String) throws {
    let count = ProcessInfo.processInfo.environment["FAULTLINE_DOUBLE_RUNS"].flatMap { UInt64($0) }
    let side = try #require(OutsideProbe.sides.first { $0.name == name })
    let pair = try (0..<2).map { _ in
      try ControlledSide(
        RunnableScenario(OutsideProbe.self, executable: Explorations.probes),
        side: side.description, parameters: [:], in: Workspace())
    }
    for seed in 0..<(count ?? 20) {
      let first = try pair[0].run(.random(seed: seed))
      let second = try pair[1].run(.replay(first.schedule))
      #expect(first.eventsHash == second.eventsHash, "seed \(seed)")
      #expect(first.outcome == second.outcome, "seed \(seed)")
      #expect(first.choices == second.choices, "seed \(seed)")
      if first.eventsHash != second.eventsHash { return }
    }
  }
}
