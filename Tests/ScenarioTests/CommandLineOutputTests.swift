import Foundation
import PlaygroundKit
import Scenarios
import XCTest

/// What comes out when everything is well.
final class CommandLineOutputTests: CommandLineTestCase {
  func testWithoutArgumentsThereAreTwelveLinesOfHelp() throws {
    let reply = try tool.run()
    XCTAssertEqual(reply.status, 0)
    let lines = reply.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    XCTAssertEqual(lines.count, 12, reply.output)
    XCTAssertEqual(lines.count { $0.hasPrefix("  faultline ") }, 4)
  }

  func testHelpAndVersionGoToStandardOutput() throws {
    for arguments in [["--help"], ["help", "run"], ["run", "--help"], ["--version"]] {
      let line = arguments.joined(separator: " ")
      let reply = try tool.shell("\"$FAULTLINE\" \(line)")
      XCTAssertEqual(reply.status, 0, line)
      XCTAssertEqual(reply.errors, "", line)
      XCTAssertNotEqual(reply.output, "", line)
    }
  }

  func testTheHelpNamesEveryCommandAndNoHiddenOne() throws {
    let help = try tool.run("--help").output
    for command in [
      "list", "show", "run", "explore", "replay", "draw", "guide", "start", "check",
    ] {
      XCTAssertTrue(help.contains("  \(command) "), command)
    }
    XCTAssertFalse(help.contains("__"), help)
  }

  func testTheListHasEveryScenario() throws {
    let list = try tool.run("list").output
    let plain = try tool.run("list", "--plain").output
    for card in Catalogue.all.map({ $0.card }) {
      XCTAssertTrue(list.contains(card.title), card.slug)
      XCTAssertTrue(plain.contains("\(card.number)\t\(card.slug)\t"), card.slug)
    }
    for card in Matrix.scenarios.map({ $0.card }) {
      XCTAssertTrue(list.contains("\n  \(card.number)  \(card.title)\n"), card.slug)
    }
    XCTAssertFalse(try tool.run("list", "--part", "5").output.contains("\n  101  "))
  }

  func testTheStoryHasTheLinesOfBothSides() throws {
    for scenario in Catalogue.all {
      let reply = try tool.run("show", "\(scenario.card.number)")
      XCTAssertEqual(reply.status, 0, reply.errors)
      for outcome in scenario.outcomes { XCTAssertTrue(reply.output.contains(outcome.name)) }
      XCTAssertTrue(reply.output.contains("async throws {"), reply.output)
      XCTAssertFalse(reply.output.contains("anchor:"), scenario.card.slug)
    }
  }

  func testPageTableAndJSONTellTheSameRun() throws {
    let path = tool.temporary.appendingPathComponent("record.json").path
    let reply = try tool.run("run", "38", "--repeat", "2", "--seed", "5", "--json", "-o", path)
    XCTAssertEqual(reply.status, 0, reply.errors)
    XCTAssertEqual(reply.output, "")
    let record = try RunRecord(json: Data(contentsOf: URL(fileURLWithPath: path)))
    XCTAssertEqual(record.scenario.number, 38)
    XCTAssertEqual(record.repeats, 2)
    XCTAssertEqual(record.seed, 5)
    XCTAssertEqual(record.sides.map(\.trials.count), [2, 2])
    let plain = try tool.run("run", "38", "--repeat", "1", "--plain").output
    XCTAssertTrue(plain.hasPrefix("metric\twrong\tright\tdelta right\n"), plain)
    XCTAssertTrue(plain.contains("outcome\tTAIL LOST\tCOMPLETE\t"), plain)
  }

  func testAPageIsPlainASCIIWithoutColourWhenAskedAndNoTerminalReads() throws {
    let page = try tool.run("run", "38", "--repeat", "1", "--ascii", "--width", "72").output
    XCTAssertTrue(page.allSatisfy(\.isASCII), page)
    XCTAssertFalse(page.contains("\u{1B}"))
    XCTAssertTrue(page.split(separator: "\n").allSatisfy { $0.count <= 72 }, page)
  }

