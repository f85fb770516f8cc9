import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios whose threads may wait for each other, from run records.
@Suite struct WaitingOutcomeTests {
  /// Runs a side in one process after another until a run ends in the expected outcome.
  ///
  /// About one run in two does; a hundred runs without one do not happen.
  private func trial(
    of scenario: any Scenario.Type, _ side: String, endingIn outcome: String,
    among others: Set<String>, _ parameters: [String: Int] = [:]
  ) throws -> Trial {
    for seed in UInt64(1)...100 {
      let record = try ScenarioRun.of(scenario, sides: [side], seed: seed, parameters)
      let trial = try #require(record.trials(side).first)
      if trial.outcome == outcome { return trial }
      #expect(others.contains(trial.outcome), "\(trial.outcome)")
    }
    throw Complaint(.ourBug, "\(side) never ended in \(outcome)")
  }

  // MARK: - 09

  @Test func scenario09TwoBlocksThatWaitForEachOthersQueueNameTheCycle() throws {
    let trial = try trial(
      of: TwoQueuesWaiting.self, "wrong", endingIn: "DEADLOCK", among: ["LUCKY"])
    #expect(trial.ending.kind == .deadlock)
    for words in ["(inside queue \"shelves\") waits for queue \"articles\"", "queue \"shelves\""] {
      #expect(trial.ending.detail.contains(words), "\(trial.ending.detail)")
    }
    #expect(trial.grade == .forbidden)
    #expect(
      !trial.metrics.contains { $0.name == "time blocked on a queue" }, "the wait has no end yet")
  }

  @Test func scenario09MainNeverContinuesIfItWaitsForABlockThatWaitsForMain() throws {
    let record = try ScenarioRun.of(TwoQueuesWaiting.self, repeats: 3, sides: ["main"])
    #expect(record.outcomes("main") == ["DEADLOCK"])
    for trial in record.trials("main") {
      #expect(
        trial.ending.detail.contains("main waits for queue \"articles\""), "\(trial.ending.detail)")
      #expect(trial.marks.map(\.code) == ["articles.performAndWait { articles.reset() }"])
    }
  }

  @Test func scenario09BlocksThatHoldNoQueueWhileTheyAskAlwaysWriteBothLines() throws {
    let record = try ScenarioRun.of(TwoQueuesWaiting.self, repeats: 2, sides: ["right"])
    #expect(record.outcomes("right") == ["WRITTEN"])
    #expect(Set(record.texts("right", "the article's line")) == ["Waiting, on Queues"])
    #expect(Set(record.texts("right", "the shelf's line")) == ["Queues, with Waiting"])
  }

  // MARK: - 32

  @Test func scenario32ASiblingThatGoesOnOverwritesWhatTheOtherHasSaved() throws {
    let record = try ScenarioRun.of(Siblings.self, sides: ["wrong"], ["articles": 5])
    #expect(record.outcomes("wrong") == ["LOST"])
    #expect(record.texts("wrong", "A has saved") == ["1, 0, 1, 0"])
    #expect(record.texts("wrong", "B has saved") == ["1, 10, 10, 0"])
    #expect(record.texts("wrong", "the screen has saved") == ["1, 10, 10, 10"])
  }

  @Test func scenario32TheFlagMergesOnlyWhenTheParentSaves() throws {
    let record = try ScenarioRun.of(Siblings.self, sides: ["flag", "saved"], ["articles": 5])
    #expect(record.outcomes("flag") == ["LOST"])
    #expect(record.texts("flag", "before B adds") == ["1, 0, 1, 0"])
    #expect(record.outcomes("saved") == ["BOTH"])
    #expect(record.texts("saved", "before B adds") == ["1, 1, 1, 1"])
  }

  @Test func scenario32ARefreshOrAMergeOfTheSaveReadsFromTheParent() throws {
    let record = try ScenarioRun.of(Siblings.self, sides: ["right", "merge"], ["articles": 5])
    for side in ["right", "merge"] {
      #expect(record.outcomes(side) == ["BOTH"])
      #expect(record.texts(side, "before B adds") == ["1, 1, 1, 0"])
      #expect(record.texts(side, "the screen has saved") == ["1, 11, 11, 11"])
    }
  }

  // MARK: - 33

  private static let oneBatch = ["rows": 200, "batch": 100]

  @Test func scenario33MainWritesWhatAChildHandsToTheViewContext() throws {
    let record = try ScenarioRun.of(ThreeStacksOneImport.self, sides: ["wrong"], Self.oneBatch)
    #expect(record.outcomes("wrong") == ["ON MAIN"])
    #expect(record.numbers("wrong", "articles that main wrote") == [200])
    #expect(record.numbers("wrong", "articles in the file") == [200])
  }

  @Test func scenario33MainWritesNothingBesideOrBelowTheContextThatWrites() throws {
    let sides = ["right", "writer"]
    let record = try ScenarioRun.of(ThreeStacksOneImport.self, sides: sides, Self.oneBatch)
    for side in sides {
      #expect(record.numbers(side, "articles that main wrote") == [0])
      #expect(record.numbers(side, "articles in the file") == [200])
    }
    #expect(record.outcomes("right") == ["BESIDE MAIN"])
    #expect(record.outcomes("writer") == ["THROUGH MAIN"])
  }

  @Test func scenario33TheListIsToldOfEachArticleInEveryStack() throws {
    let record = try ScenarioRun.of(ThreeStacksOneImport.self, Self.oneBatch)
    for side in ["wrong", "right", "writer"] {
      #expect(record.numbers(side, "articles the list was told of") == [200])
    }
  }

  // MARK: - 34

  @Test func scenario34WhatCancelForgetsIsWrittenByTheNextSave() throws {
    let record = try ScenarioRun.of(AFormYouCanThrowAway.self, sides: ["wrong"], ["forms": 20])
    #expect(record.outcomes("wrong") == ["LEAKED"])
    #expect(record.numbers("wrong", "Cancels that left unsaved edits") == [20])
    #expect(record.numbers("wrong", "categories of cancelled forms") == [20])
  }

  @Test func scenario34ARollbackDropsWhatAnotherFormHasEdited() throws {
    let record = try ScenarioRun.of(AFormYouCanThrowAway.self, sides: ["rollback"], ["forms": 20])
    #expect(record.outcomes("rollback").isSubset(of: ["LEAKED", "LOST"]))
    // Two autosaves write what comes before them.
    let kept = try #require(record.numbers("rollback", "edits of the other form").first)
    #expect(kept <= 2)
  }

  @Test func scenario34AContextThatIsDroppedLeavesNothingAndDropsNothingElse() throws {
    let record = try ScenarioRun.of(
      AFormYouCanThrowAway.self, sides: ["right", "scratch"], ["forms": 20])
    for side in ["right", "scratch"] {
      #expect(record.outcomes(side) == ["CLEAN"])
      #expect(record.numbers(side, "edits of the other form") == [20])
    }
  }

  // MARK: - 35

  @Test func scenario35MainWaitsForAFormWhoseSaveWaitsForMain() throws {
    let trial = try trial(
      of: TheChildWaitsForItsParent.self, "wrong", endingIn: "DEADLOCK", among: ["LUCKY"])
    #expect(trial.ending.kind == .deadlock)
    for words in [
      "(inside queue \"form\") waits for queue \"main\"", "main waits for queue \"form\"",
    ] {
      #expect(trial.ending.detail.contains(words), "\(trial.ending.detail)")
    }
  }

  @Test func scenario35ASaveInsidePerformAndWaitWaitsForOneThatIsQueued() throws {
    let trial = try trial(
      of: TheChildWaitsForItsParent.self, "queued", endingIn: "DEADLOCK", among: ["LUCKY"])
    #expect(trial.ending.kind == .deadlock)
    #expect(
      trial.ending.detail.contains("main waits for queue \"form\""), "\(trial.ending.detail)")
  }

  @Test func scenario35EveryNoteIsOnTheScreenIfMainAwaitsOrDoesAllTheWork() throws {
    let record = try ScenarioRun.of(
      TheChildWaitsForItsParent.self, repeats: 3, sides: ["right", "inside"], ["notes": 30])
    #expect(record.outcomes("right") == ["SAVED"])
    #expect(record.outcomes("inside") == ["ON MAIN"])
    for side in ["right", "inside"] {
      #expect(record.numbers(side, "notes on the screen") == [30, 30, 30], "\(side)")
      #expect(record.numbers(side, "commits") == [0, 0, 0], "\(side)")
    }
  }
}
