import Synchronization
import XCTest

@testable import PlaygroundKit
@testable import ProbeSides

/// Runs the sides of `Probe`, which end in every way a process can end, in processes of their own.
final class RunnerTests: XCTestCase {
  private func run(
    _ sides: String..., repeats: Int = 1, notes: Int? = nil, seed: UInt64 = 1,
    checker: Side.Checker? = nil, progress: @escaping @Sendable (Runner.Step) -> Void = { _ in }
  ) throws -> RunRecord {
    var options = Runner.Options()
    options.sides = sides
    options.repeats = repeats
    options.seed = seed
    options.checker = checker
    if let notes { options.parameters = ["notes": notes] }
    let executable = URL(fileURLWithPath: Runner.thisExecutable).deletingLastPathComponent()
      .appendingPathComponent("ProbeSides").path
    return try Runner(version: "test", progress: progress)
      .run(
        RunnableScenario(Probe.self, executable: executable), options)
  }

  private func trial(
    _ side: String, notes: Int? = nil, checker: Side.Checker? = nil
  ) throws -> Trial {
    let record = try run(side, notes: notes, checker: checker)
    return try XCTUnwrap(record.sides.first?.trials.first)
  }

  func testASideThatFinishesLeavesItsFiguresItsCurvesAndItsOutcome() throws {
    let trial = try trial("finishes", notes: 50)
    XCTAssertEqual(trial.ending, Ending(.finished))
    XCTAssertEqual(trial.outcome, "RIGHT")
    XCTAssertEqual(trial.grade, .accepted)
    XCTAssertEqual(trial.number(Metric.commits), 1)
    XCTAssertEqual(trial.number("rows stored"), 51)
    XCTAssertGreaterThan(try XCTUnwrap(trial.number(Metric.total)), 0)
    XCTAssertGreaterThan(try XCTUnwrap(trial.number(Metric.peakMemory)), 1_000_000)
    XCTAssertEqual(trial.series.first { $0.name == Metric.mainLoop }?.kind, .frames)
    XCTAssertEqual(trial.marks.first?.why, "the line that matters")
    XCTAssertEqual(
      trial.marks.first?.code, "try insert(world[notes], in: world.container.viewContext)")
  }

  func testWhatAStoreLacksIsNamedByTheOutcome() throws {
    let trial = try trial("forgets")
    XCTAssertEqual(trial.outcome, "WRONG")
    XCTAssertEqual(trial.number("rows stored"), 1)
  }

  func testAnErrorIsAnEndingAndNotTheEndOfTheRun() throws {
    let trial = try trial("throws")
    XCTAssertEqual(trial.ending.kind, .threw)
    XCTAssertTrue(trial.ending.detail.contains("Refusal"), trial.ending.detail)
    XCTAssertNil(trial.grade)
    XCTAssertEqual(trial.text("seen before"), "yes")
  }

  func testATrapIsAnEndingThatKeepsTheSignalTheLastSentenceAndWhatWasSeenBefore() throws {
    let trial = try trial("traps")
    XCTAssertEqual(trial.ending.kind, .crashed)
    XCTAssertTrue(trial.ending.detail.hasPrefix("SIG"), trial.ending.detail)
    XCTAssertTrue(trial.ending.detail.contains("this side traps"), trial.ending.detail)
    XCTAssertEqual(trial.text("seen before"), "yes")
    XCTAssertEqual(trial.outcome, "CRASHED")
    XCTAssertNil(trial.grade, "nobody declared it")
  }

  func testASideThatLeavesByItselfHasNotFinished() throws {
    let trial = try trial("exits")
    XCTAssertEqual(trial.ending, Ending(.exited, "exit code 3"))
  }

  func testAKillOnPurposeLeavesTheStoreToBeLookedAt() throws {
    let trial = try trial("kills")
    XCTAssertEqual(trial.ending.kind, .killed)
    XCTAssertEqual(trial.outcome, "RIGHT", "what was saved is in the file")
    XCTAssertEqual(trial.number(Metric.commits), 1)
  }

  //  main     takes A ──────── waits for B
  //  thread        takes B ──────── waits for A
  func testADeadlockIsNamedByItsCircle() throws {
    let trial = try trial("deadlocks")
    XCTAssertEqual(trial.ending.kind, .deadlock, trial.ending.detail)
    XCTAssertEqual(trial.outcome, "STUCK")
    XCTAssertEqual(trial.grade, .forbidden)
    XCTAssertTrue(trial.ending.detail.contains("main waits for queue"), trial.ending.detail)
    XCTAssertEqual(trial.ending.detail.components(separatedBy: "waits for").count, 3)
  }

  func testTheCheckerAddsToADeadlockWhereItsPartiesStand() throws {
    let recorded = try trial("deadlocks", checker: .record)
    XCTAssertEqual(recorded.ending.kind, .deadlock, recorded.ending.detail)
    XCTAssertEqual(
      recorded.ending.detail.components(separatedBy: "at Probe.swift:").count, 3,
      recorded.ending.detail)
    let stopped = try trial("deadlocks", checker: .on)
    XCTAssertEqual(stopped.ending.kind, .deadlock, stopped.ending.detail)
    XCTAssertEqual(stopped.outcome, "STUCK")
    XCTAssertEqual(stopped.stderr.filter { $0.contains("Probe.swift:") }.count, 2)
  }

