import Foundation
import PlaygroundKit
import Testing

/// What `faultline explore` finds, prints and refuses.
@Suite final class ExploreCommandTests: CommandLineSuite {
  private func explore(_ words: String...) throws -> Exploration {
    let reply = try tool.shell("\"$FAULTLINE\" explore \(words.joined(separator: " ")) --json")
    #expect(reply.status == 0, "\(reply.errors)")
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

  @Test func oneSwitchLosesAnUpdateAndNoneLosesOneThatIsRedone() throws {
    let exploration = try explore("27", "--bound", "1")
    #expect(found(exploration, "wrong") == ["LOST forbidden 1", "KEPT accepted 0"])
    #expect(found(exploration, "right") == ["KEPT accepted 0", "REDONE accepted 1"])
    #expect(
      exploration.sides.map { Verdict($0, in: exploration).words } == [
        "refuted", "proved for ≤ 1 switch", "proved for ≤ 1 switch", "proved for ≤ 1 switch",
      ])
    for side in ["adds", "store"] {
      #expect(found(exploration, side) == ["KEPT accepted 0"])
    }
    #expect(exploration.settings == [])
    for side in exploration.sides {
      #expect(side.outcomes.reduce(0) { $0 + $1.orders } == side.orders)
    }
  }

  @Test func twoQueuesWaitForEachOtherOnBothWrongSidesOnly() throws {
    let exploration = try explore("9", "--bound", "1")
    #expect(found(exploration, "wrong") == ["DEADLOCK forbidden 0", "LUCKY interesting 0"])
    #expect(found(exploration, "main") == ["DEADLOCK forbidden 0"])
    #expect(found(exploration, "right") == ["WRITTEN accepted 0"])
  }

  @Test func aSaveInsidePerformAndWaitHangsOnlyIfAnotherIsQueued() throws {
    let exploration = try explore("35", "--bound", "1")
    #expect(found(exploration, "inside") == ["ON MAIN interesting 0"])
    #expect(found(exploration, "queued") == ["DEADLOCK forbidden 1", "LUCKY interesting 0"])
  }

  @Test func skippingEqualSchedulesAndTheOrderOfSidesChangeNoOutcome() throws {
    let both = try explore("29", "--bound", "1")
    for side in both.sides {
      let alone = try explore("29", "--bound", "1", "--side", side.name)
      #expect(alone.sides.map(\.outcomes) == [side.outcomes], "alone or beside others")
      #expect(alone.sides.first?.place == side.place)
    }
  }

  @Test func thePageTheTableAndTheLineTellTheSame() throws {
    let page = try tool.run("explore", "9", "--bound", "0", "--side", "main").output
    #expect(page.hasPrefix("09  Two queues waiting for each other"), "\(page)")
    #expect(page.contains("\nNext  faultline replay s3-09b-0-"), "\(page)")
    let plain = try tool.run("explore", "9", "--bound", "0", "--side", "main", "--plain").output
    #expect(plain.contains("\nmain\trefuted\t"), "\(plain)")
    let line = try tool.run("explore", "9", "--bound", "0", "--side", "main", "--quiet").output
    #expect(line == "9: main refuted\n")
  }

  @Test func theJSONHasTheVerdictsTheCountsAndTheIdsOfTheTable() throws {
    let words = ["27 --bound 1", "27 --strategy random --budget 12 --set writers=4"]
    for words in words {
      let plain = try tool.shell("\"$FAULTLINE\" explore \(words) --plain").output
      let json = try tool.shell("\"$FAULTLINE\" explore \(words) --json").output
      let whole = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let sides = try #require(whole?["sides"] as? [[String: Any]])
      var rows: [String] = []
      for side in sides {
        let outcomes = try #require(side["outcomes"] as? [[String: Any]])
        let shares = outcomes.compactMap { $0["share"] as? Double }
        #expect(abs(shares.reduce(0, +) - 1) < 1e-9)
        let verdict = try #require(side["verdict"] as? String)
        #expect((side["sentence"] as? String)?.hasPrefix(verdict) ?? false, "\(json)")
        for outcome in outcomes {
          let cells =
            [side["name"], verdict, side["orders"], side["ordersSkipped"]]
            + ["name", "grade", "count", "switches", "steps", "id", "meaning"].map { outcome[$0] }
          rows.append(cells.map { $0.map { "\($0)" } ?? "" }.joined(separator: "\t"))
        }
      }
      #expect(rows == plain.split(separator: "\n").dropFirst().map(String.init))
    }
  }

  @Test func aLimitOfARunIsToldByTheExitCodeAndByItsValue() throws {
    let words = "27 --set increments=2000 --side wrong"
    let reply = try tool.shell("\"$FAULTLINE\" explore \(words) --budget 1 --plain")
    #expect(reply.status == ExitStatus.limit.rawValue, "\(reply.errors)")
    #expect(
      reply.output.contains("not finished after 4,096 choices: does a loop never end?"),
      "\(reply.output)")
    let step = try tool.shell("\"$FAULTLINE\" explore \(words) --step < /dev/null")
    #expect(step.status == ExitStatus.limit.rawValue, "\(step.errors)")
    let id = ScheduleID(.scenario(27), side: 0, schedule: Schedule())
    let replay = try tool.run("replay", "\(id)", "--set", "increments=2000", "--quiet")
    #expect(replay.status == ExitStatus.limit.rawValue, "\(replay.errors)")
    #expect(replay.output == "\(id): LIMIT\n")
  }

  @Test func aPageKeepsToItsWidthAndToASCII() throws {
    for width in ["80", "100"] {
      let page = try tool.run("explore", "27", "--bound", "0", "--ascii", "--width", width).output
      #expect(page.allSatisfy { $0.isASCII }, "\(page)")
      #expect(page.split(separator: "\n").allSatisfy { $0.count <= Int(width)! }, "\(page)")
      #expect(!page.contains("\u{1B}"))
    }
  }

  @Test func aValueOfItsOwnIsSaidAgainInEveryCommandOfThePage() throws {
    let page = try tool.run("explore", "27", "--bound", "0", "--set", "writers=3").output
    #expect(page.contains("3 writers"), "\(page)")
    #expect(page.contains("faultline explore 27 --bound 1 --set writers=3"), "\(page)")
  }

  @Test func aBudgetThatEndsFirstIsNoProof() throws {
    let reply = try tool.run("explore", "27", "--budget", "20", "--side", "right", "--quiet")
    #expect(reply.status == ExitStatus.inconclusive.rawValue)
    #expect(reply.output == "27: right incomplete\n")
  }

  @Test func aRandomSampleIsRepeatedByItsSeed() throws {
    for strategy in ["random", "pct", "starve-main"] {
      let one = try explore("27", "--strategy", strategy, "--budget", "60", "--seed", "7")
      let two = try explore("27", "--strategy", strategy, "--budget", "60", "--seed", "7")
      #expect(one.sides.map(\.orders) == [60, 60, 60, 60])
      #expect(one.sides.map(\.outcomes) == two.sides.map(\.outcomes), "\(strategy)")
      #expect(one.bound == nil)
      #expect(Verdict(one.sides[1], in: one).words == "sampled")
    }
  }

  @Test func theFirstForbiddenOutcomeIsEnoughIfAskedFor() throws {
    let exploration = try explore("27", "--stop-at-first", "--side", "wrong")
    #expect(exploration.sides.first?.outcomes.first { $0.name == "LOST" }?.orders == 1)
    #expect(exploration.sides.first?.isComplete == false)
  }

  @Test func flagsThatMeanNothingAreRefused() throws {
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
