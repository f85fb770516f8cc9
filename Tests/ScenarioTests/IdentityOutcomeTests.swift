import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios about ids, objects and rows that are gone, from run records.
@Suite struct IdentityOutcomeTests {
  /// Runs a side in one process after another until a run ends in the expected outcome.
  private func trial(
    of scenario: any Scenario.Type, _ side: String, endingIn outcome: String,
    among others: Set<String> = [], _ parameters: [String: Int] = [:]
  ) throws -> Trial {
    // Most runs do; that forty runs do not does not happen.
    for seed in UInt64(1)...40 {
      let record = try ScenarioRun.of(scenario, sides: [side], seed: seed, parameters)
      let trial = try #require(record.trials(side).first)
      if trial.outcome == outcome { return trial }
      #expect(others.contains(trial.outcome), "\(trial.outcome)")
    }
    throw Complaint(.ourBug, "\(side) never ended in \(outcome)")
  }

  // MARK: - 13

  @Test func scenario13AFaultWhoseRowIsGoneReadsNilAndLeavesADeletionPending() throws {
    let trial = try trial(
      of: ObjectWithOrExistingObject.self, "wrong", endingIn: "BLANK LINE", among: ["IN TIME"])
    func number(_ name: String) -> Int? {
      guard case .number(let number)? = trial.metrics.last(where: { $0.name == name })?.amount
      else { return nil }
      return number
    }
    let blank = try #require(number("without a name"))
    #expect(blank > 0)
    #expect(number("deletions pending in the reader") == blank)
    #expect(number("told that it is gone") == 0)
  }

  @Test func scenario13WithTheFlagOffTheProcessStopsAtTheRead() throws {
    let trial = try trial(
      of: ObjectWithOrExistingObject.self, "flag-off", endingIn: "STOPPED", among: ["IN TIME"])
    #expect(trial.ending.kind == .crashed)
    #expect(
      trial.ending.detail.contains("could not fulfill a fault"), "\(trial.ending.detail)")
  }

  @Test func scenario13ALookupOfAnExistingObjectLeavesNoLineWithoutAName() throws {
    let record = try ScenarioRun.of(
      ObjectWithOrExistingObject.self, repeats: 3, sides: ["right"])
    #expect(record.outcomes("right").isSubset(of: ["TOLD", "IN TIME"]))
    #expect(record.numbers("right", "without a name") == [0, 0, 0])
    #expect(record.numbers("right", "deletions pending in the reader") == [0, 0, 0])
    let named = record.numbers("right", "with a name")
    let told = record.numbers("right", "told that it is gone")
    #expect(zip(named, told).map(+) == [1_000, 1_000, 1_000])
  }

  // MARK: - 14

  @Test func scenario14ATemporaryIdIsNeverFoundAndAPermanentOneOnlyWhenItsRowIsThere() throws {
    let record = try ScenarioRun.of(
      ATemporaryID.self, repeats: 2, sides: ["wrong", "permanent", "child"])
    #expect(record.outcomes("wrong") == ["NOT FOUND"])
    #expect(record.numbers("wrong", "items found") == [0, 0])
    #expect(record.numbers("wrong", "temporary ids") == [100, 100])
    for side in ["permanent", "child"] {
      #expect(record.outcomes(side).isSubset(of: ["NOT FOUND", "LUCKY"]), "\(side)")
      #expect(record.numbers(side, "temporary ids") == [0, 0], "\(side)")
    }
    for side in ["wrong", "permanent", "child"] {
      #expect(record.numbers(side, "rows in the end") == [100, 100], "\(side)")
    }
  }

  @Test func scenario14EveryItemIsFoundByAnIdThatIsReadAfterTheSave() throws {
    let record = try ScenarioRun.of(ATemporaryID.self, repeats: 2, sides: ["right"])
    #expect(record.outcomes("right") == ["FOUND"])
    #expect(record.numbers("right", "items found") == [100, 100])
    #expect(record.numbers("right", "temporary ids") == [0, 0])
  }

  // MARK: - 15

  @Test func scenario15ABoxOfAnObjectCompilesAndItsListIsTorn() throws {
    let trial = try trial(
      of: ValuesInsteadOfObjects.self, "wrong", endingIn: "TORN", among: ["LUCKY"])
    #expect(trial.metrics.contains(Metric("the compiler", "accepts it")))
  }

  @Test func scenario15TheCompilerRefusesAnObjectWhateverItsClassPromises() throws {
    let record = try ScenarioRun.of(ValuesInsteadOfObjects.self, sides: ["class"])
    #expect(record.outcomes("class") == ["REFUSED"])
    let metrics = try #require(record.trials("class").first).metrics
    #expect(
      metrics.contains(
        Metric("the compiler", "refuses it: sending 'article' risks causing data races")))
  }

  @Test func scenario15ACopyIsOfOneRevisionAndTheNextOneIsOfTheNewest() throws {
    let record = try ScenarioRun.of(
      ValuesInsteadOfObjects.self, repeats: 2, sides: ["right", "again"])
    #expect(record.outcomes("right") == ["WHOLE"])
    #expect(record.outcomes("again") == ["WHOLE"])
    #expect(record.numbers("again", "of revision 2") == [1_000, 1_000])
  }

  // MARK: - 16

  @Test func scenario16AnObjectWhoseContextIsGoneStopsTheProcess() throws {
    let trial = try trial(
      of: TheAsyncFetch.self, "wrong", endingIn: "STOPPED", among: ["LUCKY", "MIXED"],
      ["articles": 50])
    #expect(trial.ending.detail.contains("its context is gone"), "\(trial.ending.detail)")
  }

  @Test func scenario16ObjectsThatAreReadOnMainAreChangedMeanwhile() throws {
    let trial = try trial(
      of: TheAsyncFetch.self, "kept", endingIn: "MIXED", among: ["LUCKY"], ["articles": 2_000])
    #expect(trial.grade == .forbidden)
  }

  @Test func scenario16ValuesAndAFetchOnMainAreOfOneRevision() throws {
    let record = try ScenarioRun.of(TheAsyncFetch.self, repeats: 2, sides: ["right", "main"])
    #expect(record.outcomes("right") == ["WHOLE"])
    #expect(record.outcomes("main") == ["WHOLE"])
  }

  // MARK: - 17

  @Test func scenario17AnObjectThatIsHeldBecomesAGhostOrBlankIfItsContextMerges() throws {
    let record = try ScenarioRun.of(DeletedWhileYouHeldIt.self, sides: ["wrong", "merge"])
    #expect(record.outcomes("wrong") == ["GHOST"])
    #expect(record.numbers("wrong", "empty names shown") == [0])
    #expect(record.outcomes("merge").isSubset(of: ["BLANK", "GHOST"]))
  }

  @Test func scenario17AFetchAfterTheWaitShowsNoNameOfADeletedRow() throws {
    let record = try ScenarioRun.of(DeletedWhileYouHeldIt.self, repeats: 2, sides: ["right"])
    #expect(record.outcomes("right").isSubset(of: ["TOLD", "IN TIME"]))
    #expect(record.numbers("right", "names shown without a row") == [0, 0])
    #expect(record.numbers("right", "empty names shown") == [0, 0])
  }

  @Test func scenario17APinnedContextShowsEveryNameAsItWasAtTheOpening() throws {
    let record = try ScenarioRun.of(DeletedWhileYouHeldIt.self, repeats: 2, sides: ["pin"])
    #expect(record.outcomes("pin").isSubset(of: ["PINNED", "IN TIME"]))
    #expect(record.numbers("pin", "told that it is gone") == [0, 0])
  }
}
