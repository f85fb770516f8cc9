import PlaygroundKit
import Scenarios
import XCTest

/// The outcomes of the scenarios whose threads may wait for each other, from run records.
final class WaitingOutcomeTests: ScenarioCase {
  /// Runs a side in one process after another until a run ends in the expected outcome.
  ///
  /// About one run in two does; a hundred runs without one do not happen.
  private func trial(
    of scenario: any Scenario.Type, _ side: String, endingIn outcome: String,
    among others: Set<String>, _ parameters: [String: Int] = [:]
  ) throws -> Trial {
    for seed in UInt64(1)...100 {
      let record = try run(scenario, sides: [side], seed: seed, parameters)
      let trial = try XCTUnwrap(record.trials(side).first)
      if trial.outcome == outcome { return trial }
      XCTAssertTrue(others.contains(trial.outcome), trial.outcome)
    }
    XCTFail("\(side) never ended in \(outcome)")
    throw XCTSkip()
  }

  // MARK: - 09

  func test09TwoBlocksThatWaitForEachOthersQueueNameTheCycle() throws {
    let trial = try trial(
      of: TwoQueuesWaiting.self, "wrong", endingIn: "DEADLOCK", among: ["LUCKY"])
    XCTAssertEqual(trial.ending.kind, .deadlock)
    for words in ["(inside queue \"shelves\") waits for queue \"articles\"", "queue \"shelves\""] {
      XCTAssertTrue(trial.ending.detail.contains(words), trial.ending.detail)
    }
    XCTAssertEqual(trial.grade, .forbidden)
    XCTAssertFalse(
      trial.metrics.contains { $0.name == "time blocked on a queue" }, "the wait has no end yet")
  }

  func test09MainNeverContinuesIfItWaitsForABlockThatWaitsForMain() throws {
    let record = try run(TwoQueuesWaiting.self, repeats: 3, sides: ["main"])
    XCTAssertEqual(record.outcomes("main"), ["DEADLOCK"])
    for trial in record.trials("main") {
      XCTAssertTrue(
        trial.ending.detail.contains("main waits for queue \"articles\""), trial.ending.detail)
      XCTAssertEqual(
        trial.marks.map(\.code), ["articles.performAndWait { articles.reset() }"])
    }
  }

  func test09BlocksThatHoldNoQueueWhileTheyAskAlwaysWriteBothLines() throws {
    let record = try run(TwoQueuesWaiting.self, repeats: 2, sides: ["right"])
    XCTAssertEqual(record.outcomes("right"), ["WRITTEN"])
    XCTAssertEqual(Set(record.texts("right", "the article's line")), ["Waiting, on Queues"])
    XCTAssertEqual(Set(record.texts("right", "the shelf's line")), ["Queues, with Waiting"])
  }

  // MARK: - 35

  func test35MainWaitsForAFormWhoseSaveWaitsForMain() throws {
    let trial = try trial(
      of: TheChildWaitsForItsParent.self, "wrong", endingIn: "DEADLOCK", among: ["LUCKY"])
    XCTAssertEqual(trial.ending.kind, .deadlock)
    for words in [
      "(inside queue \"form\") waits for queue \"main\"", "main waits for queue \"form\"",
    ] {
      XCTAssertTrue(trial.ending.detail.contains(words), trial.ending.detail)
    }
  }

  func test35EveryNoteIsOnTheScreenIfMainAwaitsOrDoesAllTheWork() throws {
    let record = try run(
      TheChildWaitsForItsParent.self, repeats: 3, sides: ["right", "inside"], ["notes": 30])
    XCTAssertEqual(record.outcomes("right"), ["SAVED"])
    XCTAssertEqual(record.outcomes("inside"), ["ON MAIN"])
    for side in ["right", "inside"] {
      XCTAssertEqual(record.numbers(side, "notes on the screen"), [30, 30, 30], side)
      XCTAssertEqual(record.numbers(side, "commits"), [0, 0, 0], side)
    }
  }
}
