import PlaygroundKit
import Scenarios
import XCTest

/// The outcomes of the scenarios in which two contexts decide by what both have read, from run
/// records.
final class ConflictOutcomeTests: ScenarioCase {
  /// The outcomes of a side that runs with one seed after another until the expected one comes.
  private func outcomes(
    of scenario: any Scenario.Type, _ side: String, until outcome: String,
    _ parameters: [String: Int] = [:]
  ) throws -> Set<String> {
    var seen: Set<String> = []
    // Each run has hundreds of chances; that twenty runs take none does not happen.
    for seed in UInt64(1)...20 where !seen.contains(outcome) {
      seen.formUnion(try run(scenario, sides: [side], seed: seed, parameters).outcomes(side))
    }
    return seen
  }

  // MARK: - 27

  func test27UnderEachPolicyThatMergesIncrementsAreLost() throws {
    for policy in 1...4 {
      let seen = try outcomes(of: TheLostUpdate.self, "wrong", until: "LOST", ["policy": policy])
      XCTAssertTrue(seen.contains("LOST"), "policy \(policy): \(seen)")
      XCTAssertTrue(seen.isSubset(of: ["LOST", "KEPT"]), "policy \(policy): \(seen)")
    }
  }

  func test27AWriterThatRetriesAfterARefusalLosesNothing() throws {
    let record = try run(TheLostUpdate.self, repeats: 3, sides: ["right"])
    XCTAssertTrue(record.outcomes("right").isSubset(of: ["KEPT", "REDONE"]))
    XCTAssertEqual(record.numbers("right", "increments stored"), [200, 200, 200])
    // Each refusal is one conflict, and each is followed by a retry.
    XCTAssertEqual(record.numbers("right", "retries"), record.numbers("right", "conflicts"))
  }

  func test27ASingleWriterLosesNothingEitherWay() throws {
    let record = try run(TheLostUpdate.self, ["writers": 1])
    XCTAssertEqual(record.outcomes("wrong"), ["KEPT"])
    XCTAssertEqual(record.outcomes("right"), ["KEPT"])
    XCTAssertEqual(
      record.numbers("wrong", "conflicts") + record.numbers("right", "conflicts"), [0, 0])
  }

  // MARK: - 28

  func test28PagesBecomeEmptyWithoutASingleConflict() throws {
    let seen = try outcomes(of: WriteSkew.self, "wrong", until: "BOTH OFF")
    XCTAssertTrue(seen.contains("BOTH OFF"), "\(seen)")
    XCTAssertTrue(seen.isSubset(of: ["BOTH OFF", "ONE LEFT"]), "\(seen)")
    let record = try run(WriteSkew.self, sides: ["wrong"])
    XCTAssertEqual(record.numbers("wrong", "conflicts"), [0])
  }

  func test28OneArticleStaysOnEveryPageIfWhatWasReadIsCheckedOrAWrittenRowIsShared() throws {
    let record = try run(WriteSkew.self, repeats: 3, sides: ["right", "touch"], ["pages": 300])
    for side in ["right", "touch"] {
      XCTAssertTrue(record.outcomes(side).isSubset(of: ["ONE LEFT", "LOOKED AGAIN"]), side)
      XCTAssertEqual(record.numbers(side, "with one article"), [300, 300, 300], side)
      XCTAssertEqual(record.numbers(side, "retries"), record.numbers(side, "conflicts"), side)
    }
  }

  // MARK: - 29

  func test29TwoContextsThatLookFirstMakeDuplicates() throws {
    let seen = try outcomes(of: FindOrCreateRaces.self, "wrong", until: "DUPLICATE")
    XCTAssertTrue(seen.contains("DUPLICATE"), "\(seen)")
    XCTAssertTrue(seen.isSubset(of: ["DUPLICATE", "ONE"]), "\(seen)")
  }

  func test29OneContextOrAConstraintLeavesARowForEachName() throws {
    let record = try run(
      FindOrCreateRaces.self, repeats: 3, sides: ["right", "constraint"], ["names": 200])
    for side in ["right", "constraint"] {
      XCTAssertEqual(record.outcomes(side), ["ONE"], side)
      XCTAssertEqual(record.numbers(side, "rows"), [200, 200, 200], side)
    }
    XCTAssertEqual(record.numbers("right", "conflicts"), [0, 0, 0])
  }
}
