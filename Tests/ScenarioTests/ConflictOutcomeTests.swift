import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios in which two contexts decide by what both have read, from run
/// records.
@Suite struct ConflictOutcomeTests {
  /// The outcomes of a side that runs with one seed after another until the expected one comes.
  private func outcomes(
    of scenario: any Scenario.Type, _ side: String, until outcome: String,
    _ parameters: [String: Int] = [:]
  ) throws -> Set<String> {
    var seen: Set<String> = []
    // Each run has hundreds of chances; that twenty runs take none does not happen.
    for seed in UInt64(1)...20 where !seen.contains(outcome) {
      seen.formUnion(
        try ScenarioRun.of(scenario, sides: [side], seed: seed, parameters).outcomes(side))
    }
    return seen
  }

  // MARK: - 25

  @Test func scenario25ADroppedErrorLeavesEachRefusedEditInItsFormOnly() throws {
    let seen = try outcomes(of: TheDefaultPolicySaysNo.self, "wrong", until: "IGNORED")
    #expect(seen.contains("IGNORED"), "\(seen)")
    #expect(seen.isSubset(of: ["IGNORED", "LUCKY"]), "\(seen)")
    let record = try ScenarioRun.of(TheDefaultPolicySaysNo.self, repeats: 2, sides: ["wrong"])
    // Each conflict is one refused save, whose edit is pending and not in the file.
    let conflicts = record.numbers("wrong", "conflicts")
    #expect(record.numbers("wrong", "edits left in a form") == conflicts)
    #expect(record.numbers("wrong", "edits stored") == conflicts.map { 200 - $0 })
  }

