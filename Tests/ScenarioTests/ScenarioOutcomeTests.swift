import PlaygroundKit
import Scenarios
import Testing

/// The outcomes and counts of each scenario, from run records; never times.
@Suite struct ScenarioOutcomeTests {
  // MARK: - 01

  @Test func scenario01TheRightSideReadsWhatTheFileHasAtEveryMoment() throws {
    let record = try ScenarioRun.of(ReadingSomeoneElsesObject.self, repeats: 20, sides: ["right"])
    #expect(record.outcomes("right") == ["CURRENT"])
    #expect(Set(record.numbers("right", "of revision 2")) == [400])
    #expect(Set(record.numbers("right", "violations")) == [0])
  }

  @Test func scenario01TheCheckerReportsEveryWrongReadWithObjectAndQueues() throws {
    let record = try ScenarioRun.of(
      ReadingSomeoneElsesObject.self, repeats: 2, sides: ["checked"], ["articles": 50])
    #expect(record.outcomes("checked") == ["NAMED"])
    // Three properties of each article.
    #expect(record.numbers("checked", "violations") == [150, 150])
    let report = try #require(record.trials("checked").first?.violations.first)
    #expect(report.operation == "get name")
    #expect(report.object.contains("/Article/p"), "\(report.object)")
    #expect(report.ownerQueue.contains("main"), "\(report.ownerQueue)")
    #expect(!report.callerQueue.contains("main"), "\(report.callerQueue)")
    #expect(!report.fix.isEmpty)
  }

  @Test func scenario01TheWrongSideSoonerOrLaterReadsWhatTheFileDoesNotHave() throws {
    var seen: Set<String> = []
    // About one run in two goes wrong; two hundred lucky runs in a row do not happen.
    for batch in 0..<10 where seen.isDisjoint(with: ["STALE", "TORN", "CRASHED"]) {
      let record = try ScenarioRun.of(
        ReadingSomeoneElsesObject.self, repeats: 20, sides: ["wrong"], seed: UInt64(batch * 20 + 1))
      seen.formUnion(record.outcomes("wrong"))
    }
    #expect(!seen.isDisjoint(with: ["STALE", "TORN", "CRASHED"]), "only saw \(seen)")
    #expect(seen.isSubset(of: ["STALE", "TORN", "CRASHED", "LUCKY"]), "saw \(seen)")
  }

  // MARK: - 08

  @Test func scenario08BothSidesDoTheSameWorkButMainStandsStillOnTheWrongOne() throws {
    let record = try ScenarioRun.of(PerformAndWaitOnMain.self, repeats: 2)
    #expect(record.outcomes("wrong") == ["STALL"])
    #expect(record.outcomes("right").isSubset(of: ["SMOOTH", "HICCUP"]))
    for figure in ["rows stored", "statements", "commits", "peak live objects"] {
      let both = Set(record.numbers("wrong", figure) + record.numbers("right", figure))
      #expect(both.count == 1, "\(figure): \(both)")
    }
    #expect(record.numbers("right", "rows stored") == [20_000, 20_000])
    #expect(record.numbers("right", "commits") == [1, 1])
  }

  @Test func scenario08TheMarkPointsAtTheLineThatWaits() throws {
    let record = try ScenarioRun.of(PerformAndWaitOnMain.self, sides: ["wrong"], ["rows": 10])
    let mark = try #require(record.trials("wrong").first?.marks.first)
    #expect(mark.file == "PerformAndWaitOnMain.swift")
    #expect(mark.code == "try bg.performAndWait {")
  }

  // MARK: - 21

  @Test func scenario21AContextMergesOnlyWhatItsOwnCoordinatorSaves() throws {
    let record = try ScenarioRun.of(TwoContainers.self, ["imports": 2])
    #expect(record.outcomes("wrong") == ["STALE"])
    #expect(record.outcomes("unloaded") == ["STOPPED"])
    #expect(record.outcomes("observer") == ["SHOWN"])
    #expect(record.outcomes("right") == ["SHOWN"])
    let moments = ["when the imports are done", "after another fetch", "after the next launch"]
    #expect(moments.flatMap { record.numbers("wrong", $0) } == [0, 0, 2])
    #expect(record.texts("wrong", "the screen's next save") == ["refused, 133020"])
    #expect(record.numbers("observer", "coordinators") == [3])
    #expect(record.numbers("right", "coordinators") == [1])
  }

  // MARK: - 26

