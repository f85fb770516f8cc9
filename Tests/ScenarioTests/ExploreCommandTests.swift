import Foundation
import PlaygroundKit
import XCTest

/// What `faultline explore` finds, prints and refuses.
final class ExploreCommandTests: CommandLineTestCase {
  private func explore(_ words: String...) throws -> Exploration {
    let reply = try tool.shell("\"$FAULTLINE\" explore \(words.joined(separator: " ")) --json")
    XCTAssertEqual(reply.status, 0, reply.errors)
    return try JSONDecoder().decode(Exploration.self, from: Data(reply.output.utf8))
  }

  /// The outcomes that a side had, with their grades and the switches of the smallest order.
  private func found(_ exploration: Exploration, _ side: String) -> [String] {
    let outcomes = exploration.sides.first { $0.name == side }?.outcomes ?? []
    return outcomes.filter { $0.orders > 0 }.map { outcome in
      let grade = outcome.grade?.rawValue ?? "undeclared"
      return "\(outcome.name) \(grade) \(outcome.smallest?.switches ?? -1)"
    }
  }

  func testOneSwitchLosesAnUpdateAndNoneLosesOneThatIsRedone() throws {
    let exploration = try explore("27", "--bound", "1")
    XCTAssertEqual(found(exploration, "wrong"), ["LOST forbidden 1", "KEPT accepted 0"])
    XCTAssertEqual(found(exploration, "right"), ["KEPT accepted 0", "REDONE accepted 1"])
    XCTAssertEqual(
      exploration.sides.map { Verdict($0, in: exploration).words },
      ["refuted", "proved for ≤ 1 switch"])
    XCTAssertEqual(exploration.settings, [])
    for side in exploration.sides {
      XCTAssertEqual(side.outcomes.reduce(0) { $0 + $1.orders }, side.orders)
    }
  }

  func testTwoQueuesWaitForEachOtherOnBothWrongSidesOnly() throws {
    let exploration = try explore("9", "--bound", "1")
    XCTAssertEqual(found(exploration, "wrong"), ["DEADLOCK forbidden 0", "LUCKY interesting 0"])
    XCTAssertEqual(found(exploration, "main"), ["DEADLOCK forbidden 0"])
    XCTAssertEqual(found(exploration, "right"), ["WRITTEN accepted 0"])
  }

  func testSkippingEqualSchedulesAndTheOrderOfSidesChangeNoOutcome() throws {
    let both = try explore("29", "--bound", "1")
    for side in both.sides {
      let alone = try explore("29", "--bound", "1", "--side", side.name)
      XCTAssertEqual(alone.sides.map(\.outcomes), [side.outcomes], "alone or beside others")
      XCTAssertEqual(alone.sides.first?.place, side.place)
    }
  }

  func testThePageTheTableAndTheLineTellTheSame() throws {
    let page = try tool.run("explore", "9", "--bound", "0", "--side", "main").output
    XCTAssertTrue(page.hasPrefix("09  Two queues waiting for each other"), page)
    XCTAssertTrue(page.contains("\nNext  faultline replay s3-09b-0-"), page)
    let plain = try tool.run("explore", "9", "--bound", "0", "--side", "main", "--plain").output
    XCTAssertTrue(plain.contains("\nmain\trefuted\t"), plain)
    let line = try tool.run("explore", "9", "--bound", "0", "--side", "main", "--quiet").output
    XCTAssertEqual(line, "9: main refuted\n")
  }

  func testTheJSONHasTheVerdictsTheCountsAndTheIdsOfTheTable() throws {
    let words = ["27 --bound 1", "27 --strategy random --budget 12 --set writers=4"]
    for words in words {
      let plain = try tool.shell("\"$FAULTLINE\" explore \(words) --plain").output
      let json = try tool.shell("\"$FAULTLINE\" explore \(words) --json").output
      let whole = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let sides = try XCTUnwrap(whole?["sides"] as? [[String: Any]])
      var rows: [String] = []
      for side in sides {
        let outcomes = try XCTUnwrap(side["outcomes"] as? [[String: Any]])
        let shares = outcomes.compactMap { $0["share"] as? Double }
        XCTAssertEqual(shares.reduce(0, +), 1, accuracy: 1e-9, json)
        let verdict = try XCTUnwrap(side["verdict"] as? String)
        XCTAssertTrue((side["sentence"] as? String)?.hasPrefix(verdict) ?? false, json)
        for outcome in outcomes {
          let cells =
            [side["name"], verdict, side["orders"], side["ordersSkipped"]]
            + ["name", "grade", "count", "switches", "steps", "id", "meaning"].map { outcome[$0] }
          rows.append(cells.map { $0.map { "\($0)" } ?? "" }.joined(separator: "\t"))
        }
      }
      XCTAssertEqual(rows, plain.split(separator: "\n").dropFirst().map(String.init))
    }
  }

