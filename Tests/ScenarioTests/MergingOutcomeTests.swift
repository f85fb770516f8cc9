import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios in which one context learns what another has saved, from run
/// records.
@Suite struct MergingOutcomeTests {
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
}
