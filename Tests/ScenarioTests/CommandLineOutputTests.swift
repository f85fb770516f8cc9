import Foundation
import PlaygroundKit
import Scenarios
import Testing

/// What comes out when everything is well.
@Suite final class CommandLineOutputTests: CommandLineSuite {
  @Test func withoutArgumentsThereAreTwelveLinesOfHelp() throws {
    let reply = try tool.run()
    #expect(reply.status == 0)
    let lines = reply.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count == 12, "\(reply.output)")
    #expect(lines.count { $0.hasPrefix("  faultline ") } == 4)
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(reply.output)")
  }

  @Test func helpAndVersionGoToStandardOutput() throws {
    for arguments in [["--help"], ["help", "run"], ["run", "--help"], ["--version"]] {
      let line = arguments.joined(separator: " ")
      let reply = try tool.shell("\"$FAULTLINE\" \(line)")
      #expect(reply.status == 0, "\(line)")
      #expect(reply.errors == "", "\(line)")
      #expect(reply.output != "", "\(line)")
    }
  }

  @Test func theHelpNamesEveryCommandAndNoHiddenOne() throws {
    let help = try tool.run("--help").output
    for command in [
      "list", "show", "run", "explore", "replay", "draw", "guide", "start", "check",
      "watch", "hint", "predict", "solution", "reset", "progress", "doctor",
    ] {
      #expect(help.contains("  \(command) "), "\(command)")
    }
    #expect(!help.contains("__"), "\(help)")
  }

  @Test func theListHasEveryScenario() throws {
    let list = try tool.run("list").output
    let plain = try tool.run("list", "--plain").output
    for card in Catalogue.all.map({ $0.card }) {
      #expect(list.contains(card.title), "\(card.slug)")
      #expect(plain.contains("\(card.name)\t\(card.slug)\t"), "\(card.slug)")
    }
    for card in Matrix.scenarios.map({ $0.card }) {
      #expect(list.contains("\n  \(card.name)  \(card.title)\n"), "\(card.slug)")
    }
    #expect(try !tool.run("list", "--part", "5").output.contains("\n  101  "))
  }

  @Test func theStoryHasTheLinesOfBothSides() throws {
    for scenario in Catalogue.all {
      let reply = try tool.run("show", "\(scenario.card.name)")
      #expect(reply.status == 0, "\(reply.errors)")
      for outcome in scenario.outcomes { #expect(reply.output.contains(outcome.name)) }
      #expect(reply.output.contains("async throws {"), "\(reply.output)")
      #expect(!reply.output.contains("anchor:"), "\(scenario.card.slug)")
    }
  }

  @Test func pageTableAndJSONTellTheSameRun() throws {
    let path = tool.temporary.appendingPathComponent("record.json").path
    let reply = try tool.run("run", "38", "--repeat", "2", "--seed", "5", "--json", "-o", path)
    #expect(reply.status == 0, "\(reply.errors)")
    #expect(reply.output == "")
    let record = try RunRecord(json: Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(record.scenario.number == 38)
    #expect(record.repeats == 2)
    #expect(record.seed == 5)
    #expect(record.sides.map(\.trials.count) == [2, 2])
    let plain = try tool.run("run", "38", "--repeat", "1", "--plain").output
    #expect(plain.hasPrefix("metric\twrong\tright\tdelta right\n"), "\(plain)")
    #expect(plain.contains("outcome\tTAIL LOST\tCOMPLETE\t"), "\(plain)")
  }

  @Test func aPageIsPlainASCIIWithoutColourWhenAskedAndNoTerminalReads() throws {
    let page = try tool.run("run", "38", "--repeat", "1", "--ascii", "--width", "72").output
    #expect(page.allSatisfy { $0.isASCII }, "\(page)")
    #expect(!page.contains("\u{1B}"))
    #expect(page.split(separator: "\n").allSatisfy { $0.count <= 72 }, "\(page)")
  }

  @Test func aSettingReachesTheSideAndThePage() throws {
    let path = tool.temporary.appendingPathComponent("record.json").path
    let reply = try tool.run(
      "run", "8", "--repeat", "1", "--set", "rows=1234", "--side", "right", "--json", "-o", path)
    #expect(reply.status == 0, "\(reply.errors)")
    let record = try RunRecord(json: Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(record.parameters.first { $0.name == "rows" }?.value == 1234)
    #expect(record.sides.map(\.name) == ["right"])
    #expect(record.scenario.given.contains("1,234"), "\(record.scenario.given)")
    #expect(record.sides.first?.summary("rows stored", in: nil)?.median == .number(1234))
  }

  @Test func aPageTellsTheValuesOfItsRun() throws {
    let page = try tool.run(
      "run", "37", "--set", "linked=0", "--set", "rows=2000", "--repeat", "1"
    ).output
    #expect(page.contains("2,000 articles of no category, saved in"), "\(page)")
    #expect(page.contains("· rows=2000 · linked=0 ·"), "\(page)")
    #expect(page.contains("Why  Nothing went wrong with these values."), "\(page)")
    let policy = try tool.run("run", "27", "--set", "policy=1", "--repeat", "1").output
    #expect(policy.contains("policy=1"), "\(policy)")
  }

  @Test func thePageOfEveryScenarioNamesALineThatDidIt() throws {
    for scenario in Catalogue.all {
      let side = scenario.sides[0].name
      let reply = try tool.run(
        "run", "\(scenario.card.name)", "--repeat", "1", "--side", side, "--json")
      let record = try RunRecord(json: Data(reply.output.utf8))
      #expect(!(record.sides.flatMap(\.trials).flatMap(\.marks).isEmpty), "\(scenario.card.slug)")
    }
  }

  @Test func aStoryIsDataToo() throws {
    struct Story: Decodable {
      struct Side: Decodable { var name: String }
      var sides: [Side]
      var code: [Side]
    }
    let reply = try tool.run("show", "28", "--side", "touch", "--json")
    let story = try JSONDecoder().decode(Story.self, from: Data(reply.output.utf8))
    #expect(story.sides.map(\.name) == ["wrong", "right", "touch"])
    #expect(story.code.map(\.name) == ["touch"])
    let plain = try tool.run("show", "8,28", "--plain").output
    #expect(plain.contains("\nwrong\twrong\tlook, take down, save\n"), "\(plain)")
    #expect(Set(plain.split(separator: "\n").map { $0.count { $0 == "\t" } }) == [2], "\(plain)")
  }

  @Test func whatIsStartedIsDataToo() throws {
    let folder = tool.temporary.appendingPathComponent("desk").path
    let reply = try tool.run("start", "8", "--dir", folder, "--json").output
    #expect(reply.contains("\"isNew\" : true"), "\(reply)")
  }

  @Test func noExampleOfTheHelpIsBroken() throws {
    for command in [
      "", "list", "show", "run", "explore", "matrix", "replay", "draw", "start",
      "check", "guide check", "model generate", "doctor", "progress",
    ] {
      let help = try tool.shell("\"$FAULTLINE\" help \(command)").output
      for line in help.split(separator: "\n") where line.hasPrefix("faultline ") {
        #expect(line.count <= 80, "\(command)")
      }
      let examples = help.split(separator: "\n", omittingEmptySubsequences: false)
        .drop { !$0.hasPrefix("faultline ") }.prefix { !$0.isEmpty }
      for line in examples { #expect(line.hasPrefix("faultline "), "\(command): \(line)") }
    }
  }

  @Test func severalScenariosAreOneArray() throws {
    let reply = try tool.run("run", "26,38", "--repeat", "1", "--json")
    let records = try JSONDecoder().decode([RunRecord].self, from: Data(reply.output.utf8))
    #expect(records.map(\.scenario.number) == [26, 38])
  }

  @Test func severalScenariosAreALineEachAndTheirPagesAreInAFolder() throws {
    let folder = tool.temporary.appendingPathComponent("pages").path
    let reply = try tool.run("run", "31,38", "--repeat", "1", "--pages", folder)
    #expect(reply.status == 0, "\(reply.errors)")
    let lines = reply.output.split(separator: "\n")
    #expect(lines.count == 3, "\(reply.output)")
    #expect(lines[0].hasPrefix("✓ 31  A child's save is not on disk  "), "\(reply.output)")
    #expect(lines[0].contains("WRONG LOST  RIGHT STORED  "), "\(reply.output)")
    #expect(lines[2].hasPrefix("2 scenarios, all as declared, in "), "\(reply.output)")
    let page = try String(contentsOfFile: folder + "/38-the-lost-tail.txt", encoding: .utf8)
    #expect(page.hasPrefix("38  The lost tail") && page.contains("TAIL LOST"), "\(page)")
    expect(try tool.run("run", "--all", "8"), .usage, saying: "--all runs every scenario")
    expect(
      try tool.run("run", "38", "--pages", "/dev/null/x"), .input, saying: "--pages another path")
  }

  @Test func theListSaysWhatWasRunAndReached() throws {
    let desk = tool.temporary.appendingPathComponent("desk").path
    func line(_ number: String) throws -> String {
      let list = try tool.run("list", "--dir", desk).output
      return String(list.split(separator: "\n").first { $0.hasPrefix("  \(number)  ") } ?? "")
    }
    #expect(try line("38") == "  38  The lost tail")
    _ = try tool.run("run", "38", "--repeat", "1")
    #expect(try line("38").hasSuffix("  run"))
    _ = try tool.run("start", "38", "--dir", desk)
    #expect(try line("38").hasSuffix("  run · started"))
    _ = try tool.run("check", "38", "--dir", desk)
    #expect(try line("38").hasSuffix(" of 8 points"))
    for (kind, of, notOf) in [
      ("break", "35", "38"), ("test", "38", "37"), ("compile", "43", "15"), ("measure", "36", "45"),
    ] {
      let kinds = try tool.run("list", "--kind", kind, "--plain").output
      #expect(kinds.contains("\n\(of)\t") && !kinds.contains("\n\(notOf)\t"), "\(kinds)")
    }
    expect(try tool.run("list", "--kind", "x"), .usage, saying: "predict")
  }

  @Test func theDoctorTriesEachPartAndSaysWhatToDo() throws {
    let parts = try JSONDecoder().decode(
      [Doctor.Part].self, from: Data(try tool.run("doctor", "--json").output.utf8))
    let names = ["temporary", "toolchain", "sandbox", "clone", "exercises", "SQLite", "build"]
    #expect(parts.map(\.name) == names + ["processors", "state", "terminal"])
    #expect(parts.allSatisfy { $0.state != .bad }, "\(parts)")
    #expect(parts.allSatisfy { $0.state == .good || $0.advice != nil }, "\(parts)")
    let bare = try tool.run("doctor", "--quiet", environment: ["PATH": "/nonexistent"])
    #expect(bare.status == ExitStatus.answerIsNo.rawValue, "\(bare.errors)")
    #expect(bare.output.hasPrefix("✗ toolchain   `swiftc` is not on PATH"), "\(bare.output)")
    let nowhere = try tool.run("doctor", "--quiet", environment: ["TMPDIR": "/nonexistent"])
    #expect(nowhere.output.hasPrefix("✗ temporary "), "\(nowhere.output)")
  }

  @Test func progressIsSaidOnStandardErrorOnly() throws {
    let reply = try tool.run("run", "38", "--repeat", "1", "--verbose", "--plain")
    #expect(reply.output.hasPrefix("metric\t"), "\(reply.output)")
    let quiet = try tool.run("run", "38", "--repeat", "1")
    #expect(quiet.errors == "", "no terminal reads, and nobody asked")
  }
}