  @Test func scenario26EachPolicyLeavesItsOwnRowAndOnlyOneTellsTheSecondSaver() throws {
    let record = try ScenarioRun.of(FivePolicies.self)
    let rows = record.sides.map { side in
      ["name", "content", "views", "second saver told", "name, content, views", "unsaved"].map {
        record.texts(side.name, $0).first ?? "nothing noted"
      }
    }
    #expect(record.sides.map(\.name) == Self.policies)
    #expect(
      rows == [
        [
          "first", "first", "0", "133020, 1 conflict: version 1 read, 2 found",
          "second, old, 2", "name, views",
        ],
        ["first", "first", "2", "nothing", "first, first, 2", "nothing"],
        ["second", "first", "2", "nothing", "second, first, 2", "nothing"],
        ["second", "old", "2", "nothing", "second, old, 2", "nothing"],
        ["first", "first", "0", "nothing", "first, first, 0", "nothing"],
      ])
    #expect(
      Self.policies.map { record.outcomes($0) } == [
        ["REFUSED"], ["STORE WINS"], ["OBJECT WINS"], ["OVERWRITTEN"], ["ROLLED BACK"],
      ])
    #expect(Self.policies.flatMap { record.numbers($0, "conflicts") } == [1, 1, 1, 1, 1])
  }

  private static let policies = ["error", "storeTrump", "objectTrump", "overwrite", "rollback"]

  // MARK: - 31

  @Test func scenario31AKillShowsThatOnlyTheRootsSaveReachesTheFile() throws {
    let record = try ScenarioRun.of(ChildSaveNotOnDisk.self, ["rows": 7])
    #expect(record.outcomes("wrong") == ["LOST"])
    #expect(record.outcomes("right") == ["STORED"])
    for side in ["wrong", "right"] {
      #expect(record.trials(side).map(\.ending.kind) == [.killed])
      #expect(record.numbers(side, "on the screen", in: "form saved") == [7])
      #expect(record.numbers(side, "in the store", in: "form saved") == [0])
    }
    #expect(record.numbers("right", "in the store", in: "view context saved") == [7])
    #expect(record.numbers("wrong", "rows in the store", in: "after kill -9") == [0])
    #expect(record.numbers("right", "rows in the store", in: "after kill -9") == [7])
  }

  // MARK: - 36

  @Test func scenario36ACommitForEachArticleIsTooManyAndOneForAllHoldsThemAll() throws {
    let record = try ScenarioRun.of(HowOftenToSave.self, ["rows": 1_100])
    let sides = ["wrong", "tens", "right", "hundreds", "once"]
    #expect(
      sides.map { record.outcomes($0) } == [
        ["TOO OFTEN"], ["TOO OFTEN"], ["IN BATCHES"], ["IN BATCHES"], ["TOO LATE"],
      ])
    #expect(sides.flatMap { record.numbers($0, "commits") } == [1_100, 110, 11, 3, 1])
    #expect(
      sides.flatMap { record.numbers($0, "peak live objects") } == [1, 10, 100, 500, 1_100])
    let stored = sides.flatMap { record.numbers($0, "articles in the file") }
    #expect(stored == [1_100, 1_100, 1_100, 1_100, 1_100])
  }

  @Test func scenario36AShortImportIsOneBatchAndTheTailIsSaved() throws {
    let record = try ScenarioRun.of(
      HowOftenToSave.self, sides: ["right", "once"], ["rows": 250])
    #expect(record.numbers("right", "commits") == [3])
    #expect(record.outcomes("right") == ["IN BATCHES"])
    #expect(record.outcomes("once") == ["IN BATCHES"])
  }

  // MARK: - 37

  @Test func scenario37LinkedObjectsStayAliveUntilTheContextIsReset() throws {
    let record = try ScenarioRun.of(ResetInLoops.self, ["rows": 10_000, "batch": 500])
    #expect(record.outcomes("wrong") == ["GROWS"])
    #expect(record.outcomes("right") == ["FLAT"])
    #expect(record.numbers("wrong", "peak live objects") == [10_001])
    #expect(record.numbers("right", "peak live objects") == [501])
    #expect(record.numbers("wrong", "rows stored") == [10_000])
    #expect(record.numbers("right", "rows stored") == [10_000])
  }

  @Test func scenario37SavingAloneFreesObjectsThatNothingRefersTo() throws {
    let record = try ScenarioRun.of(ResetInLoops.self, ["rows": 10_000, "batch": 500, "linked": 0])
    #expect(record.outcomes("wrong") == ["FLAT"])
    #expect(record.numbers("wrong", "peak live objects") == [501])
  }

  // MARK: - 38

  @Test func scenario38TheLoopLosesItsTailAtEverySizeButTheLuckyOnes() throws {
    let record = try ScenarioRun.of(TheLostTail.self)
    #expect(record.outcomes("wrong") == ["TAIL LOST"])
    #expect(record.outcomes("right") == ["COMPLETE"])
    let sizes = [1, 99, 100, 101, 1_000]
    #expect(sizes.flatMap { record.numbers("wrong", "import of \($0)") } == [1, 1, 1, 101, 901])
    #expect(sizes.flatMap { record.numbers("right", "import of \($0)") } == sizes)
  }

  // MARK: - 39

  @Test func scenario39AnObjectFromBeforeAResetReadsNilAndChangingItStops() throws {
    let record = try ScenarioRun.of(
      ResetUnderYourFeet.self, sides: ["wrong", "change"], ["articles": 50, "batches": 100])
    #expect(record.outcomes("wrong") == ["BLANK"])
    #expect(record.outcomes("change") == ["STOPPED"])
    let stop = try #require(record.trials("change").first?.ending)
    #expect(stop.kind == .crashed)
    #expect(stop.detail.contains("was removed from its context"), "\(stop.detail)")
  }

  @Test func scenario39AnIDOrAContextOfItsOwnSurvivesTheReset() throws {
    let record = try ScenarioRun.of(
      ResetUnderYourFeet.self, sides: ["right", "apart"], ["articles": 50, "batches": 100])
    for side in ["right", "apart"] {
      #expect(record.outcomes(side) == ["HANDLED"])
      #expect(record.numbers(side, "names as the file has them") == [50])
      #expect(record.numbers(side, "changes in the file") == [50])
    }
  }

  // MARK: - 40

  @Test func scenario40ALoopOverARelationshipTakesAStatementForEachRow() throws {
    let record = try ScenarioRun.of(OneFaultAtATime.self, ["articles": 200])
    #expect(record.outcomes("wrong") == ["ONE BY ONE"])
    #expect(record.outcomes("right") == ["TOGETHER"])
    #expect(record.outcomes("values") == ["TOGETHER"])
    let sides = ["wrong", "right", "values"]
    #expect(sides.map { record.numbers($0, "statements") } == [[201], [2], [1]])
    #expect(sides.map { record.numbers($0, "faults fired") } == [[400], [400], [0]])
    #expect(sides.map { record.numbers($0, "lines as stored") } == [[200], [200], [200]])
  }

  @Test func scenario40ACategoryInMemoryIsNotAskedForAgain() throws {
    let shared = try ScenarioRun.of(
      OneFaultAtATime.self, sides: ["wrong"], ["articles": 200, "each": 50])
    #expect(shared.numbers("wrong", "statements") == [5])
    let held = try ScenarioRun.of(
      OneFaultAtATime.self, sides: ["wrong"], ["articles": 200, "held": 1])
    #expect(held.numbers("wrong", "statements") == [2])
  }

  // MARK: - 41

  @Test func scenario41AReusedContextThatKeepsNothingAsksAsOftenAsANewOne() throws {
    let record = try ScenarioRun.of(ANewContext.self, ["pieces": 3, "each": 10, "touches": 4])
    #expect(record.outcomes("wrong") == ["ASKED AGAIN"])
    #expect(record.outcomes("reused") == ["ASKED AGAIN"])
    // 120 calls, and a row for each of two syncs.
    #expect(record.numbers("wrong", "rows fetched") == [122])
    #expect(record.numbers("reused", "rows fetched") == [122])
  }

  @Test func scenario41AContextThatKeepsAllIsStaleAndOneForEachPieceOfWorkIsNot() throws {
    let record = try ScenarioRun.of(
      ANewContext.self, sides: ["forever", "right"], ["pieces": 3, "each": 10, "touches": 4])
    #expect(record.outcomes("forever") == ["STALE"])
    #expect(record.numbers("forever", "stale answers") == [8])
    #expect(record.numbers("forever", "peak live objects") == [20])
    #expect(record.outcomes("right") == ["ASKED ONCE"])
    #expect(record.numbers("right", "stale answers") == [0])
    #expect(record.numbers("right", "rows fetched") == [30])
  }

  @Test func scenario41CallsThatAreNotRelatedHaveNothingToReuse() throws {
    let record = try ScenarioRun.of(
      ANewContext.self, sides: ["wrong", "reused"], ["pieces": 3, "each": 10, "touches": 1])
    #expect(record.outcomes("wrong") == ["ASKED ONCE"])
    #expect(record.outcomes("reused") == ["ASKED ONCE"])
  }

  // MARK: - 48

  @Test func scenario48AListSurvivesIfItMergesReadsEarlyAndIsToldOnce() throws {
    let record = try ScenarioRun.of(ListAndDeletedRow.self, ["articles": 20])
    #expect(record.outcomes("wrong") == ["GHOSTS"])
    #expect(record.outcomes("late").isSubset(of: ["BLANK", "CURRENT"]))
    #expect(record.outcomes("singly") == ["INVALID UPDATE"])
    #expect(record.outcomes("right") == ["CURRENT"])
    #expect(record.numbers("singly", "invalid updates") == [10])
    // Begin, one call for each deletion, end.
    #expect(record.numbers("right", "calls to the table") == [12])
    #expect(record.numbers("right", "rows in the list") == [10])
  }

  // MARK: - All

  @Test func everyScenarioIsDeclaredWholeAndTheGuideHasItsAnchor() throws {
    let numbers = Catalogue.all.compactMap { $0.card.number }
    #expect(numbers == numbers.sorted())
    for scenario in Catalogue.all {
      let card = scenario.card
      #expect(!card.sources.isEmpty, "\(card.name) cites nothing")
      #expect(Set(scenario.sides.map(\.name)).count == scenario.sides.count, "\(card.name)")
      #expect(scenario.outcomes.contains { $0.grade == .accepted }, "\(card.name)")
      let guide = try #require(card.guide)
      let parts = guide.split(separator: "#")
      let page = try BuildFolder.current().package
        .appendingPathComponent("Guide/\(parts[0])")
      let text = try String(contentsOf: page, encoding: .utf8)
      #expect(text.contains("<a id=\"\(parts[1])\"></a>"), "\(guide)")
    }
  }
}
