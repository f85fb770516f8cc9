import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios about what a thread waits for, from run records.
@Suite struct BlockingOutcomeTests {
  // MARK: - 07

  @Test func scenario07TheLineAfterPerformDoesNotWaitForItsBlock() throws {
    let record = try ScenarioRun.of(
      PerformReturnsFirst.self, repeats: 3, sides: ["wrong"], ["rows": 500])
    #expect(record.outcomes("wrong").isSubset(of: ["EARLY", "LUCKY"]))
    #expect(record.outcomes("wrong").contains("EARLY"))
    #expect(record.numbers("wrong", "articles counted").contains(0))
    #expect(record.numbers("wrong", "commits") == [1, 1, 1], "the block runs all the same")
  }

  @Test func scenario07AnAwaitOrTheBlocksLastLineComesAfterTheSave() throws {
    let record = try ScenarioRun.of(
      PerformReturnsFirst.self, repeats: 2, sides: ["right", "last"], ["rows": 200])
    for side in ["right", "last"] {
      #expect(record.outcomes(side) == ["COUNTED"], "\(side)")
      #expect(record.numbers(side, "articles counted") == [200, 200], "\(side)")
    }
  }

  @Test func scenario07RealThreadsWriteTheEightLinesInADeclaredOrder() throws {
    let record = try ScenarioRun.of(PerformReturnsFirst.self, repeats: 5, sides: ["lines"])
    let orders = PerformReturnsFirst.outcomes.filter { $0.grade == .interesting }.map(\.name)
    #expect(record.outcomes("lines").isSubset(of: orders), "\(record.outcomes("lines"))")
    // C stands in a block that is enqueued before D is written.
    #expect(record.numbers("lines", "place of C").allSatisfy { $0 > 3 })
  }

  @Test func scenario07EveryOrderThatIsDeclaredOccurs() throws {
    var options = Explorer.Options()
    (options.bound, options.sides) = (3, ["lines"])
    let scenario = RunnableScenario(
      PerformReturnsFirst.self, executable: try ScenarioRun.executable())
    let found = try Explorer(version: "test").explore(scenario, options)
    let orders = found.sides.flatMap(\.outcomes).filter { $0.orders > 0 }.map(\.name)
    let declared = PerformReturnsFirst.outcomes.filter { $0.grade == .interesting }.map(\.name)
    #expect(Set(orders) == Set(declared).subtracting(["LUCKY"]))
  }

  // MARK: - 10

  @Test func scenario10ANestedPerformAndWaitOvertakesWhatWasEnqueuedBefore() throws {
    let record = try ScenarioRun.of(NestedPerformAndWait.self, sides: ["wrong", "main"])
    for side in ["wrong", "main"] {
      #expect(record.outcomes(side) == ["LATER"], "\(side)")
      #expect(record.texts(side, "ran in this order") == ["writing, clean-up"], "\(side)")
      #expect(record.numbers(side, "articles in the file") == [0], "\(side)")
    }
  }

  @Test func scenario10NoQueueIsReenteredThroughAnotherThread() throws {
    let record = try ScenarioRun.of(NestedPerformAndWait.self, sides: ["through"])
    #expect(record.outcomes("through") == ["DEADLOCK"])
    let ending = try #require(record.trials("through").first).ending
    #expect(ending.detail.contains("main waits for queue \"bg\""), "\(ending.detail)")
  }

  @Test func scenario10AThreadReentersEachQueueThatItHolds() throws {
    let record = try ScenarioRun.of(
      NestedPerformAndWait.self, sides: ["right", "back"], ["old": 5])
    for side in ["right", "back"] {
      #expect(record.outcomes(side) == ["NOW"], "\(side)")
      #expect(record.texts(side, "ran in this order") == ["clean-up, writing"], "\(side)")
    }
  }

  // MARK: - 11

  /// Under control, where a stall is a matter of schedules and not of the machine.
  @Test func scenario11MainsSaveWaitsForTheTransactionOfAnotherContext() throws {
    var options = Explorer.Options()
    options.bound = 1
    let found = try Explorer(version: "test").explore(
      RunnableScenario(TheCoordinatorIsALock.self, executable: ScenarioRun.executable()), options)
    for side in found.sides {
      let waits = side.outcomes.contains { $0.name == "WAITED" && $0.orders > 0 }
      #expect(waits == ["wrong", "nested"].contains(side.name), "\(side.name)")
    }
  }

  @Test func scenario11NoArticleAndNoNoteIsLostWhereTransactionsAreShort() throws {
    let record = try ScenarioRun.of(
      TheCoordinatorIsALock.self, sides: ["short", "right"], ["rows": 2_150, "notes": 20])
    for side in ["short", "right"] {
      #expect(!record.outcomes(side).contains("LOST"), "\(side)")
      #expect(record.numbers(side, "articles in the file") == [2_150], "\(side)")
      // One for each note, and one for each 500 articles.
      #expect(record.numbers(side, "commits") == [25], "\(side)")
    }
  }

  // MARK: - 12

  @Test func scenario12AnImportOnMainDrawsNoFrameUntilItEnds() throws {
    let record = try ScenarioRun.of(FirstLaunchImport.self, sides: ["wrong"], ["rows": 10_000])
    #expect(record.outcomes("wrong") == ["HANG"])
    #expect(record.numbers("wrong", "imported by then") == [10_000])
    let slow = try ScenarioRun.of(
      FirstLaunchImport.self, sides: ["wrong"], ["rows": 5_000, "watchdog": 1])
    #expect(slow.outcomes("wrong") == ["KILLED"])
  }

  @Test func scenario12TheListIsFullAfterOnePortionOrAfterAll() throws {
    let record = try ScenarioRun.of(
      FirstLaunchImport.self, sides: ["right", "late"], ["rows": 3_210, "batch": 400])
    #expect(record.numbers("right", "imported by then") == [400])
    #expect(record.numbers("late", "imported by then") == [3_210])
    for side in ["right", "late"] {
      #expect(record.numbers(side, "articles on the first screen") == [20], "\(side)")
      #expect(record.numbers(side, "articles in the file") == [3_210], "\(side)")
    }
  }
}