  @Test func scenario25AFormThatReadsTheListAndSavesAgainLosesNoEdit() throws {
    let record = try ScenarioRun.of(TheDefaultPolicySaysNo.self, repeats: 3, sides: ["right"])
    #expect(record.outcomes("right").isSubset(of: ["KEPT", "RETRIED"]))
    #expect(record.numbers("right", "edits stored") == [200, 200, 200])
    #expect(record.numbers("right", "edits left in a form") == [0, 0, 0])
    #expect(
      record.numbers("right", "refusals seen by the code") == record.numbers("right", "conflicts"))
  }

  // MARK: - 27

  @Test func scenario27UnderEachPolicyThatMergesIncrementsAreLost() throws {
    for policy in 1...4 {
      let seen = try outcomes(of: TheLostUpdate.self, "wrong", until: "LOST", ["policy": policy])
      #expect(seen.contains("LOST"), "policy \(policy): \(seen)")
      #expect(seen.isSubset(of: ["LOST", "KEPT"]), "policy \(policy): \(seen)")
    }
  }

  @Test func scenario27AWriterThatRetriesAfterARefusalLosesNothing() throws {
    let record = try ScenarioRun.of(TheLostUpdate.self, repeats: 3, sides: ["right"])
    #expect(record.outcomes("right").isSubset(of: ["KEPT", "REDONE"]))
    #expect(record.numbers("right", "increments stored") == [200, 200, 200])
    // Each refusal is one conflict, and each is followed by a retry.
    #expect(record.numbers("right", "retries") == record.numbers("right", "conflicts"))
  }

  @Test func scenario27APolicyThatAddsAndAStoreThatAddsLoseNothingAndRefuseNoSave() throws {
    let record = try ScenarioRun.of(TheLostUpdate.self, repeats: 3, sides: ["adds", "store"])
    for side in ["adds", "store"] {
      #expect(record.outcomes(side) == ["KEPT"], "\(side)")
      #expect(record.numbers(side, "increments stored") == [200, 200, 200], "\(side)")
      #expect(record.numbers(side, "retries") == [0, 0, 0], "\(side)")
    }
    // The policy resolves each conflict; the store adds in a statement, which knows of none.
    #expect(record.numbers("adds", "conflicts").contains { $0 > 0 })
    #expect(record.numbers("store", "conflicts") == [0, 0, 0])
  }

  @Test func scenario27ASingleWriterLosesNothingEitherWay() throws {
    let record = try ScenarioRun.of(TheLostUpdate.self, ["writers": 1])
    for side in ["wrong", "right", "adds", "store"] {
      #expect(record.outcomes(side) == ["KEPT"], "\(side)")
      #expect(record.numbers(side, "conflicts") == [0], "\(side)")
    }
  }

  // MARK: - 28

  @Test func scenario28PagesBecomeEmptyWithoutASingleConflict() throws {
    let seen = try outcomes(of: WriteSkew.self, "wrong", until: "BOTH OFF")
    #expect(seen.contains("BOTH OFF"), "\(seen)")
    #expect(seen.isSubset(of: ["BOTH OFF", "ONE LEFT"]), "\(seen)")
    let record = try ScenarioRun.of(WriteSkew.self, sides: ["wrong"])
    #expect(record.numbers("wrong", "conflicts") == [0])
  }

  @Test func scenario28OneArticleStaysOnEveryPageIfWhatWasReadIsCheckedOrAWrittenRowIsShared()
    throws
  {
    let record = try ScenarioRun.of(
      WriteSkew.self, repeats: 3, sides: ["right", "touch"], ["pages": 300])
    for side in ["right", "touch"] {
      #expect(record.outcomes(side).isSubset(of: ["ONE LEFT", "LOOKED AGAIN"]), "\(side)")
      #expect(record.numbers(side, "with one article") == [300, 300, 300], "\(side)")
      #expect(record.numbers(side, "retries") == record.numbers(side, "conflicts"), "\(side)")
    }
  }

  // MARK: - 29

  @Test func scenario29TwoContextsThatLookFirstMakeDuplicates() throws {
    let seen = try outcomes(of: FindOrCreateRaces.self, "wrong", until: "DUPLICATE")
    #expect(seen.contains("DUPLICATE"), "\(seen)")
    #expect(seen.isSubset(of: ["DUPLICATE", "ONE"]), "\(seen)")
  }

  @Test func scenario29OneContextOrAConstraintLeavesARowForEachName() throws {
    let record = try ScenarioRun.of(
      FindOrCreateRaces.self, repeats: 3, sides: ["right", "constraint"], ["names": 200])
    for side in ["right", "constraint"] {
      #expect(record.outcomes(side) == ["ONE"], "\(side)")
      #expect(record.numbers(side, "rows") == [200, 200, 200], "\(side)")
    }
    #expect(record.numbers("right", "conflicts") == [0, 0, 0])
  }

  // MARK: - 30

  @Test func scenario30OneRefusedEditFailsEveryLaterSaveAndARollbackDropsOtherEdits() throws {
    let forms = ["forms": 10]
    let record = try ScenarioRun.of(OneFailedSave.self, sides: ["wrong", "rollback"], forms)
    #expect(record.outcomes("wrong") == ["POISONED"])
    // The first form has the only conflict, and its save comes first.
    #expect(record.numbers("wrong", "failed") == [20])
    #expect(record.numbers("wrong", "failed for another form") == [19])
    #expect(record.numbers("wrong", "left pending") == [20])
    #expect(record.numbers("wrong", "stored without a conflict") == [0])
    #expect(record.outcomes("rollback") == ["DROPPED"])
    #expect(record.numbers("rollback", "left pending") == [0])
    #expect(record.numbers("rollback", "lost, though Done succeeded").allSatisfy { $0 > 0 })
  }

  @Test func scenario30WhatTheErrorNamesIsTakenBackOrWaitsInAContextOfItsOwn() throws {
    let record = try ScenarioRun.of(OneFailedSave.self, sides: ["right", "own"])
    for side in ["right", "own"] {
      #expect(record.outcomes(side) == ["RETURNED"], "\(side)")
      #expect(record.numbers(side, "failed") == [5], "\(side)")
      #expect(record.numbers(side, "failed for another form") == [0], "\(side)")
      #expect(record.numbers(side, "stored without a conflict") == [95], "\(side)")
    }
    #expect(record.numbers("right", "left pending") == [0])
    #expect(record.numbers("own", "left pending") == [5])
  }
}