  func testASettingReachesTheSideAndThePage() throws {
    let path = tool.temporary.appendingPathComponent("record.json").path
    let reply = try tool.run(
      "run", "8", "--repeat", "1", "--set", "rows=1234", "--side", "right", "--json", "-o", path)
    XCTAssertEqual(reply.status, 0, reply.errors)
    let record = try RunRecord(json: Data(contentsOf: URL(fileURLWithPath: path)))
    XCTAssertEqual(record.parameters.first { $0.name == "rows" }?.value, 1234)
    XCTAssertEqual(record.sides.map(\.name), ["right"])
    XCTAssertTrue(record.scenario.given.contains("1,234"), record.scenario.given)
    XCTAssertEqual(
      record.sides.first?.summary("rows stored", in: nil)?.median, .number(1234))
  }

  func testAPageTellsTheValuesOfItsRun() throws {
    let page = try tool.run(
      "run", "37", "--set", "linked=0", "--set", "rows=2000", "--repeat", "1"
    ).output
    XCTAssertTrue(page.contains("2,000 articles of no category, saved in"), page)
    XCTAssertTrue(page.contains("· rows=2000 · linked=0 ·"), page)
    XCTAssertTrue(page.contains("Why  Nothing went wrong with these values."), page)
    let policy = try tool.run("run", "27", "--set", "policy=1", "--repeat", "1").output
    XCTAssertTrue(policy.contains("policy=1"), policy)
  }

  func testThePageOfEveryScenarioNamesALineThatDidIt() throws {
    for scenario in Catalogue.all {
      let side = scenario.sides[0].name
      let reply = try tool.run(
        "run", "\(scenario.card.number)", "--repeat", "1", "--side", side, "--json")
      let record = try RunRecord(json: Data(reply.output.utf8))
      XCTAssertFalse(record.sides.flatMap(\.trials).flatMap(\.marks).isEmpty, scenario.card.slug)
    }
  }

  func testAStoryIsDataToo() throws {
    struct Story: Decodable {
      struct Side: Decodable { var name: String }
      var sides: [Side]
      var code: [Side]
    }
    let reply = try tool.run("show", "28", "--side", "touch", "--json")
    let story = try JSONDecoder().decode(Story.self, from: Data(reply.output.utf8))
    XCTAssertEqual(story.sides.map(\.name), ["wrong", "right", "touch"])
    XCTAssertEqual(story.code.map(\.name), ["touch"])
    let plain = try tool.run("show", "8,28", "--plain").output
    XCTAssertTrue(plain.contains("\nwrong\twrong\tlook, take down, save\n"), plain)
    XCTAssertEqual(
      Set(plain.split(separator: "\n").map { $0.count { $0 == "\t" } }), [2], plain)
  }

  func testWhatIsStartedIsDataToo() throws {
    let folder = tool.temporary.appendingPathComponent("desk").path
    let reply = try tool.run("start", "8", "--dir", folder, "--json").output
    XCTAssertTrue(reply.contains("\"isNew\" : true"), reply)
  }

  func testNoExampleOfTheHelpIsBroken() throws {
    for command in [
      "", "list", "show", "run", "explore", "matrix", "replay", "draw", "start",
      "check", "guide check", "model generate",
    ] {
      let help = try tool.shell("\"$FAULTLINE\" help \(command)").output
      for line in help.split(separator: "\n") where line.hasPrefix("faultline ") {
        XCTAssertLessThanOrEqual(line.count, 80, command)
      }
      let examples = help.split(separator: "\n", omittingEmptySubsequences: false)
        .drop { !$0.hasPrefix("faultline ") }.prefix { !$0.isEmpty }
      for line in examples { XCTAssertTrue(line.hasPrefix("faultline "), "\(command): \(line)") }
    }
  }

  func testSeveralScenariosAreOneArray() throws {
    let reply = try tool.run("run", "26,38", "--repeat", "1", "--json")
    let records = try JSONDecoder().decode([RunRecord].self, from: Data(reply.output.utf8))
    XCTAssertEqual(records.map(\.scenario.number), [26, 38])
  }

  func testProgressIsSaidOnStandardErrorOnly() throws {
    let reply = try tool.run("run", "38", "--repeat", "1", "--verbose", "--plain")
    XCTAssertTrue(reply.output.hasPrefix("metric\t"), reply.output)
    let quiet = try tool.run("run", "38", "--repeat", "1")
    XCTAssertEqual(quiet.errors, "", "no terminal reads, and nobody asked")
  }
}
