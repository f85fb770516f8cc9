import PlaygroundKit
import Scenarios
import XCTest

/// The outcomes and counts of each scenario, from run records; never times.
final class ScenarioOutcomeTests: ScenarioCase {
  // MARK: - 01

  func test01TheRightSideReadsWhatTheFileHasAtEveryMoment() throws {
    let record = try run(ReadingSomeoneElsesObject.self, repeats: 20, sides: ["right"])
    XCTAssertEqual(record.outcomes("right"), ["CURRENT"])
    XCTAssertEqual(Set(record.numbers("right", "of revision 2")), [200])
    XCTAssertEqual(Set(record.numbers("right", "violations")), [0])
  }

  func test01TheCheckerReportsEveryWrongReadWithObjectAndQueues() throws {
    let record = try run(
      ReadingSomeoneElsesObject.self, repeats: 2, sides: ["checked"], ["articles": 50])
    XCTAssertEqual(record.outcomes("checked"), ["NAMED"])
    // Three properties of each article.
    XCTAssertEqual(record.numbers("checked", "violations"), [150, 150])
    let report = try XCTUnwrap(record.trials("checked").first?.violations.first)
    XCTAssertEqual(report.operation, "get name")
    XCTAssertTrue(report.object.contains("/Article/p"), report.object)
    XCTAssertTrue(report.ownerQueue.contains("main"), report.ownerQueue)
    XCTAssertFalse(report.callerQueue.contains("main"), report.callerQueue)
    XCTAssertFalse(report.fix.isEmpty)
  }

  func test01TheWrongSideSoonerOrLaterReadsWhatTheFileDoesNotHave() throws {
    var seen: Set<String> = []
    // About one run in two goes wrong; two hundred lucky runs in a row do not happen.
    for batch in 0..<10 where seen.isDisjoint(with: ["STALE", "TORN", "CRASHED"]) {
      let record = try run(
        ReadingSomeoneElsesObject.self, repeats: 20, sides: ["wrong"], seed: UInt64(batch * 20 + 1))
      seen.formUnion(record.outcomes("wrong"))
    }
    XCTAssertFalse(seen.isDisjoint(with: ["STALE", "TORN", "CRASHED"]), "only saw \(seen)")
    XCTAssertTrue(seen.isSubset(of: ["STALE", "TORN", "CRASHED", "LUCKY"]), "saw \(seen)")
  }

  // MARK: - 08

  func test08BothSidesDoTheSameWorkButMainStandsStillOnTheWrongOne() throws {
    let record = try run(PerformAndWaitOnMain.self, repeats: 2)
    XCTAssertEqual(record.outcomes("wrong"), ["STALL"])
    XCTAssertTrue(record.outcomes("right").isSubset(of: ["SMOOTH", "HICCUP"]))
    for figure in ["rows stored", "statements", "commits", "peak live objects"] {
      let both = Set(record.numbers("wrong", figure) + record.numbers("right", figure))
      XCTAssertEqual(both.count, 1, "\(figure): \(both)")
    }
    XCTAssertEqual(record.numbers("right", "rows stored"), [20_000, 20_000])
    XCTAssertEqual(record.numbers("right", "commits"), [1, 1])
  }

  func test08TheMarkPointsAtTheLineThatWaits() throws {
    let record = try run(PerformAndWaitOnMain.self, sides: ["wrong"], ["rows": 10])
    let mark = try XCTUnwrap(record.trials("wrong").first?.marks.first)
    XCTAssertEqual(mark.file, "PerformAndWaitOnMain.swift")
    XCTAssertEqual(mark.code, "try bg.performAndWait {")
  }

  // MARK: - 26

  func test26EachPolicyLeavesItsOwnRowAndOnlyOneTellsTheSecondSaver() throws {
    let record = try run(FivePolicies.self)
    let rows = record.sides.map { side in
      ["name", "content", "views", "second saver told", "values", "unsaved"].map { column in
        record.texts(side.name, column).first ?? "nothing noted"
      }
    }
    XCTAssertEqual(record.sides.map(\.name), Self.policies)
    XCTAssertEqual(
      rows,
      [
        [
          "first", "first", "0", "133020, 1 conflict: version 1 read, 2 found",
          "second, old, 2", "name, views",
        ],
        ["first", "first", "2", "nothing", "first, first, 2", "nothing"],
        ["second", "first", "2", "nothing", "second, first, 2", "nothing"],
        ["second", "old", "2", "nothing", "second, old, 2", "nothing"],
        ["first", "first", "0", "nothing", "first, first, 0", "nothing"],
      ])
    XCTAssertEqual(
      Self.policies.map { record.outcomes($0) },
      [["REFUSED"], ["STORE WINS"], ["OBJECT WINS"], ["OVERWRITTEN"], ["ROLLED BACK"]])
    XCTAssertEqual(Self.policies.flatMap { record.numbers($0, "conflicts") }, [1, 1, 1, 1, 1])
  }

