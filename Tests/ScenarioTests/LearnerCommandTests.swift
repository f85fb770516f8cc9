import Foundation
import PlaygroundKit
import Testing

/// What a learner does around a check: hints, the solution, a fresh start, the progress.
@Suite final class LearnerCommandTests: CommandLineSuite {
  private var desk: String { tool.temporary.appendingPathComponent("my desk").path }
  private var folder: String { desk + "/08-perform-and-wait-on-main" }
  private var file: String { folder + "/ImportArticles.swift" }
  private var progress: String { desk + "/progress.json" }

  private func start() throws {
    #expect(try tool.run("start", "8", "--dir", desk).status == 0)
  }

  private func text(of path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func write(_ text: String, to path: String) throws {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// Runs lines of shell in a folder.
  private func inside(_ folder: String, _ lines: String) throws -> CommandLineTool.Reply {
    try tool.shell("cd '\(folder)' && \(lines)")
  }

  /// The entry of exercise 8 in the progress.
  private func entry() throws -> ProgressRecord.Entry? {
    let record = try JSONDecoder().decode(ProgressRecord.self, from: Data(text(of: progress).utf8))
    return record.exercises["08-perform-and-wait-on-main"]
  }

  // MARK: Where the exercise is

  @Test func aFolderANumberANameAndNothingNameTheSameExercise() throws {
    try start()
    let words = [
      "hint '\(folder)'", "hint '\(file)'", "hint 8 --dir '\(desk)'",
      "hint perform-and-wait-on-main --dir '\(desk)/'",
    ]
    for line in words.map({ "\"$FAULTLINE\" \($0) --level 1 -q" }) {
      #expect(try tool.shell(line).output.contains("returns when its block has run"), "\(line)")
    }
    for (place, line) in [
      (folder, "hint"), (folder, "hint ."), (folder, "hint 8"), (desk, "hint 8"),
      (desk + "/..", "hint 8 --dir 'my desk'"),
    ] {
      let reply = try inside(place, "\"$FAULTLINE\" \(line) --level 2 -q")
      #expect(reply.output.contains("suspends the function"), "\(place) \(line) \(reply.errors)")
    }
    #expect(try entry()?.hints == [1, 2])
  }

  @Test func withoutAWordTheCurrentFolderMustBeAnExercise() throws {
    for command in ["check", "hint", "solution", "reset", "predict"] {
      expect(
        try inside(tool.temporary.path, "\"$FAULTLINE\" \(command)"), .usage,
        saying: "The current folder is no exercise", "faultline check 8")
    }
    expect(try tool.run("hint", "8", "--dir", desk), .input, saying: "start 8 --dir '\(desk)'")
    expect(try tool.run("hint", "1", "--dir", desk), .input, saying: "start 1 --dir")
    expect(try tool.run("hint", desk + "/none"), .input, saying: "There is no \(desk)/none")
  }

  @Test func aCheckInsideTheFolderIsRecordedBesideIt() throws {
    try start()
    let failed = try inside(folder, "\"$FAULTLINE\" check")
    #expect(failed.status == 1 && failed.errors == "", "\(failed.errors)")
    #expect(failed.output.contains("Not solved yet: "), "\(failed.output)")
    #expect(failed.output.contains("faultline hint ."), "\(failed.output)")
    let points = try #require(try entry()?.points)
    #expect(failed.output.contains("Not solved yet: \(points) of 10 points."))
    let alone = try inside(folder, "\"$FAULTLINE\" check --only no-sleep -q")
    #expect(alone.status == 0 && alone.output == "8: 1 of 1 points\n")
    #expect(try entry()?.points == points && entry()?.isPassed == false)
    let solution = try inside(
      folder, "\"$FAULTLINE\" solution --give-up --plain >../s; cp ../s ImportArticles.swift")
    #expect(solution.status == 0, "\(solution.errors)")
    let passed = try inside(folder, "\"$FAULTLINE\" check")
    #expect(passed.status == 0, "\(passed.output)")
    #expect(try entry()?.points == 10 && entry()?.isPassed == true && entry()?.isGivenUp == true)
  }

  // MARK: Progress that cannot be kept

  @Test func aCheckHoldsWhenItCannotBeRecorded() throws {
    try start()
    let newer = #"{"format": 9, "faultline": "3.2.1", "exercises": {}}"#
    try write(newer, to: progress)
    let check = try tool.run("check", folder, "-q")
    #expect(check.status == 1 && check.output.hasSuffix(" of 10 points\n"), "\(check.output)")
    #expect(check.complaints.count == 1 && check.errors.contains("This check is not recorded: "))
    #expect(check.errors.contains("3.2.1"), "\(check.errors)")
    for command in ["hint", "solution"] {
      expect(try tool.run(command, folder), .input, saying: "written by faultline 3.2.1")
    }
    expect(try tool.run("progress", "--dir", desk), .input, saying: "written by faultline 3.2.1")
    expect(try tool.run("list", "--todo", "--dir", desk), .input, saying: "3.2.1")
    #expect(try text(of: progress) == newer)
  }

  @Test func aDamagedFileIsPutAsideAndAHintIsRecordedAnew() throws {
    try start()
    try write("{ \"exer", to: progress)
    let hint = try tool.run("hint", folder, "-q")
    #expect(hint.status == 0 && !hint.output.isEmpty)
    #expect(hint.complaints.count == 1 && hint.errors.contains("is damaged"), "\(hint.errors)")
    #expect(try text(of: desk + "/progress-1.json") == "{ \"exer")
    #expect(try entry()?.hints == [1])
  }

  // MARK: Hints and the solution

  @Test func eachCallShowsTheNextHintAndTheLastOneStays() throws {
    try start()
    for level in [1, 2, 3, 3] {
      let page = try tool.run("hint", folder, "--width", "400").output
      #expect(page.contains("hint \(level) of 3"), "\(page)")
      #expect(page.contains("solution '\(folder)' --give-up") == (level == 3), "\(page)")
    }
    #expect(try entry()?.hints == [1, 2, 3])
    let table = try tool.run("hint", folder, "--level", "2", "--plain").output
    #expect(table.hasPrefix("level\tof\thint\n2\t3\t`await"), "\(table)")
    for level in ["0", "4", "-1", "two", ""] {
      expect(try tool.run("hint", folder, "--level", level), .usage, saying: "from 1 to 3")
    }
  }

  @Test func theSolutionComesAfterAPassOrWhenGivenUp() throws {
    try start()
    let mine = try text(of: file)
    expect(
      try tool.run("solution", folder), .answerIsNo, saying: "comes after a pass", "--give-up`")
    #expect(!FileManager.default.fileExists(atPath: progress))
    expect(
      try tool.run("solution", folder, "--give-up", "-o", file), .usage,
      saying: "whose files are yours")
    let shown = try tool.run("solution", folder, "--give-up", "--width", "400").output
    #expect(shown.contains("await bg.perform"), "\(shown)")
    #expect(shown.contains("solution '\(folder)' --plain | diff '\(file)' -"), "\(shown)")
    #expect(try entry()?.isGivenUp == true && entry()?.isPassed == false)
    #expect(try tool.run("solution", folder, "--plain").output.hasPrefix("import CoreData\n"))
    #expect(try text(of: file) == mine)
    try write(
      """
      {"format": 1, "faultline": "0.1.0",
       "exercises": {"08-perform-and-wait-on-main": {"isPassed": true}}}
      """, to: progress)
    #expect(try tool.run("solution", folder, "--give-up").status == 0)
    #expect(try entry()?.isGivenUp == false, "nothing was given up after a pass")
  }

  // MARK: A fresh start

  @Test func aResetKeepsTheEarlierFilesBesideTheNewOne() throws {
    try start()
    let fresh = try text(of: file)
    let same = try tool.run("reset", folder, "--width", "400")
    #expect(same.output == "\(file) is as it was at the start; nothing was changed.\n")
    for number in 1...2 {
      try write("mine \(number)", to: file)
      let again = try tool.run("start", "8", "--dir", desk, "--width", "400")
      #expect(again.output.contains("already there, and stays as it is"), "\(again.output)")
      #expect(again.output.contains("faultline reset '\(folder)'"), "\(again.output)")
      let kept = file.replacingOccurrences(of: ".swift", with: "-\(number).swift")
      let reply = try tool.run("reset", folder, "--yes", "--width", "400")
      #expect(
        reply.output == """
          \(file) is as it was at the start.
          Your earlier file is now \(kept).

          """)
      #expect(try text(of: kept) == "mine \(number)")
      #expect(try text(of: file) == fresh)
    }
  }

  @Test func aResetAsksOnATerminalOnly() throws {
    try start()
    try write("mine", to: file)
    for line in ["reset '\(folder)'", "reset '\(folder)' --no-input"] {
      expect(
        try tool.shell("\"$FAULTLINE\" \(line)"), .usage,
        saying: "no terminal to ask on", "faultline reset '\(folder)' --yes")
    }
    #expect(try text(of: file) == "mine")
  }

  @Test func aResetBringsBackAFileThatIsGone() throws {
    try start()
    let fresh = try text(of: file)
    try FileManager.default.removeItem(atPath: file)
    let refused = try tool.run("check", folder)
    expect(refused, .input, saying: "There is no \(file)", "faultline reset '\(folder)'")
    #expect(try inside(folder, "\"$FAULTLINE\" reset -q").status == 0)
    #expect(try text(of: file) == fresh)
    #expect(!FileManager.default.fileExists(atPath: folder + "/ImportArticles-1.swift"))
  }

  // MARK: The table

  @Test func theProgressIsATableByPart() throws {
    try start()
    try write(
      """
      {"format": 1, "faultline": "0.1.0", "exercises": {
        "08-perform-and-wait-on-main": {
          "points": 10, "pointsMax": 10, "isPassed": true, "hints": [1, 3], "isGivenUp": true},
        "27-the-lost-update": {"points": 5, "pointsMax": 12, "predictions": [
          {"question": "a", "sure": 5, "isRight": true},
          {"question": "b", "sure": 5, "isRight": false},
          {"question": "c", "sure": 1, "isRight": true}, {"question": "d", "isRight": true}]}}}
      """, to: progress)
    let page = try tool.run("progress", "--dir", desk).output
    for line in [
      #/\n  08  performAndWait from the main thread +10 of 10 +✓ +2 +yes\n/#,
      #/\n  27  The lost update[^\n]+ 5 of 12 +✗ +– +–\n/#,
      #/\nSum +15 of [0-9]+ +1 of [0-9]+ +2 +1\n/#,
      #/\nPredictions  sure 5: 1 of 2 right · sure 1: 1 of 1 right\n/#,
    ] as [Regex<Substring>] {
      let isThere = page.firstMatch(of: line) != nil
      #expect(isThere, "\(page)")
    }
    #expect(try inside(folder, "\"$FAULTLINE\" progress -q").output.hasPrefix("15 of "))
    let narrow = try tool.run("progress", "--dir", desk, "--width", "60", "--ascii").output
    #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 60 }, "\(narrow)")
    #expect(narrow.allSatisfy { $0.isASCII }, "\(narrow)")
    let plain = try tool.run("progress", "--dir", desk, "--plain").output
    #expect(plain.contains("\n8\tperformAndWait from the main thread\t2\t10\t10\tyes\t1,3\tyes\n"))
    let json = try tool.run("progress", "--dir", desk, "--json").output
    let table = try JSONDecoder().decode(ProgressTable.self, from: Data(json.utf8))
    let eight = table.exercises.first { $0.number == 8 }
    #expect(eight?.isStarted == true && table.points == 15)
    #expect(table.confidence.map(\.sure) == [5, 1] && table.confidence.map(\.right) == [1, 1])
    let todo = try tool.run("list", "--todo", "--dir", desk).output
    #expect(todo.contains("\n  27  ") && !todo.contains("  08  "), "\(todo)")
    let list = try tool.run("list", "--dir", desk).output
    #expect(list.contains(#/  08  performAndWait from the main thread +passed\n/#), "\(list)")
  }

  @Test func whereNothingIsRequiredNothingIsPredicted() throws {
    try start()
    expect(try tool.run("predict", folder), .usage, saying: "asks for no prediction")
  }
}