  func testASideWithoutAnEndIsEndedAtItsLimit() throws {
    let trial = try trial("spins")
    XCTAssertEqual(trial.ending.kind, .limit)
    XCTAssertTrue(trial.ending.detail.contains("5000 ms"), trial.ending.detail)
    XCTAssertGreaterThan(try XCTUnwrap(trial.number(Metric.framesDropped)), 100)
  }

  func testAMainThreadThatIsKeptBusyDropsFrames() throws {
    let trial = try trial("stalls")
    XCTAssertGreaterThanOrEqual(try XCTUnwrap(trial.number(Metric.framesDropped)), 28)
    XCTAssertGreaterThanOrEqual(try XCTUnwrap(trial.number(Metric.longestStall)), 480_000_000)
  }

  func testPeakMemoryIsWhatTheSystemSawAndNotWhatIsLeft() throws {
    let trial = try trial("allocates")
    XCTAssertGreaterThan(try XCTUnwrap(trial.number(Metric.peakMemory)), 200_000_000)
    let small = try self.trial("finishes")
    XCTAssertLessThan(try XCTUnwrap(small.number(Metric.peakMemory)), 150_000_000)
  }

  func testABrokenQueueRuleIsRecordedAndTheSideGoesOn() throws {
    let trial = try trial("breaks")
    XCTAssertEqual(trial.ending, Ending(.finished))
    let violation = try XCTUnwrap(trial.violations.first)
    XCTAssertTrue(violation.operation.contains("number"), violation.operation)
    XCTAssertEqual(violation.ownerQueue, "the main queue")
    XCTAssertEqual(trial.number(Metric.violations), trial.violations.count)
  }

  func testABrokenQueueRuleStopsTheSideWhenTheCheckerIsOn() throws {
    let trial = try trial("stopped")
    XCTAssertEqual(trial.ending.kind, .stopped)
    XCTAssertEqual(trial.outcome, "VIOLATION")
    XCTAssertEqual(trial.grade, .forbidden)
    XCTAssertEqual(trial.violations.first?.ownerQueue, "on the main queue")
  }

  func testTheCheckerCanBeSetForEverySide() throws {
    let trial = try trial("stopped", checker: .off)
    XCTAssertEqual(trial.ending, Ending(.finished))
    XCTAssertEqual(trial.violations, [])
  }

  func testWhatASidePrintsIsKeptOffOurOutput() throws {
    XCTAssertEqual(try trial("prints").stderr, ["this must not reach the page"])
  }

  func testSidesTakeTurns() throws {
    let steps = Steps()
    let record = try run("finishes", "prints", repeats: 3) { steps.add("\($0.side) \($0.trial)") }
    XCTAssertEqual(
      steps.all,
      ["finishes 1", "prints 1", "finishes 2", "prints 2", "finishes 3", "prints 3"])
    XCTAssertEqual(record.sides.map { $0.trials.map(\.number) }, [[1, 2, 3], [1, 2, 3]])
  }

  func testTheSameSeedDrawsTheSameNumbersAndEachRepeatDrawsItsOwn() throws {
    func drawn(_ seed: UInt64) throws -> [Int?] {
      try XCTUnwrap(run("finishes", repeats: 2, seed: seed).sides.first).trials
        .map { $0.number("drawn") }
    }
    let first = try drawn(7)
    XCTAssertEqual(first, try drawn(7))
    XCTAssertNotEqual(first, try drawn(1_000))
    XCTAssertNotEqual(first[0], first[1])
  }

  func testTheRunLeavesNoFiles() throws {
    _ = try run("finishes", "traps")
    // Other runs may have files there at this moment; ours begin with our process id.
    let left = try? FileManager.default.contentsOfDirectory(atPath: Workspace.base.path)
    let ours = "\(ProcessInfo.processInfo.processIdentifier)-"
    XCTAssertEqual((left ?? []).filter { $0.hasPrefix(ours) }, [])
  }

  func testFilesOfARunThatDiedAreRemovedAndThoseOfOneThatLivesAreNot() throws {
    let base = FileManager.default.temporaryDirectory
      .appendingPathComponent("leftovers-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: base) }
    let living = try Workspace(in: base)
    try FileManager.default.createDirectory(
      at: base.appendingPathComponent("1-dead/deep"), withIntermediateDirectories: true)
    try Data().write(to: base.appendingPathComponent("1-dead.lock"))
    let next = try Workspace(in: base)
    let names = try FileManager.default.contentsOfDirectory(atPath: base.path)
    XCTAssertFalse(names.contains { $0.hasPrefix("1-dead") }, "\(names)")
    XCTAssertTrue(names.contains(living.folder.lastPathComponent), "\(names)")
    XCTAssertTrue(names.contains(next.folder.lastPathComponent), "\(names)")
  }

  private final class Steps: Sendable {
    private let storage = Mutex<[String]>([])
    var all: [String] { storage.withLock { $0 } }
    func add(_ step: String) { storage.withLock { $0.append(step) } }
  }
}

extension Trial {
  /// The number noted under a name.
  fileprivate func number(_ name: String) -> Int? {
    if case .number(let number)? = metrics.first(where: { $0.name == name })?.amount {
      return number
    }
    return nil
  }

  /// The words noted under a name.
  fileprivate func text(_ name: String) -> String? {
    if case .text(let text)? = metrics.first(where: { $0.name == name })?.amount { return text }
    return nil
  }
}
