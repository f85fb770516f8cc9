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
    // Before the barrier main hands two things over, and a and b make 2 steps each: 45 orders. What
    // is left of main, its last, comes later: 4.8 places on average, the two behind the barrier's
    // steps among them.
    Row("barrier", ["ab|c", "ba|c"], schedules: 216),
    Row("barrier item", ["ab|c", "ba|c"], schedules: 216),
    Row("early notice", ["in"], schedules: 1),
    // Main hands b over before, between or after the 4 steps of a, 5; or b is first, and a forced.
    Row("target", ["aabb", "bbaa"], schedules: 6),
    // b's 2 steps among what hands c over and c's 2 steps, and a's 2 steps among all of the six:
    // 5 choose 2 times 8 choose 2.
    Row("global", ["abc", "acb", "bac", "bca", "cab", "cba"], schedules: 280),
    // Main's block writes before, between or after the steps of the other.
    Row("main", ["am", "ma"], schedules: 3),
    // Inside the queue are 3 steps: it is asked for, the block begins, it writes. With main first,
    // the other begins before all of them, asks in 3 places: 3 + 3 + 2 + 1; else main asks in 3.
    Row("sync", ["am", "ma"], schedules: 12),
    Row("sync on main", ["ma"], schedules: 3),
    // Main asks before one of the 4 steps of the block, and waits; or after them.
    Row("barrier sync", ["aam"], schedules: 5),
    Row("work item inside", ["am", "ma"], schedules: 12),
    // After the signal main asks and writes beside 1 step: 3. Before it main asks in 3 places, and
    // afterwards goes on and writes beside 1 step: 9.
    Row("semaphore", ["abm", "amb"], schedules: 12),
    // t: the time was up, before the signal or before a. After the signal: 1. Before it, with 3, 2
    // or 1 steps to come, main goes on and writes among them: 10 + 6 + 3.
    Row("semaphore in time", ["am", "at", "ta"], schedules: 20),
    // Main asks before one of 3 steps, or after them.
    Row("enter and leave", ["am"], schedules: 4),
    // a: 2 steps. When main asks before the second, 3 places, main's 2 last steps and the 2 of n
    // follow in 6 orders; else main asks to be told before or after it, 3 places, and again 6.
    Row("group of one", ["amn", "anm"], schedules: 36),
    Row("item", ["amn", "anm"], schedules: 36),
    // What hands i over and i's first step beside 2 of the thread that then waits: 6. When i was
    // first: 4 places for the thread's beginning.
    Row("early wait", ["iw"], schedules: 10),
    // The cancelled one writes nothing. Cancelled before it begins: 2 places for main's wait. Else
    // its second step before, between or after the 2 of main.
    Row("cancelled item", ["", "a"], schedules: 5),
    // The timer for 2 is set first, and may come before the one for 1 is set; 1 comes before 2 from
    // then on, and 0 is put in line last. 012: 1, 102: 3, 120: 5, 201: 3, 210: 7 places for what
    // main does.
    Row("after", ["012", "102", "120", "201", "210"], schedules: 19),
    Row("perform", ["012", "021", "102", "120", "201", "210"], schedules: 90),
    // Main writes before, between or after 3 steps: it begins, writes, and says that it is done.
    Row("operation", ["am", "ma"], schedules: 4),
    // The barrier is handed over when the other is done, and nothing is beside it.
    Row("barrier block", ["a|"], schedules: 1),
    // Foundation waits for one after the other. Main notices that a is done before or after b is
    // handed over, or after one of the 3 steps of b.
    Row("one by one", ["abm"], schedules: 5),
    // a says that it is done before or after one of the 3 steps of b, or after main.
    Row("dependency", ["12"], schedules: 5),
    // Asks, writes twice, releases. Main first: the other begins and asks, the latter not before
    // main: 4 + 4 + 3 + 2 + 1. The other first: main asks in 4 places.
    Row("lock", ["aamm", "mmaa"], schedules: 18),
    // One step more: it asks twice. 5 + 5 + 4 + 3 + 2 + 1, and 5.
    Row("recursive", ["aamm", "mmaa"], schedules: 25),
    // Main takes the lock first, before or after the other began, and waits for the condition; or
    // asks for it in one of 4 places.
    Row("condition", ["am"], schedules: 6),
    // One step each.
    Row("thread", ["am", "ma"], schedules: 2),
    // Main wakes before, between or after the two steps of a.
    Row("sleep", ["am", "ma"], schedules: 3),
    Row("usleep", ["am", "ma"], schedules: 3),
    Row("spins", ["am"]),
    // Main waits before, between or after the steps of the first event. Later events come only when
    // another thread has made a step, or they might come for ever.
    Row("timer", ["ttm"], schedules: 3),
    // A task that has ended before main comes to its `await` does not suspend main, which is then
    // before the block; a call of a function elsewhere does.
    Row("await", ["bm", "mb"]),
    Row("hop", ["bm"]),
    Row("yield", ["am", "ma"]),
    Row("task sleep", ["am", "ma"]),
    Row("nobody signals", ["HANG"], schedules: 1),
    Row("itself", ["CRASHED"], schedules: 1),
    Row("each other", ["NONE", "STUCK"]),
    Row("idle threads", ["NONE"]),
    Row("kept lock", ["NONE", "STUCK"]),
    Row("refused", ["UNCONTROLLED"], schedules: 1),
    Row("socket", ["UNCONTROLLED"], schedules: 1),
    Row("process", ["UNCONTROLLED"], schedules: 1),
    Row("run loop", ["UNCONTROLLED"], schedules: 1),
    Row("mutex", ["NONE", "UNCONTROLLED"]),
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

  /// Exploration lists all that real threads do. A run of theirs that does not end is one that is
  /// stuck: the engine does not see who waits for a semaphore or a lock.
  ///
  ///     FAULTLINE_REAL_RUNS=2000 swift test --filter OutsideTests
  @Test(arguments: OutsideProbe.programs.map(\.name))
  func realThreadsShowNothingThatExplorationDidNotList(_ name: String) throws {
    let count = ProcessInfo.processInfo.environment["FAULTLINE_REAL_RUNS"].flatMap { Int($0) }
    let listed = try outcomes(Self.explore(name, bound: 2))
    var options = Runner.Options()
    options.sides = [name]
    options.repeats = count ?? 2
    let trials = try Runner(version: "test")
      .run(RunnableScenario(OutsideProbe.self, executable: Explorations.probes), options)
      .sides[0].trials
    let seen = Dictionary(
      grouping: trials, by: { $0.ending.kind == .limit ? "STUCK" : $0.outcome }
    ).mapValues(\.count)
    #expect(Set(seen.keys).isSubset(of: listed), "\(seen)")
    if count != nil { print("\(name) on real threads: \(seen)") }
  }
}
