import Foundation
import PlaygroundKit
import Testing

/// Input that has no meaning: one sentence that says what to do, and exit code 2.
@Suite final class CommandLineUsageTests: CommandLineSuite {
  @Test func anUnknownScenarioNamesTheNearest() throws {
    expect(try tool.run("run", "61"), .usage, saying: "nearest is 48", "faultline list")
    expect(try tool.run("run", "the-lost-tial"), .usage, saying: "nearest is 38")
    expect(try tool.run("show", "400"), .usage, saying: "nearest is 48")
    expect(try tool.run("run", "62..65"), .usage, saying: "no scenario in 62..65")
    expect(try tool.run("run"), .usage, saying: "faultline run 8")
    expect(try tool.run("show"), .usage, saying: "faultline show 8")
    expect(
      try tool.run("explore", "99"), .usage, saying: "nearest is 48", "faultline list")
    expect(
      try tool.run("run", "blocking/perform-and-wait-on-mian"), .usage,
      saying: "nearest is 8, perform-and-wait-on-main")
  }

  @Test func anUnknownCommandNamesTheNearest() throws {
    expect(try tool.run("rnu", "8"), .usage, saying: "did you mean `faultline run`")
    expect(try tool.run("8"), .usage, saying: "no command “8”")
    expect(try tool.run("help", "foo"), .usage, saying: "no command “foo”")
    expect(try tool.run("help", "rnu"), .usage, saying: "did you mean `faultline help run`")
  }

  @Test func anUnknownFlagNamesTheNearest() throws {
    expect(
      try tool.run("run", "8", "--repat", "3"), .usage, saying: "'--repeat'",
      "`faultline help run` lists every flag")
    expect(try tool.run("list", "8"), .usage, saying: "`faultline help list` lists every flag")
    expect(
      try tool.run("guide", "check", "--onyl", "x"), .usage, saying: "`faultline help guide check`")
  }

  @Test func aRepeatThatRunsNothingIsRefused() throws {
    for count in ["0", "-1", "many", "1.5", ""] {
      expect(try tool.run("run", "8", "--repeat", count), .usage, saying: "1 or more")
    }
  }

  @Test func aParameterTakesANumberInItsRange() throws {
    expect(try tool.run("run", "8", "--set", "rows=banana"), .usage, saying: "rows", "“banana”")
    expect(try tool.run("run", "8", "--set", "rows=0"), .usage, saying: "from 1 to")
    expect(
      try tool.run("run", "8", "--set", "rows=99999999999999999999"), .usage, saying: "whole number"
    )
    expect(try tool.run("run", "8", "--set", "rows"), .usage, saying: "name=number")
    expect(try tool.run("run", "8", "--set", "=3"), .usage, saying: "name=number")
  }

  @Test func anUnknownParameterNamesTheOnesThereAre() throws {
    expect(try tool.run("run", "8", "--set", "row=3"), .usage, saying: "scenario 8 is rows.")
  }

  @Test func anUnknownSideNamesTheOnesThereAre() throws {
    expect(try tool.run("run", "8", "--side", "wrnog"), .usage, saying: "wrong, right")
    expect(try tool.run("show", "8", "--side", "left"), .usage, saying: "wrong, right")
  }

  @Test func flagsThatContradictOrMeanNothingAreRefused() throws {
    expect(try tool.run("run", "8", "--json", "--plain"), .usage, saying: "give one of them")
    expect(try tool.run("run", "8", "--width", "10"), .usage, saying: "60 to 400")
    expect(try tool.run("run", "8", "--debug=maybe"), .usage, saying: "on, off or record")
    #expect(try tool.run("run", "38", "--repeat", "1", "--debug", "off").status == 0)
    expect(try tool.run("list", "--part", "12"), .usage, saying: "1 to 8")
    expect(
      try tool.run("run", "8", environment: ["FAULTLINE_SEED": "x"]), .usage,
      saying: "FAULTLINE_SEED")
  }

  @Test func nothingIsWrittenForInputWithoutMeaning() throws {
    _ = try tool.run("run", "8", "--set", "rows=banana")
    #expect(try tool.leftovers() == [])
  }
}