  func testALimitOfARunIsToldByTheExitCodeAndByItsValue() throws {
    let words = "27 --set increments=2000 --side wrong"
    let reply = try tool.shell("\"$FAULTLINE\" explore \(words) --budget 1 --plain")
    XCTAssertEqual(reply.status, ExitStatus.limit.rawValue, reply.errors)
    XCTAssertTrue(reply.output.contains("not finished after 4096 choices"), reply.output)
    let step = try tool.shell("\"$FAULTLINE\" explore \(words) --step < /dev/null")
    XCTAssertEqual(step.status, ExitStatus.limit.rawValue, step.errors)
    let id = ScheduleID(scenario: 27, side: 0, schedule: Schedule())
    let replay = try tool.run("replay", "\(id)", "--set", "increments=2000", "--quiet")
    XCTAssertEqual(replay.status, ExitStatus.limit.rawValue, replay.errors)
    XCTAssertEqual(replay.output, "\(id): LIMIT\n")
  }

  func testAPageKeepsToItsWidthAndToASCII() throws {
    for width in ["80", "100"] {
      let page = try tool.run("explore", "27", "--bound", "0", "--ascii", "--width", width).output
      XCTAssertTrue(page.allSatisfy(\.isASCII), page)
      XCTAssertTrue(page.split(separator: "\n").allSatisfy { $0.count <= Int(width)! }, page)
      XCTAssertFalse(page.contains("\u{1B}"))
    }
  }

  func testAValueOfItsOwnIsSaidAgainInEveryCommandOfThePage() throws {
    let page = try tool.run("explore", "27", "--bound", "0", "--set", "writers=3").output
    XCTAssertTrue(page.contains("3 writers"), page)
    XCTAssertTrue(page.contains("faultline explore 27 --bound 1 --set writers=3"), page)
  }

  func testABudgetThatEndsFirstIsNoProof() throws {
    let reply = try tool.run("explore", "27", "--budget", "20", "--side", "right", "--quiet")
    XCTAssertEqual(reply.status, ExitStatus.inconclusive.rawValue)
    XCTAssertEqual(reply.output, "27: right incomplete\n")
  }

  func testARandomSampleIsRepeatedByItsSeed() throws {
    for strategy in ["random", "pct", "starve-main"] {
      let one = try explore("27", "--strategy", strategy, "--budget", "60", "--seed", "7")
      let two = try explore("27", "--strategy", strategy, "--budget", "60", "--seed", "7")
      XCTAssertEqual(one.sides.map(\.orders), [60, 60])
      XCTAssertEqual(one.sides.map(\.outcomes), two.sides.map(\.outcomes), strategy)
      XCTAssertNil(one.bound)
      XCTAssertEqual(Verdict(one.sides[1], in: one).words, "sampled")
    }
  }

  func testTheFirstForbiddenOutcomeIsEnoughIfAskedFor() throws {
    let exploration = try explore("27", "--stop-at-first", "--side", "wrong")
    XCTAssertEqual(exploration.sides.first?.outcomes.first { $0.name == "LOST" }?.orders, 1)
    XCTAssertEqual(exploration.sides.first?.isComplete, false)
  }

  func testFlagsThatMeanNothingAreRefused() throws {
    expect(try tool.run("explore"), .usage, saying: "scenario")
    expect(try tool.run("explore", "27,28"), .usage, saying: "name one of them")
    expect(try tool.run("explore", "27", "--bound", "-1"), .usage, saying: "0 or more")
    expect(try tool.run("explore", "27", "--bound", "two"), .usage, saying: "0 or more")
    expect(
      try tool.run("explore", "27", "--bound", "1", "--no-bound"), .usage, saying: "one of them")
    expect(try tool.run("explore", "27", "--strategy", "pc"), .usage, saying: "did you mean pct?")
    expect(
      try tool.run("explore", "27", "--strategy", "pct", "--bound", "2"), .usage,
      saying: "--strategy dfs")
    for budget in ["0", "-5s", "soon", "s"] {
      expect(try tool.run("explore", "27", "--budget", budget), .usage, saying: "as 5s")
    }
    expect(try tool.run("explore", "27", "--side", "wrnog"), .usage, saying: "did you mean wrong?")
    expect(
      try tool.run("explore", "27", "--set", "writer=3"), .usage, saying: "did you mean writers")
  }
}
