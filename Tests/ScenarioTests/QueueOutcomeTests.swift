import PlaygroundKit
import Scenarios
import Testing

/// The outcomes of the scenarios that use a context, an object or the screen from the wrong queue,
/// from run records.
@Suite struct QueueOutcomeTests {
  // MARK: - 02

  @Test func scenario02IncrementsOffTheQueueAreReportedOneByOne() throws {
    let record = try ScenarioRun.of(
      WritingFromTheWrongQueue.self, sides: ["checked"], ["increments": 20])
    #expect(record.outcomes("checked") == ["NAMED"])
    // Each of 80 increments is a read and a write.
    #expect(record.numbers("checked", "violations") == [160])
  }

  @Test func scenario02TwoBlocksLoseIncrementsWithoutAViolation() throws {
    var outcomes: Set<String> = []
    // Each run has thousands of chances; that twenty runs take none does not happen.
    for seed in UInt64(1)...20 where !outcomes.contains("LOST") {
      let record = try ScenarioRun.of(
        WritingFromTheWrongQueue.self, sides: ["split"], seed: seed, ["increments": 2_000])
      outcomes.formUnion(record.outcomes("split"))
      #expect(record.numbers("split", "violations") == [0])
    }
    #expect(outcomes.contains("LOST") && outcomes.isSubset(of: ["LOST", "LUCKY"]))
  }

  @Test func scenario02OneBlockLosesNothing() throws {
    let record = try ScenarioRun.of(WritingFromTheWrongQueue.self, repeats: 2, sides: ["right"])
    #expect(record.outcomes("right") == ["COUNTED"])
    #expect(record.numbers("right", "lost") == [0, 0])
  }

  // MARK: - 03

  @Test func scenario03ASaveMeetsAnArticleThatMainHasNotFilledYet() throws {
    let record = try ScenarioRun.of(
      CreatingOutsidePerform.self, repeats: 3, sides: ["wrong"], ["articles": 50])
    let allowed: Set = ["LUCKY", "HALF FILLED", "LOST", "SAVE FAILED", "CRASHED"]
    #expect(record.outcomes("wrong").isSubset(of: allowed))
  }

  @Test func scenario03TheCheckerNamesTheInitialiser() throws {
    let record = try ScenarioRun.of(
      CreatingOutsidePerform.self, sides: ["checked"], ["articles": 1])
    #expect(record.outcomes("checked") == ["NAMED"])
    #expect(record.texts("checked", "first report") == ["insert into context"])
  }

  @Test func scenario03OneBlockForEachArticleStoresAllOfThemWhole() throws {
    let record = try ScenarioRun.of(
      CreatingOutsidePerform.self, repeats: 2, sides: ["right"], ["articles": 50])
    #expect(record.outcomes("right") == ["WHOLE"])
    #expect(record.numbers("right", "in the file in the end") == [50, 50])
  }

  // MARK: - 04

  @Test func scenario04ASaveOnAGlobalQueueIsLuckyOrStoresHalfOfAnEdit() throws {
    let record = try ScenarioRun.of(
      SavingTheViewContext.self, repeats: 3, sides: ["wrong"], ["articles": 50])
    let allowed: Set = ["LUCKY", "HALF SAVED", "EDIT LOST", "CRASHED"]
    #expect(record.outcomes("wrong").isSubset(of: allowed))
    #expect(record.numbers("wrong", "violations").allSatisfy { $0 == 0 })
  }

  @Test func scenario04ASaveInTheContextsQueueStoresEachEditWhole() throws {
    let record = try ScenarioRun.of(
      SavingTheViewContext.self, repeats: 2, sides: ["right", "waits"], ["articles": 50])
    for side in ["right", "waits"] {
      #expect(record.outcomes(side) == ["WHOLE"], "\(side)")
      #expect(record.numbers(side, "stored by half") == [0, 0], "\(side)")
      #expect(record.numbers(side, "in the file in the end") == [50, 50], "\(side)")
    }
  }

  // MARK: - 05

  @Test func scenario05ACapturedObjectStaysAliveAndMaySendADraft() throws {
    let record = try ScenarioRun.of(
      TheIDThroughAClosure.self, sides: ["wrong", "hop"], ["articles": 50])
    for side in ["wrong", "hop"] {
      let outcomes = record.outcomes(side)
      #expect(outcomes.isSubset(of: ["DRAFT SENT", "LUCKY", "CRASHED"]), "\(side)")
      #expect(record.numbers(side, "violations") == [0], "\(side)")
      if outcomes.contains("CRASHED") { continue }
      #expect(record.numbers(side, "articles kept by the outbox") == [50], "\(side)")
    }
  }

  @Test func scenario05TheCheckerReportsEachReadOfACapturedObject() throws {
    let record = try ScenarioRun.of(
      TheIDThroughAClosure.self, sides: ["checked"], ["articles": 50])
    #expect(record.outcomes("checked") == ["NAMED"])
    #expect(record.numbers("checked", "violations") == [50])
  }

  @Test func scenario05ACapturedIDKeepsNothingAndSendsWhatIsStored() throws {
    let record = try ScenarioRun.of(
      TheIDThroughAClosure.self, repeats: 2, sides: ["right"], ["articles": 50])
    #expect(record.outcomes("right") == ["STORED"])
    #expect(record.numbers("right", "articles kept by the outbox") == [0, 0])
    #expect(record.numbers("right", "never stored") == [0, 0])
    #expect(record.numbers("right", "violations") == [0, 0])
  }

  // MARK: - 06

  @Test func scenario06AReloadInTheBackgroundIsReportedByTheListAlone() throws {
    let record = try ScenarioRun.of(
      TheScreenFromTheBackground.self, sides: ["wrong"], ["revisions": 2])
    #expect(record.outcomes("wrong").isSubset(of: ["HALF DRAWN", "OFF MAIN"]))
    #expect(record.texts("wrong", "the list reports") == ["reload() called on a background thread"])
    #expect(record.texts("wrong", "Core Data reports") == ["nothing"])
    #expect(record.numbers("wrong", "violations") == [0])
  }

  @Test func scenario06AReloadOnMainWithForeignObjectsIsReportedByCoreDataAlone() throws {
    let record = try ScenarioRun.of(
      TheScreenFromTheBackground.self, sides: ["objects"], ["articles": 100, "revisions": 2])
    #expect(record.outcomes("objects") == ["NAMED"])
    #expect(record.texts("objects", "the list reports") == ["nothing"])
    #expect(record.texts("objects", "Core Data reports") == ["get views off its queue"])
    #expect(record.numbers("objects", "violations") == [200])
  }

  @Test func scenario06ValuesReachTheListWithoutAnyReport() throws {
    let record = try ScenarioRun.of(
      TheScreenFromTheBackground.self, repeats: 2, sides: ["right"], ["revisions": 2])
    #expect(record.outcomes("right") == ["WHOLE"])
    #expect(record.numbers("right", "half drawn") == [0, 0])
    let shown = record.texts("right", "shown in the end")
    #expect(shown == ["1000 × revision 2", "1000 × revision 2"])
  }
}
