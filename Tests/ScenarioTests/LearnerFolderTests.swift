import Foundation
import PlaygroundKit
import Testing

/// The verbs on folders of a learner's: their exercise, and a scenario of their own.
@Suite final class LearnerFolderTests: CommandLineSuite {
  private func path(_ name: String) -> String { tool.temporary.appendingPathComponent(name).path }

  /// Starts an exercise in a folder of the test's.
  private func started(_ exercise: String) throws -> (folder: String, file: String) {
    let file = try tool.run("start", exercise, "--dir", path("ex"), "--quiet").output
      .trimmingCharacters(in: .newlines)
    return (URL(fileURLWithPath: file).deletingLastPathComponent().path, file)
  }

  /// Checks the code, and for words on either stream.
  private func expect(
    _ reply: CommandLineTool.Reply, _ status: PlaygroundKit.ExitStatus, showing words: String...
  ) {
    #expect(reply.status == status.rawValue, "\(reply.output)\(reply.errors)")
    let text = (reply.output + reply.errors).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    for word in words {
      #expect(text.contains(word), "\(reply.output)\(reply.errors)")
    }
  }

  @Test func everyVerbTakesAnExercise() throws {
    let (folder, file) = try started("8")
    // Whether frames drop is the machine's business.
    let run = try tool.run(
      "run", folder, "--repeat", "1", "--beside", "right", "--set", "rows=500")
    #expect(run.output.contains("YOURS") && run.output.contains("RIGHT"), "\(run.errors)")
    let explored = try tool.run("explore", folder, "--bound", "0")
    expect(
      explored, .answerIsNo, showing: "YOURS refuted", "Next faultline replay", folder)
    let id = try #require(explored.output.firstMatch(of: #/s3-x\w+-\w+-\w/#)).output
    expect(
      try tool.run("replay", folder, String(id)), .answerIsNo, showing: "STALL",
      "Next faultline draw")
    expect(try tool.run("draw", folder, String(id)), .done, showing: "STALL", String(id))
    expect(try tool.run("show", folder), .done, showing: "func importArticles")
    expect(
      try tool.shell("cd '\(path("."))' && mv ex exercises && \"$FAULTLINE\" draw \(id)"), .input,
      showing: "`faultline draw exercises/08-perform-and-wait-on-main \(id)`")
    expect(try tool.shell("cd '\(path("."))' && mv exercises ex"), .done)
    // The id belongs to this code.
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try (text + "\n// changed\n").write(toFile: file, atomically: true, encoding: .utf8)
    expect(try tool.run("replay", folder, String(id)), .input, showing: "other code", "--anyway")
    expect(try tool.run("replay", folder, String(id), "--anyway"), .answerIsNo, showing: "STALL")
    for verb in ["replay", "draw"] {
      expect(
        try tool.run(verb, String(id)), .input,
        showing: "name the folder before the id, as in `faultline \(verb) my-race \(id)`")
    }
    expect(
      try tool.shell("cd '\(folder)' && \"$FAULTLINE\" replay \(id) --anyway"), .answerIsNo,
      showing: "STALL")
    expect(try tool.run("replay", folder, "s3-27-0-N"), .input)
  }

  @Test func aScenarioOfOnesOwnRunsAsItIsWritten() throws {
    let folder = path("seat-race")
    let made = try tool.run("new", folder)
    expect(made, .done, showing: "SeatRace.swift", "faultline run \(folder)")
    expect(
      try tool.run("run", folder, "--repeat", "1", "--set", "buyers=2"), .done,
      showing: "The seat that is sold twice", "WRONG", "RIGHT")
    let explored = try tool.run("explore", folder, "--bound", "1")
    expect(explored, .done, showing: "WRONG refuted", "SOLD TWICE", "RIGHT proved for ≤ 1 switch")
    let id = try #require(explored.output.firstMatch(of: #/s3-x\w+-\w+-\w/#)).output
    expect(try tool.run("draw", folder, String(id)), .done, showing: "Ends SOLD TWICE")
    expect(try tool.run("check", folder), .usage, showing: "nothing is required")
    expect(try tool.run("new", folder), .input, showing: "already there")
    expect(try tool.run("run", folder, "--beside", "right"), .usage, showing: "--beside")
    expect(try tool.run("run", folder, "--side", "rigth"), .usage, showing: "did you mean right?")
  }

