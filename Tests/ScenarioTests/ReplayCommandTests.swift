import Foundation
import PlaygroundKit
import Testing

/// What `faultline replay` and `faultline draw` make of an id.
@Suite final class ReplayCommandTests: CommandLineSuite {
  /// The smallest order of a side with an outcome, as explore names it.
  private func id(_ scenario: String, _ side: String, _ outcome: String, _ more: String = "") throws
    -> String
  {
    let table = try tool.shell(
      "\"$FAULTLINE\" explore \(scenario) --side \(side) --plain \(more)")
    for line in table.output.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      if fields.count > 9, fields[4] == outcome { return String(fields[9]) }
    }
    throw Complaint(.ourBug, "no \(outcome) of \(side) in \(table.output)\(table.errors)")
  }

  private func trace(_ words: String...) throws -> Trace {
    let reply = try tool.shell("\"$FAULTLINE\" replay \(words.joined(separator: " ")) --json")
    #expect(reply.status == 0, "\(reply.errors)")
    return try JSONDecoder().decode(Trace.self, from: Data(reply.output.utf8))
  }

  @Test func theSmallestOrderOfEachOutcomeEndsTheSameWayAgain() throws {
    for (scenario, side, outcome) in [
      ("27", "wrong", "LOST"), ("27", "wrong", "KEPT"), ("27", "right", "REDONE"),
      ("9", "wrong", "DEADLOCK"), ("9", "wrong", "LUCKY"), ("9", "main", "DEADLOCK"),
    ] {
      let id = try id(scenario, side, outcome, "--bound 1")
      let first = try trace(id)
      #expect(first.outcome == outcome, "\(id)")
      #expect(try trace(id) == first, "a run of \(id) is the same in every detail")
    }
  }

  @Test func theStepInWhichAProcessDiesIsCounted() throws {
    for (scenario, side, outcome) in [
      ("42", "wrong", "NO STORE"), ("42", "twice", "RESUMED TWICE"), ("16", "wrong", "STOPPED"),
    ] {
      let found = try tool.run("explore", scenario, "--side", side, "--bound", "0", "--json").output
      let smallest = try JSONDecoder().decode(Exploration.self, from: Data(found.utf8)).sides[0]
        .outcomes.first { $0.name == outcome }?.smallest
      let id = try id(scenario, side, outcome, "--bound 0")
      #expect(try trace(id).steps.count == smallest?.steps, "\(id)")
    }
  }

  @Test func aPageTellsOutcomeStepsAndThatItsTimesAreVirtual() throws {
    let id = try id("27", "wrong", "LOST", "--bound 1")
    let page = try tool.run("replay", id).output
    #expect(page.hasPrefix("27  The lost update that no built-in merge stops · wrong"), "\(page)")
    #expect(page.contains(id))
    #expect(page.contains("controlled · virtual clock, cost"), "\(page)")
    #expect(page.contains("LOST  declared, forbidden: every save succeeded"), "\(page)")
    #expect(page.contains(" ms virtual\n"), "\(page)")
    #expect(page.contains(", 1 switch\n"), "\(page)")
    #expect(page.split(separator: "\n").count { $0.hasPrefix("● ") } == 1, "\(page)")
    #expect(page.contains(" is interrupted]"), "\(page)")
    #expect(!page.contains("\nWhy "))
    let explained = try tool.run("replay", id, "--explain", "--until", "3").output
    #expect(explained.contains("\nWhy    Let A = "), "\(explained)")
    #expect(explained.contains("… 45 more steps"), "\(explained)")
    for width in ["80", "100"] {
      let ascii = try tool.run("replay", id, "--ascii", "--width", width).output
      #expect(ascii.allSatisfy { $0.isASCII }, "\(ascii)")
      #expect(ascii.split(separator: "\n").allSatisfy { $0.count <= Int(width)! }, "\(ascii)")
    }
  }

  //  main          awaits both ─────────────────────────── goes on
  //  context 1                    └─ saves ─┘              │
  //  context 2                              └─── saves ────┘
  @Test func mainGoesOnNoEarlierThanTheBlocksThatItAwaits() throws {
    for (side, outcome) in [("wrong", "LOST"), ("right", "KEPT"), ("right", "REDONE")] {
      let trace = try trace(try id("27", side, outcome, "--bound 1"))
      let last = try #require(trace.steps.last { $0.party == 0 })
      let ends = trace.steps.filter { $0.party != 0 }.map(\.end)
      #expect(last.start >= ends.max() ?? .max, "\(side) \(outcome)")
    }
  }

  @Test func aReplayShowsTheValuesAndWhatThePolicyDecided() throws {
    let id = try id("27", "wrong", "LOST", "--bound 1")
    let trace = try trace(id)
    func views(_ isSeen: (Trace.Step, Trace.Touch) -> Bool) -> [String] {
      trace.steps.flatMap { step in
        step.touches.filter { isSeen(step, $0) }
          .compactMap { $0.values?.first { $0.name == "views" }?.value }
      }
    }
    let reads = views { step, touch in !touch.isWrite && step.point == "fetch" }
    #expect(reads + views { _, touch in touch.isWrite } == ["0", "0", "1", "1"])
    let changes = trace.steps.flatMap { $0.changes ?? [] }
    #expect(changes.map(\.row) == ["Article 1", "Article 1", "Article 1"])
    #expect(changes[0].fields[0].read == "0")
    #expect(changes[0].fields[0].own == "1")
    let decision = try #require(changes[2].decision)
    #expect(decision.policy == "mergeByPropertyObjectTrump")
    #expect([decision.read, decision.stored] == [1, 2])
    #expect(changes[2].fields[0].kept == "1")
    let page = try tool.run("replay", id, "--explain", "--width", "400").output
    for words in [
      "fetches Article 1 version 1 (views = 0)", "calls save() on context 1: Article 1 views 0 → 1",
      "commits Article 1 version 2 (views = 1)",
      "policy mergeByPropertyObjectTrump on Article 1: keeps views = 1 (the context had 1, the"
        + " store 1); the row already holds this value",
      "A tried to write views = 1 over version 1; the row already held version 2.",
      "In the conflict (step 36) the merge policy mergeByPropertyObjectTrump kept A's views = 1"
        + " (the store also had 1).",
      "The row already held the result, so A wrote nothing, but its save() reported success. One"
        + " of the two updates is lost.",
    ] { #expect(page.contains(words), "\(words) in \(page)") }
  }

  @Test func aStepNamesTheLineOfTheScenarioThatMadeIt() throws {
    let id = try id("27", "wrong", "LOST", "--bound 1")
    let places = Dictionary(grouping: try trace(id).steps, by: \.point)
      .mapValues { Set($0.map(\.place)) }
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Scenarios/27-the-lost-update/TheLostUpdate.swift")
    let lines = try String(contentsOf: source, encoding: .utf8).components(separatedBy: "\n")
    for (point, code) in [("fetch", ".fetch("), ("fault", ".views += 1"), ("save", ".save()")] {
      let all = try #require(places[point])
      #expect(all.count == 1, "\(point)")
      let place = try #require(all.first ?? nil).split(separator: ":")
      #expect(place.first == "TheLostUpdate.swift")
      #expect(lines[try #require(Int(place[1])) - 1].contains(code), "\(point) \(place)")
    }
    let page = try tool.run("replay", id).output
    #expect(page.contains("  LINE  WHAT\n"), "\(page)")
    // Without the toolchain's program that knows lines, a page has none.
    let bare = try tool.start(CommandLineTool.path, ["replay", id], ["PATH": "/nowhere"])
    #expect(bare.status == 0, "\(bare.errors)")
    #expect(!bare.output.contains("LINE"), "\(bare.output)")
  }

  private func json(_ words: String...) throws -> [String: Any] {
    let reply = try tool.shell("\"$FAULTLINE\" replay \(words.joined(separator: " ")) --json")
    let value = try JSONSerialization.jsonObject(with: Data(reply.output.utf8))
    return try #require(value as? [String: Any])
  }

  @Test func theJSONSaysWhichOrderOfWhatItIs() throws {
    let id = try id("27", "wrong", "LOST", "--bound 1")
    let own = try json(id)
    #expect(own["id"] as? String == id)
    #expect(own["side"] as? String == "wrong")
    #expect((own["scenario"] as? [String: Any])?["number"] as? Int == 27)
    #expect(own["outcome"] as? String == "LOST")
    #expect(own["grade"] as? String == "forbidden")
    #expect(own["switches"] as? Int == 1)
    #expect((own["steps"] as? [Any])?.count == 48)
    #expect(own["minimisedFrom"] == nil)
    let other = try json(id, "--side", "right")
    #expect((other["id"] as? String)?.hasPrefix("s3-27b-") == true)
    #expect(other["side"] as? String == "right")
    let small = try json(id, "--minimise")
    #expect(small["id"] as? String == id)
    #expect(small["minimisedFrom"] as? String == id)
    #expect(small["needed"] as? [Int] == [11])
  }

  @Test func aDeadlockTellsWhoWaitsForWhom() throws {
    let page = try tool.run("replay", try id("9", "wrong", "DEADLOCK"), "--explain").output
    #expect(page.contains("waits for queue \"shelves\""), "\(page)")
    #expect(page.contains("then waits for B"), "\(page)")
    #expect(page.contains("so neither ever does."), "\(page)")
  }

  @Test func theSameTurnsOnAnotherSideComeOutAnotherWay() throws {
    let id = try id("27", "wrong", "LOST", "--bound 1")
    let reply = try tool.run("replay", id, "--side", "right", "--quiet")
    #expect(reply.status == 0, "\(reply.errors)")
    #expect(reply.output.hasPrefix("s3-27b-"), "\(reply.output)")
    #expect(reply.output.hasSuffix(": REDONE\n"), "\(reply.output)")
  }

  @Test func anOrderDrawnByLotIsMadeAsSmallAsTheSmallestThereIs() throws {
    let large = try id("27", "wrong", "LOST", "--strategy random --budget 40 --seed 3")
    let reply = try tool.run("replay", large, "--minimise")
    #expect(reply.output.contains("minimised "), "\(reply.output)")
    #expect(reply.output.contains("from \(large) to s3-27-"), "\(reply.output)")
    #expect(reply.output.contains(", 1 switch\n"), "\(reply.output)")
    let line = try tool.run("replay", large, "--minimise", "--quiet").output
    let small = String(line.prefix { $0 != ":" })
    #expect(try trace(small).outcome == "LOST")
    let again = try tool.run("replay", small, "--minimise").output
    #expect(again.contains("every turn of \(small) is needed"), "\(again)")
    #expect(again.contains("\n● "), "\(again)")
  }

  @Test func theOrderThatTheHelpMakesSmallerBecomesSmaller() throws {
    let help = try tool.run("replay", "--help").output
    let line = try #require(help.split(separator: "\n").first { $0.hasSuffix(" --minimise") })
    let reply = try tool.shell(String(line).replacing("faultline ", with: "\"$FAULTLINE\" "))
    #expect(reply.output.contains("minimised                 from "), "\(reply.output)")
    #expect(reply.output.contains(" to s3-27-9R-2, of which every turn"), "\(reply.output)")
  }

  @Test func everyDigestThatIsPrintedCanBeReplayed() throws {
    let set = "--set writers=4"
    let large = try id("27", "wrong", "LOST", "--strategy random --budget 10 --seed 3 \(set)")
    #expect(large.contains("@"), "\(large)")
    let line = try tool.shell("\"$FAULTLINE\" replay \(large) \(set) --side right --quiet").output
    let other = String(line.prefix { $0 != ":" })
    #expect(other.contains("@"), "\(other)")
    let again = try tool.shell("\"$FAULTLINE\" replay \(other) \(set) --quiet")
    #expect(!again.errors.contains("not kept"), "\(again.errors)")
    let answers = Array(repeating: "2", count: 60).joined(separator: "\\n")
    let game = try tool.shell("printf '\(answers)\\ns\\n' | \"$FAULTLINE\" explore 27 --step")
    let named = game.output.split(separator: "\n").last { $0.hasPrefix("Id     ") } ?? ""
    let played = named.dropFirst(6).trimmingCharacters(in: .whitespaces)
    #expect(played.contains("@"), "\(played)")
    #expect(try tool.run("replay", played, "--quiet").output.hasPrefix(played), "\(played)")
  }

  @Test func whatWasFoundIsPrintedEvenWhereNoDigestCanBeKept() throws {
    let reply = try tool.start(
      CommandLineTool.path,
      [
        "explore", "27", "--side", "wrong", "--strategy", "random", "--budget", "10", "--seed", "3",
        "--set", "writers=4",
      ],
      ["FAULTLINE_HOME": "/dev/null/home"])
    #expect(reply.status == 0)
    #expect(reply.output.contains("LOST"), "\(reply.output)")
    #expect(reply.complaints.count == 1, "\(reply.errors)")
    #expect(reply.errors.contains("FAULTLINE_HOME"), "\(reply.errors)")
  }

  @Test func anOrderOfOtherValuesNeedsThemAgain() throws {
    // The first of three writers is interrupted for the third; of two there is no third.
    let id = ScheduleID(
      .scenario(27), side: 0, schedule: Schedule([Schedule.Turn(choice: 30, option: 2)]))
    #expect(try trace("\(id)", "--set", "writers=3").outcome == "LOST")
    expect(try tool.run("replay", "\(id)"), .input, saying: "--set", "does not offer")
    expect(try tool.run("draw", "\(id)"), .input, saying: "--set", "does not offer")
    let page = try tool.run("replay", "\(id)", "--side", "right").output
    #expect(page.contains("this side did not offer every choice of the id"), "\(page)")
  }

  @Test func anIdThatCannotBeUsedIsRefusedWithASentence() throws {
    let order = Schedule([Schedule.Turn(choice: 11, option: 1)])
    let id = "\(ScheduleID(.scenario(27), side: 0, schedule: order))"
    let damaged = id.replacingOccurrences(of: "-27-", with: "-28-")
    expect(try tool.run("replay", damaged), .input, saying: "damaged")
    expect(try tool.run("draw", damaged), .input, saying: "damaged")
    expect(try tool.run("replay", "27"), .input, saying: "not a schedule id")
    let elsewhere = ScheduleID(.scenario(999), side: 0, schedule: Schedule())
    expect(try tool.run("replay", "\(elsewhere)"), .input, saying: "scenario 999")
    let side = ScheduleID(.scenario(27), side: 7, schedule: Schedule())
    expect(try tool.run("replay", "\(side)"), .input, saying: "only 4 sides")
    expect(try tool.run("replay", id, "--until", "0"), .usage, saying: "1 or more")
    expect(try tool.run("replay", id, "--side", "rigth"), .usage, saying: "did you mean right?")
    expect(try tool.run("draw", id, "--format", "html5"), .usage, saying: "did you mean html?")
    expect(try tool.run("draw", id, "--json"), .usage, saying: "replay --json")
    expect(try tool.run("draw", id, "--svg"), .usage, saying: "write --format svg")
  }

  @Test func everyFormatDrawsTheOrderWholeAndWellFormed() throws {
    let id = try id("27", "wrong", "LOST", "--bound 1")
    let text = try tool.run("draw", id).output
    #expect(text.contains("● needed switch"), "\(text)")
    #expect(text.contains("\nstep "), "\(text)")
    let mermaid = try tool.run("draw", id, "--format", "mermaid").output
    #expect(mermaid.contains("sequenceDiagram"), "\(mermaid)")
    for format in ["svg", "html", "chrome-trace"] {
      let path = tool.temporary.appendingPathComponent("picture").path
      let reply = try tool.run("draw", id, "--format", format, "-o", path)
      #expect(reply.status == 0, "\(reply.errors)")
      #expect(reply.output == "")
      #expect(reply.errors == "Drawn: \(path)\n")
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      let picture = String(decoding: data, as: UTF8.self)
      if format == "chrome-trace" {
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: data) }
      } else {
        #expect(picture.contains("<svg") && picture.contains("</svg>"), "\(format)")
        #expect(picture.contains("</html>") == (format == "html"))
      }
      #expect(picture.contains(id), "\(format)")
    }
  }
}
