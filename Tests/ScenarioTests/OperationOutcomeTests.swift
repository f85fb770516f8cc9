import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios of operations, from run records.
@Suite struct OperationOutcomeTests {
  private let small = ["batches": 12, "rows": 20, "after": 3]

  // MARK: - 45

  @Test func scenario45AnOperationWhoseMainHasReturnedIsNotStopped() throws {
    let record = try ScenarioRun.of(AnOperationYouCanStop.self, sides: ["wrong"], small)
    #expect(record.outcomes("wrong") == ["WENT ON"])
    #expect(record.numbers("wrong", "in the file in the end") == [240])
    #expect(record.numbers("wrong", "completion called") == [1])
    #expect(record.numbers("wrong", "in the file at its last call") == [0])
  }

  @Test func scenario45AskingBetweenBatchesSavesWholeBatchesAndReportsOnce() throws {
    let record = try ScenarioRun.of(
      AnOperationYouCanStop.self, repeats: 2, sides: ["right", "undo"], small)
    for side in ["right", "undo"] {
      // On a busy machine the cancel may come after the last batch.
      #expect(record.outcomes(side).isSubset(of: ["STOPPED", "COMPLETE"]))
      #expect(record.numbers(side, "of a part of a batch") == [0, 0])
      #expect(record.numbers(side, "completion called") == [1, 1])
      let last = record.numbers(side, "in the file at its last call")
      #expect(last == record.numbers(side, "in the file in the end"))
    }
  }

  @Test func scenario45AnOperationThatIsNotCancelledInTimeIsComplete() throws {
    let all = ["batches": 3, "rows": 5, "after": 3]
    let record = try ScenarioRun.of(AnOperationYouCanStop.self, all)
    for side in ["wrong", "each", "right", "undo"] {
      #expect(record.numbers(side, "in the file in the end") == [15], "\(side)")
    }
    #expect(record.outcomes("right") == ["COMPLETE"])
    #expect(record.outcomes("undo") == ["COMPLETE"])
  }
}
