import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios about tasks and actors, from run records.
@Suite struct SwiftConcurrencyOutcomeTests {
  // MARK: - 42

  @Test func scenario42AFetchBeforeTheStoreStopsTheProcess() throws {
    let record = try ScenarioRun.of(
      TheStoreThatWasNotThereYet.self, repeats: 4, sides: ["wrong"], ["articles": 2])
    // A task that is in time at the first launch has lost the error at the second one.
    #expect(record.outcomes("wrong").isSubset(of: ["NO STORE", "HIDDEN"]))
    #expect(record.outcomes("wrong").contains("NO STORE"))
  }

  @Test func scenario42TheHandlerOfASecondStoreResumesTheContinuationAgain() throws {
    let record = try ScenarioRun.of(
      TheStoreThatWasNotThereYet.self, sides: ["twice"], ["articles": 2])
    #expect(record.outcomes("twice") == ["RESUMED TWICE"])
    let ending = try #require(record.trials("twice").first?.ending)
    #expect(ending.detail.contains("more than once"), "\(ending.detail)")
  }

  @Test func scenario42WithoutItsLibraryTheAppSavesTheNoteIntoMemory() throws {
    let record = try ScenarioRun.of(
      TheStoreThatWasNotThereYet.self, sides: ["hidden"], ["articles": 2])
    #expect(record.outcomes("hidden") == ["HIDDEN"])
    #expect(record.numbers("hidden", "notes saved") == [2])
    #expect(record.numbers("hidden", "notes in the file") == [1])
  }

  @Test func scenario42AFactoryThatWaitsForEveryStoreThrowsTheError() throws {
    let record = try ScenarioRun.of(
      TheStoreThatWasNotThereYet.self, sides: ["right"], ["articles": 2])
    #expect(record.outcomes("right") == ["READY"])
    #expect(record.numbers("right", "notes in the file") == [1])
    let says = record.texts("right", "the app says")
    #expect(says.contains { $0.contains("/unplugged/Library.sqlite") }, "\(says)")
  }

  // MARK: - 44

  @Test func scenario44AnEnqueueThatWaitsDeadlocksTwoActors() throws {
    let record = try ScenarioRun.of(TheExecutorThatBlocks.self, sides: ["wrong"], ["rounds": 2_000])
    #expect(record.outcomes("wrong") == ["DEADLOCK"])
    let ending = try #require(record.trials("wrong").first?.ending)
    #expect(ending.detail.contains("waits for queue \"articles\""), "\(ending.detail)")
    #expect(ending.detail.contains("waits for queue \"shelves\""), "\(ending.detail)")
  }

  @Test func scenario44AnEnqueueThatWaitsRunsAJobInTheMiddleOfAnotherAndOnMain() throws {
    let record = try ScenarioRun.of(TheExecutorThatBlocks.self, sides: ["wrong"], ["rounds": 1])
    #expect(record.texts("wrong", "order in one actor").allSatisfy { $0 != ordered })
    #expect(record.texts("wrong", "a job that main awaits").allSatisfy { $0 == "runs on main" })
    #expect(record.outcomes("wrong").isSubset(of: ["NESTED", "DEADLOCK"]))
  }

  @Test(arguments: ["right", "none"])
  func scenario44AnActorThatHandsItsJobsOverRunsThemInOrder(side: String) throws {
    let record = try ScenarioRun.of(TheExecutorThatBlocks.self, sides: [side], ["rounds": 20])
    #expect(record.outcomes(side) == ["WRITTEN"])
    #expect(record.texts(side, "order in one actor") == [ordered])
    #expect(record.texts(side, "a job that main awaits") == ["runs on another thread"])
  }

  @Test func scenario44TheCompilerDoesNotFindTheContextOfThePublishedActor() throws {
    let record = try ScenarioRun.of(TheExecutorThatBlocks.self, sides: ["source"])
    #expect(record.outcomes("source").isSubset(of: ["REFUSED", "NOT ASKED"]))
  }

  /// The order of an actor whose jobs wait for their turn.
  private let ordered = "begins, ends, first, second"
}
