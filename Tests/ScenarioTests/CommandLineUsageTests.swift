import Foundation
import PlaygroundKit
import XCTest

/// Input that has no meaning: one sentence that says what to do, and exit code 2.
final class CommandLineUsageTests: CommandLineTestCase {
  func testAnUnknownScenarioNamesTheNearest() throws {
    expect(try tool.run("run", "10"), .usage, saying: "nearest is 9", "faultline list")
    expect(try tool.run("run", "the-lost-tial"), .usage, saying: "nearest is 38")
    expect(try tool.run("show", "400"), .usage, saying: "nearest is 38")
    expect(try tool.run("run", "2..5"), .usage, saying: "no scenario in 2..5")
    expect(try tool.run("run"), .usage, saying: "faultline run 8")
  }

  func testAnUnknownCommandNamesTheNearest() throws {
    expect(try tool.run("rnu", "8"), .usage, saying: "did you mean `faultline run`")
    expect(try tool.run("8"), .usage, saying: "no command “8”")
  }

  func testAnUnknownFlagNamesTheNearest() throws {
    expect(try tool.run("run", "8", "--repat", "3"), .usage, saying: "'--repeat'")
  }

  func testARepeatThatRunsNothingIsRefused() throws {
    for count in ["0", "-1", "many", "1.5", ""] {
      expect(try tool.run("run", "8", "--repeat", count), .usage, saying: "from 1 up")
    }
  }

  func testAParameterTakesANumberInItsRange() throws {
    expect(try tool.run("run", "8", "--set", "rows=banana"), .usage, saying: "rows", "“banana”")
    expect(try tool.run("run", "8", "--set", "rows=0"), .usage, saying: "from 1 to")
    expect(
      try tool.run("run", "8", "--set", "rows=99999999999999999999"), .usage, saying: "whole number"
    )
    expect(try tool.run("run", "8", "--set", "rows"), .usage, saying: "name=number")
    expect(try tool.run("run", "8", "--set", "=3"), .usage, saying: "name=number")
  }

  func testAnUnknownParameterNamesTheOnesThereAre() throws {
    expect(try tool.run("run", "8", "--set", "row=3"), .usage, saying: "did you mean rows")
  }

  func testAnUnknownSideNamesTheOnesThereAre() throws {
    expect(try tool.run("run", "8", "--side", "wrnog"), .usage, saying: "wrong, right")
    expect(try tool.run("show", "8", "--side", "left"), .usage, saying: "wrong, right")
  }

  func testFlagsThatContradictOrMeanNothingAreRefused() throws {
    expect(try tool.run("run", "8", "--json", "--plain"), .usage, saying: "give one of them")
    expect(try tool.run("run", "8", "--width", "10"), .usage, saying: "60 to 400")
    expect(try tool.run("run", "8", "--debug=maybe"), .usage, saying: "on, off or record")
    expect(try tool.run("list", "--part", "12"), .usage, saying: "1 to 8")
    expect(
      try tool.run("run", "8", environment: ["FAULTLINE_SEED": "x"]), .usage,
      saying: "FAULTLINE_SEED")
  }

  func testNothingIsWrittenForInputWithoutMeaning() throws {
    _ = try tool.run("run", "8", "--set", "rows=banana")
    XCTAssertEqual(try tool.leftovers(), [])
  }
}