  private static let policies = ["error", "storeTrump", "objectTrump", "overwrite", "rollback"]

  // MARK: - 31

  func test31AKillShowsThatOnlyTheRootsSaveReachesTheFile() throws {
    let record = try run(ChildSaveNotOnDisk.self, ["rows": 7])
    XCTAssertEqual(record.outcomes("wrong"), ["LOST"])
    XCTAssertEqual(record.outcomes("right"), ["STORED"])
    for side in ["wrong", "right"] {
      XCTAssertEqual(record.trials(side).map(\.ending.kind), [.killed])
      XCTAssertEqual(record.numbers(side, "on the screen", in: "form saved"), [7])
      XCTAssertEqual(record.numbers(side, "in the file", in: "form saved"), [0])
    }
    XCTAssertEqual(record.numbers("right", "in the file", in: "view context saved"), [7])
    XCTAssertEqual(record.numbers("wrong", "rows in the file", in: "after kill -9"), [0])
    XCTAssertEqual(record.numbers("right", "rows in the file", in: "after kill -9"), [7])
  }

  // MARK: - 37

  func test37LinkedObjectsStayAliveUntilTheContextIsReset() throws {
    let record = try run(ResetInLoops.self, ["rows": 10_000, "batch": 500])
    XCTAssertEqual(record.outcomes("wrong"), ["GROWS"])
    XCTAssertEqual(record.outcomes("right"), ["FLAT"])
    XCTAssertEqual(record.numbers("wrong", "peak live objects"), [10_001])
    XCTAssertEqual(record.numbers("right", "peak live objects"), [501])
    XCTAssertEqual(record.numbers("wrong", "rows stored"), [10_000])
    XCTAssertEqual(record.numbers("right", "rows stored"), [10_000])
  }

  func test37SavingAloneFreesObjectsThatNothingRefersTo() throws {
    let record = try run(ResetInLoops.self, ["rows": 10_000, "batch": 500, "linked": 0])
    XCTAssertEqual(record.outcomes("wrong"), ["FLAT"])
    XCTAssertEqual(record.numbers("wrong", "peak live objects"), [501])
  }

  // MARK: - 38

  func test38TheLoopLosesItsTailAtEverySizeButTheLuckyOnes() throws {
    let record = try run(TheLostTail.self)
    XCTAssertEqual(record.outcomes("wrong"), ["TAIL LOST"])
    XCTAssertEqual(record.outcomes("right"), ["COMPLETE"])
    let sizes = [1, 99, 100, 101, 1_000]
    XCTAssertEqual(
      sizes.flatMap { record.numbers("wrong", "import of \($0)") }, [1, 1, 1, 101, 901])
    XCTAssertEqual(sizes.flatMap { record.numbers("right", "import of \($0)") }, sizes)
  }

  // MARK: - All

  func testEveryScenarioIsDeclaredWholeAndTheGuideHasItsAnchor() throws {
    let numbers = Catalogue.all.map { $0.card.number }
    XCTAssertEqual(numbers, numbers.sorted())
    for scenario in Catalogue.all {
      let card = scenario.card
      XCTAssertFalse(card.sources.isEmpty, "\(card.number) cites nothing")
      XCTAssertEqual(
        Set(scenario.sides.map(\.name)).count, scenario.sides.count, "\(card.number)")
      XCTAssertTrue(scenario.outcomes.contains { $0.grade == .accepted }, "\(card.number)")
      let parts = card.guide.split(separator: "#")
      let page = try BuildFolder.current().package
        .appendingPathComponent("Guide/\(parts[0])")
      let text = try String(contentsOf: page, encoding: .utf8)
      XCTAssertTrue(text.contains("<a id=\"\(parts[1])\"></a>"), card.guide)
    }
  }
}
