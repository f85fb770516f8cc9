import PlaygroundKit
import Scenarios
import XCTest

/// What comes of the scenarios in which two contexts decide on what both have read, from run
/// records.
final class ConflictOutcomeTests: ScenarioCase {
  /// The outcomes of a side that is run, with one seed after another, until one of them is the
  /// expected one.
  private func outcomes(
    of scenario: any Scenario.Type, _ side: String, until outcome: String,
    _ parameters: [String: Int] = [:]
  ) throws -> Set<String> {
    var seen: Set<String> = []
    // Hundreds of chances in each run; twenty runs in which none is taken do not happen.
    for seed in UInt64(1)...20 where !seen.contains(outcome) {
      seen.formUnion(try run(scenario, sides: [side], seed: seed, parameters).outcomes(side))
    }
    return seen
  }

  // MARK: - 27

  func test27UnderEachPolicyThatMergesReadersAreLost() throws {
    for policy in 1...4 {
      let seen = try outcomes(of: TheLostUpdate.self, "wrong", until: "LOST", ["policy": policy])
      XCTAssertTrue(seen.contains("LOST"), "policy \(policy): \(seen)")
      XCTAssertTrue(seen.isSubset(of: ["LOST", "KEPT"]), "policy \(policy): \(seen)")
    }
  }

  func test27WhoIsRefusedAndRedoesItLosesNothing() throws {
    let record = try run(TheLostUpdate.self, repeats: 3, sides: ["right"])
    XCTAssertTrue(record.outcomes("right").isSubset(of: ["KEPT", "REDONE"]))
    XCTAssertEqual(record.numbers("right", "readers counted"), [200, 200, 200])
    // Each refusal is one conflict, and each is answered.
    XCTAssertEqual(record.numbers("right", "counted again"), record.numbers("right", "conflicts"))
  }

  func test27ASingleWriterLosesNothingEitherWay() throws {
    let record = try run(TheLostUpdate.self, ["writers": 1])
    XCTAssertEqual(record.outcomes("wrong"), ["KEPT"])
    XCTAssertEqual(record.outcomes("right"), ["KEPT"])
    XCTAssertEqual(
      record.numbers("wrong", "conflicts") + record.numbers("right", "conflicts"), [0, 0])
  }
}
