import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios in which one context learns what another has saved, from run
/// records.
@Suite struct MergingOutcomeTests {
  // MARK: - 18

  @Test func scenario18AListThatIsNotToldKeepsTheRowsAndValuesOfBefore() throws {
    let record = try ScenarioRun.of(
      TheSaveThatWasNotHeard.self, sides: ["wrong"], ["articles": 50, "changes": 10])
    #expect(record.outcomes("wrong") == ["BEHIND"])
    #expect(Self.rows(record, "wrong") == [0, 0, 10])
  }

  @Test func scenario18AnotherFetchBringsNewRowsAndKeepsOldValues() throws {
    let record = try ScenarioRun.of(
      TheSaveThatWasNotHeard.self, sides: ["fetch"], ["articles": 50, "changes": 10])
    #expect(record.outcomes("fetch") == ["MIXED"])
    #expect(Self.rows(record, "fetch") == [0, 10, 0])
  }

  @Test func scenario18AMergeReadsWhatHasChangedAndARefreshReadsEverything() throws {
    let record = try ScenarioRun.of(
      TheSaveThatWasNotHeard.self, sides: ["refresh", "right"], ["articles": 50, "changes": 10])
    for side in ["refresh", "right"] {
      #expect(record.outcomes(side) == ["CURRENT"], "\(side)")
      #expect(Self.rows(record, side) == [10, 10, 0], "\(side)")
    }
    let faults = ["refresh", "right"].flatMap { record.numbers($0, "faults fired") }
    #expect(faults[0] >= faults[1] + 50, "\(faults)")
  }

  /// The changed rows that are current, the new rows and the deleted ones of a side's list.
  private static func rows(_ record: RunRecord, _ side: String) -> [Int] {
    ["changed, with the new value", "added", "deleted"].flatMap { record.numbers(side, $0) }
  }

  // MARK: - 19

  @Test func scenario19AMergeInTheCallbackOrOnMainIsOffTheQueueOfAPrivateContext() throws {
    let record = try ScenarioRun.of(MergingOnTheWrongQueue.self, sides: ["wrong", "main"])
    for side in ["wrong", "main"] {
      #expect(record.outcomes(side) == ["OFF QUEUE"], "\(side)")
    }
  }

  @Test func scenario19AMergeEnqueuedOnTheReceiversQueueIsRightForBothContexts() throws {
    let record = try ScenarioRun.of(MergingOnTheWrongQueue.self, repeats: 3, sides: ["right"])
    #expect(record.outcomes("right") == ["MERGED"])
    #expect(record.numbers("right", "violations").allSatisfy { $0 == 0 })
  }

  // MARK: - 20

  @Test func scenario20AFlagAndAnObserverTogetherMergeEachSaveTwice() throws {
    let record = try ScenarioRun.of(
      AutomaticMergingAndMergingTwice.self, repeats: 2, ["articles": 50])
    #expect(record.outcomes("wrong") == ["TWICE"])
    #expect(record.numbers("wrong", "merges into the screen") == [6, 6])
    #expect(record.numbers("wrong", "rows redrawn") == [300, 300])
    for side in ["right", "observer"] {
      #expect(record.outcomes(side) == ["ONCE"], "\(side)")
      #expect(record.numbers(side, "merges into the screen") == [3, 3], "\(side)")
      #expect(record.numbers(side, "rows redrawn") == [150, 150], "\(side)")
    }
  }

  @Test func scenario20WithoutAMergeTheScreenKeepsWhatItHasRead() throws {
    let record = try ScenarioRun.of(
      AutomaticMergingAndMergingTwice.self, sides: ["neither"], ["articles": 50])
    #expect(record.outcomes("neither") == ["STALE"])
    #expect(record.numbers("neither", "rows current at the end") == [0])
  }

  // MARK: - 22

  @Test func scenario22AnObserverThatStaysMergesTheSavesOfAllLaterImports() throws {
    let record = try ScenarioRun.of(
      TheObserverThatNeverLeaves.self, sides: ["wrong"], ["articles": 2, "imports": 10])
    #expect(record.outcomes("wrong") == ["PILED UP"])
    #expect(record.numbers("wrong", "of the last save") == [10])
    #expect(record.numbers("wrong", "of all saves") == [55])
    #expect(record.numbers("wrong", "finished imports in memory") == [10])
  }

  @Test func scenario22WithAContextEachTheSavesAreMergedOnceAndTheImportsStay() throws {
    let record = try ScenarioRun.of(
      TheObserverThatNeverLeaves.self, sides: ["own"], ["articles": 2, "imports": 10])
    #expect(record.outcomes("own") == ["LEFT BEHIND"])
    #expect(record.numbers("own", "of all saves") == [10])
    #expect(record.numbers("own", "finished imports in memory") == [10])
  }

  @Test func scenario22AnObserverRemovedInTimeMergesItsOwnSaveOnly() throws {
    let record = try ScenarioRun.of(
      TheObserverThatNeverLeaves.self, repeats: 2, sides: ["right", "owner"],
      ["articles": 2, "imports": 10])
    for side in ["right", "owner"] {
      #expect(record.outcomes(side) == ["ONCE"], "\(side)")
      #expect(record.numbers(side, "of all saves") == [10, 10], "\(side)")
      #expect(record.numbers(side, "finished imports in memory") == [0, 0], "\(side)")
    }
  }

  // MARK: - 23

  @Test func scenario23AMergeUnderAnEditLeavesNoConflictToFind() throws {
    var seen: Set<String> = []
    for seed in UInt64(1)...20 where !seen.contains("MIXED") {
      seen.formUnion(
        try ScenarioRun.of(MergingWhileEditing.self, sides: ["wrong"], seed: seed)
          .outcomes("wrong"))
    }
    #expect(seen.contains("MIXED"), "\(seen)")
  }

  @Test func scenario23AFormThatDoesNotMergeOrComparesStoresHeadlinesThatFit() throws {
    let record = try ScenarioRun.of(
      MergingWhileEditing.self, repeats: 3, sides: ["right", "compare"])
    for side in ["right", "compare"] {
      #expect(record.outcomes(side).isSubset(of: ["FITTING", "REWRITTEN"]), "\(side)")
      #expect(record.numbers(side, "headlines that fit") == [100, 100, 100], "\(side)")
    }
  }

  // MARK: - 24

  @Test func scenario24ABatchDeleteAloneLeavesItsObjectsInContextsThatMergeAutomatically() throws {
    let record = try ScenarioRun.of(
      TheBatchDeleteThatLeavesGhosts.self, sides: ["wrong"], ["articles": 100])
    #expect(record.outcomes("wrong") == ["GHOSTS"])
    #expect(record.numbers("wrong", "on the screen") == [50])
    #expect(record.numbers("wrong", "in the index") == [50])
    #expect(record.texts("wrong", "a save of such an object") == ["fails with 133020"])
  }

  @Test func scenario24MergedIdsAndDeletedObjectsLeaveNoContextWithAnObjectWithoutARow() throws {
    let record = try ScenarioRun.of(
      TheBatchDeleteThatLeavesGhosts.self, repeats: 2, sides: ["right", "objects"],
      ["articles": 100])
    for side in ["right", "objects"] {
      #expect(record.outcomes(side) == ["GONE"], "\(side)")
      #expect(record.numbers(side, "rows in the file") == [50, 50], "\(side)")
    }
  }
}