  @Test func aFolderThatCannotBeUsedIsNamed() throws {
    for name in ["My Race", "2cats", ""] {
      expect(
        try tool.run("new", name), .usage,
        showing: "“\(name)” is no name for a scenario: begin with a letter")
    }
    expect(try tool.run("explore", path("nothing")), .input, showing: "There is no")
    let empty = path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    expect(try tool.run("explore", empty), .input, showing: "No Swift file in", "is a Scenario")
    expect(try tool.run("run", empty, "8"), .input)
    let (folder, file) = try started("8")
    for (text, word) in [
      ("\u{0}", "NUL byte"), (String(repeating: "// x\n", count: 2_100_000), "10 MB"),
    ] {
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      expect(try tool.run("check", folder), .input, showing: word)
    }
    try "func mine() {}\n".write(toFile: file, atomically: true, encoding: .utf8)
    expect(try tool.run("check", folder), .build, showing: "has no function `yours`")
    try FileManager.default.removeItem(atPath: file)
    expect(try tool.run("check", folder), .input, showing: "There is no", "faultline reset")
  }

  /// The compiler would read its options in the hidden file: it wrote wherever they said.
  @Test func aFileThatTheCompilerWouldTakeForOptionsIsRefused() throws {
    let folder = path("options")
    expect(try tool.run("new", folder), .done)
    for name in ["@.x.swift", "-x.swift"] {
      let reply = try tool.shell(
        "cd '\(folder)' && echo --version > .x.swift && touch ./\(name) && $FAULTLINE run .;"
          + " code=$?; rm ./\(name); exit $code")
      expect(reply, .input, showing: "\(name) begins with - or @")
    }
  }

  /// A new scenario with the model that a comment in it shows, after some changes.
  private func own(_ name: String, _ change: (String) -> String) throws -> String {
    let folder = path(name)
    let file = try tool.run("new", folder, "--quiet").output.trimmingCharacters(in: .newlines)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let shown = text.split(separator: "\n").filter { $0.hasPrefix("  //     ") }
      .map { String($0.dropFirst(9)) }
    let end = try #require(shown.firstIndex(of: "}"))
    let own = text.replacing(
      "  @MainActor static var model: NSManagedObjectModel { Library.model }\n",
      with: shown[(end + 1)...].joined(separator: "\n") + "\n"
    ).replacing(#/Article(?=[(.])/#, with: "Seat").replacing("flight.views", with: "flight.row")
      .replacing(
        "Category(context: context).name = \"ticket\"", with: "Seat(context: context).row = -1"
      )
      .replacing("storedRows(of: \"Category\")", with: "storedRows(of: \"Seat\") - 1")
    try (change(own) + shown[...end].joined(separator: "\n") + "\n")
      .write(toFile: file, atomically: true, encoding: .utf8)
    return folder
  }

  @Test func aModelOfOnesOwnIsWrittenAsTheTemplateShows() throws {
    let folder = try own("seats") { $0 }
    expect(
      try tool.run("explore", folder, "--bound", "1"), .done, showing: "WRONG refuted",
      "SOLD TWICE", "RIGHT proved for ≤ 1 switch")
    let file = "\(folder)/Seats.swift"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("  @Managed", with: "  @NSManaged")
      .write(toFile: file, atomically: true, encoding: .utf8)
    let reply = try tool.run("explore", folder)
    expect(reply, .build, showing: "Seats.swift:", "write @Managed, not @NSManaged")
    #expect(reply.complaints.count == 2, "\(reply.errors)")
  }

  @Test func sidesOfOneNameAreRefused() throws {
    let folder = try own("twins") {
      $0.replacing(
        "    .right(\"refuse", with: "    .wrong(\"sell blindly\", wrong),\n    .right(\"refuse")
    }
    for verb in ["run", "explore"] {
      expect(
        try tool.run(verb, folder), .input,
        showing: "two sides are named “wrong”: give each a name of its own",
        "`.wrong(\"sell blindly\", name: \"wrong2\", …)`")
    }
  }

  @Test func theCompilersWordsNameTheLearnersFileAndNothingElse() throws {
    let (folder, file) = try started("8")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("return 0", with: "return nothingOfThatName")
      .write(toFile: file, atomically: true, encoding: .utf8)
    let reply = try tool.run("check", folder)
    expect(reply, .build, showing: "\(file):", "cannot find 'nothingOfThatName' in scope")
    for noise in ["main.swift", "-module-alias", "emit-module", "swiftc"] {
      #expect(!(reply.output + reply.errors).contains(noise), "\(reply.errors)")
    }
    // So many words are cut between two lines.
    let wrong = (0..<400).map { "let a\($0): Int = \"\"" }.joined(separator: "\n")
    try (text + wrong).write(toFile: file, atomically: true, encoding: .utf8)
    let lines = try tool.run("check", folder).complaints
    #expect(try #require(lines.last).wholeMatch(of: #/… \d+ more lines/#) != nil, "\(lines)")
    #expect(!lines.contains { $0.contains(" characters) ") }, "\(lines)")
  }
}
