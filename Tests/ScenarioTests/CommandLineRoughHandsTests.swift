import Foundation
import PlaygroundKit
import Testing

/// The tool is handled roughly: closed streams, full disks, odd files, odd words.
@Suite final class CommandLineRoughHandsTests: CommandLineSuite {
  private func path(_ name: String) -> String {
    tool.temporary.appendingPathComponent(name).path
  }

  private func write(_ text: String, to name: String) throws -> String {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    return path(name)
  }

  private func text(of path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  /// Runs lines of shell in which `$SMALL` is a file system of 64 kB; skips where none can be made.
  private func onASmallDisk(_ lines: String) throws -> CommandLineTool.Reply {
    let enter = getuid() == 0 ? "unshare --mount" : "unshare --map-root-user --mount"
    try FileManager.default.createDirectory(
      atPath: path("small"), withIntermediateDirectories: true)
    let mount = "mount -t tmpfs -o size=64k none \(path("small"))"
    let canMount = try tool.shell("\(enter) sh -c '\(mount)'")
    if canMount.status != 0 {
      try Test.cancel("no small disk can be made here: \(canMount.errors)")
    }
    return try tool.shell(
      "export SMALL=\(path("small")); \(enter) sh -c '\(mount) || exit 99\n\(lines)'")
  }

  private func put(_ text: String, inPlaceOfTheExerciseIn folder: String) throws {
    let started = try tool.run("start", "8", "--dir", folder, "--quiet").output
    let file = started.trimmingCharacters(in: .newlines)
    try FileManager.default.removeItem(atPath: file)
    if text.isEmpty {
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    } else {
      try Data(text.unicodeScalars.map { UInt8($0.value) }).write(to: URL(fileURLWithPath: file))
    }
  }

  // MARK: Files

  @Test func aRefusedCommandLeavesTheOldFile() throws {
    let page = try write("old", to: "page")
    expect(try tool.run("show", "8", "--side", "left", "-o", page), .usage, saying: "left")
    expect(try tool.run("replay", "nonsense", "-o", page), .input, saying: "nonsense")
    #expect(try text(of: page) == "old")
    #expect(try tool.leftovers() == ["page"])
  }

  @Test func anInterruptedCommandLeavesTheOldFile() throws {
    let page = try write("old", to: "page")
    let process = tool.process(["explore", "37", "--bound", "9", "-o", page], errors: Pipe())
    try process.run()
    while try !tool.leftovers().contains(where: { $0.hasSuffix("/own") }), process.isRunning {
      sched_yield()
    }
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
    #expect(try text(of: page) == "old")
    #expect(try tool.leftovers() == ["page"])
  }

  @Test func aFullDiskLeavesTheOldFileOrNone() throws {
    let model = try write(
      """
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Car" representedClassName="Car"/>
      </model>
      """, to: "model.xml")
    let reply = try onASmallDisk(
      """
      cd "$SMALL"; mkdir -p full/08-perform-and-wait-on-main; echo old >page
      cat /dev/zero >filler 2>/dev/null
      "$FAULTLINE" list -o page; echo $?
      "$FAULTLINE" start 8 --dir full; echo $?
      "$FAULTLINE" model generate \(model) --output .; echo $?
      export FAULTLINE_HOME="$SMALL"
      "$FAULTLINE" explore 27 --side wrong --strategy random --budget 10 --seed 3 \
        --set writers=4 >/dev/null
      cat page; ls -A . full/* schedules
      """)
    #expect(
      reply.output == """
        5
        5
        5
        old
        .:
        filler
        full
        page
        schedules

        full/08-perform-and-wait-on-main:

        schedules:

        """, "\(reply.errors)")
    #expect(reply.complaints.count == 4, "\(reply.errors)")
    #expect(reply.complaints.allSatisfy { $0.contains("disk has no room") }, "\(reply.errors)")
  }

  @Test func aFullDiskLeavesTheProgressAsItWas() throws {
    let folder = path("desk/08-perform-and-wait-on-main")
    let file = try tool.run("start", "8", "--dir", path("desk"), "--quiet").output
      .trimmingCharacters(in: .newlines)
    let reply = try onASmallDisk(
      """
      cd "$SMALL"; mkdir desk; cd desk; mkdir \(URL(fileURLWithPath: folder).lastPathComponent)
      cd 08*; cp \(file) .
      "$FAULTLINE" hint -q; cp ../progress.json \(path("before"))
      cat /dev/zero >../filler 2>/dev/null
      "$FAULTLINE" hint -q; echo $?
      "$FAULTLINE" solution --give-up -q; echo $?
      "$FAULTLINE" reset --yes -q; echo $?
      echo >ImportArticles.swift; "$FAULTLINE" reset --yes -q; echo $?
      rm ../filler; cp \(file) .; cat /dev/zero >../filler 2>/dev/null
      "$FAULTLINE" check -q | grep -c points
      cmp ../progress.json \(path("before")); ls -A ..
      """)
    let lines = reply.output.split(separator: "\n").dropFirst()
    #expect(
      Array(lines) == [
        "5", "5", "0", "5", "1", "08-perform-and-wait-on-main", "filler", "progress.json",
      ], "\(reply.output) \(reply.errors)")
    #expect(reply.complaints.count == 4, "\(reply.errors)")
    #expect(reply.complaints.allSatisfy { $0.contains("disk has no room") }, "\(reply.errors)")
    #expect(reply.complaints.last?.contains("This check is not recorded: ") ?? false)
  }

  @Test func aFileGetsItsTextWithItsPermissionsAndItsLinks() throws {
    let page = try write("old", to: "page")
    #expect(chmod(page, 0o640) == 0)
    #expect(symlink("page", path("link")) == 0)
    #expect(symlink("new", path("dangling")) == 0)
    for name in ["link", "dangling"] {
      let reply = try tool.run("list", "-o", path(name))
      #expect(reply.status == 0, "\(reply.errors)")
    }
    let list = try tool.run("list").output
    #expect(try text(of: page) == list)
    #expect(try text(of: path("new")) == list)
    let mode = try FileManager.default.attributesOfItem(atPath: page)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try tool.leftovers().sorted() == ["dangling", "link", "new", "page"])
    expect(try tool.run("list", "-o", tool.temporary.path), .input, saying: "is a folder")
    expect(try tool.run("list", "-o", "/proc/page"), .input, saying: "/proc/page", "another path")
  }

  @Test func pipesAndStreamsAreWrittenToDirectly() throws {
    let list = try tool.run("list").output
    #expect(try tool.shell("\"$FAULTLINE\" list -o /dev/stdout | cat").output == list)
    let file = path("file")
    let appended = "echo first >\(file); \"$FAULTLINE\" list -o /dev/stdout >>\(file)"
    #expect(try tool.shell(appended).status == 0)
    #expect(try text(of: file) == "first\n" + list)
    let pipe = path("pipe")
    let piped = "mkfifo \(pipe); cat \(pipe) & \"$FAULTLINE\" list -o \(pipe); wait"
    #expect(try tool.shell(piped).output == list)
  }

  @Test func aFolderOrAFileThatIsNoTextIsNamedAsWhatItIs() throws {
    let (folder, bytes) = (path("folder"), path("bytes"))
    try put("", inPlaceOfTheExerciseIn: folder)
    try put("\u{FF}\u{FE}", inPlaceOfTheExerciseIn: bytes)
    for command in ["check", "start"] {
      expect(try tool.run(command, "8", "--dir", folder), .input, saying: "is a folder, not a file")
    }
    expect(try tool.run("check", "8", "--dir", bytes), .input, saying: "is not UTF-8 text")
  }

  // MARK: Streams

  @Test func aStandardErrorThatTakesNothingChangesNoExitCode() throws {
    for errors in ["2>/dev/full", "2>&-", "<&- >&- 2>&-"] {
      let reply = try tool.shell("(\"$FAULTLINE\" rnu \(errors)); echo $?")
      #expect(reply.output == "2\n", "\(errors)")
    }
    let errors = Pipe()
    let process = tool.process(["rnu"], errors: errors)
    try errors.fileHandleForReading.close()
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 2)
    let all = "run 38 --repeat 1 -o \(path("page")) <&- >&- 2>&-"
    #expect(try tool.shell("(\"$FAULTLINE\" \(all)); echo $?").output == "0\n")
    #expect(try text(of: path("page")).contains("TAIL LOST"))
  }

  @Test func anOutputThatTakesNothingIsAFailure() throws {
    for words in ["--help", "--version", "help run", "list", ""] {
      let full = try tool.shell("\"$FAULTLINE\" \(words) >/dev/full")
      expect(full, .limit, saying: "no room for standard output")
      let closed = try tool.shell("\"$FAULTLINE\" \(words) >&-")
      expect(closed, .input, saying: "standard output cannot be written")
    }
  }

  @Test func aSteppedRunEndsWhenItsReaderIsGone() throws {
    let step = "timeout 20 \"$FAULTLINE\" explore 27 --step"
    let reply = try tool.shell("yes nonsense 2>&- | { \(step); echo $? >&2; } | true")
    #expect(reply.errors == "0\n")
  }

  @Test func sIGQUITStopsLikeCtrlC() throws {
    let errors = Pipe()
    let process = tool.process(["run", "37", "--repeat", "1000", "--verbose"], errors: errors)
    try process.run()
    #expect(!errors.fileHandleForReading.availableData.isEmpty)
    kill(process.processIdentifier, SIGQUIT)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 131)
    #expect(try tool.leftovers() == [])
  }

  // MARK: Words

  @Test func aNegativeNumberIsANumber() throws {
    expect(try tool.run("run", "8", "--width", "-5"), .usage, saying: "--width -5", "60 to 400")
    expect(try tool.run("list", "--part", "-1"), .usage, saying: "no part -1", "1 to 8")
    expect(try tool.run("run", "8", "--seed", "-1"), .usage, saying: "'-1' is invalid")
    expect(try tool.run("run", "8", "--set", "-5"), .usage, saying: "--set -5", "name=number")
  }

  @Test func aRangeFromHighToLowIsNamedAsOne() throws {
    expect(try tool.run("show", "8..1"), .usage, saying: "8..1", "lower number first", "1..8")
  }

  @Test func aLongArgumentIsNotRepeatedWhole() throws {
    let long = String(repeating: "x", count: 100_000)
    let spaced = String(repeating: "y ", count: 50_000)
    for words in [
      [long], ["run", long], ["run", "8", "--set", "rows=" + long],
      ["run", "8", "--" + long.prefix(5_000)],
      ["run", "8", "--side", spaced], ["replay", long], ["list", "-o", long], ["list", spaced],
    ] {
      let reply = try tool.start(CommandLineTool.path, words)
      #expect(reply.status > 1, "\(words.map { $0.prefix(20) })")
      #expect(reply.errors.utf8.count < 4_000, "\(words.map { $0.prefix(20) })")
    }
  }

  @Test func aModelGetsNoCodeThatIsNoName() throws {
    let model = try write("<model/>", to: "model.xml")
    for module in ["a b; c", "", "1a", "A.", "A\nlet b"] {
      let reply = try tool.run("model", "generate", model, "--import", module)
      #expect(reply.status == ExitStatus.usage.rawValue, "\(module)")
      #expect(reply.errors.contains("the name of a module"), "\(reply.errors)")
    }
  }

  @Test func aDefaultThatNoAttributeCanHoldIsNamed() throws {
    let attributes = [
      ("Float", "1e300"), ("Decimal", "1e200"), ("Decimal", "0x10"), ("Integer 16", "99999"),
    ].enumerated().map { index, pair in
      "<attribute name=\"a\(index)\" attributeType=\"\(pair.0)\" optional=\"YES\""
        + " defaultValueString=\"\(pair.1)\"/>\n"
    }
    let model = try write(
      "<model><entity name=\"Car\">\(attributes.joined())</entity></model>", to: "model.xml")
    let reply = try tool.run("model", "generate", model, "--dry-run")
    for index in attributes.indices {
      #expect(reply.errors.contains("Attribute a\(index) has the default value"), "\(reply.errors)")
    }
  }

  // MARK: Suggested commands

  @Test func aSuggestedCommandCanBeTypedAsItStands() throws {
    let folder = path("it's; mine")
    let refused = try tool.run("check", "8", "--dir", folder)
    let command = try #require(refused.errors.firstMatch(of: #/`faultline (start .*)`/#)?.output.1)
    let started = try tool.shell("\"$FAULTLINE\" \(command) --quiet").output
    #expect(started.hasPrefix(folder + "/08"), "\(started)")
  }

  @Test func aToolOutsideItsCloneSaysWhereItWorks() throws {
    let copy = path("faultline")
    // A copy made here is busy while a process that another test has just started has our file.
    #expect(try tool.shell("cp \"$FAULTLINE\" '\(copy)'").status == 0)
    let folder = path("desk")
    #expect(try tool.run("start", "8", "--dir", folder).status == 0)
    for words in [["check", "8", "--dir", folder], ["start", "8"], ["guide", "check"]] {
      let reply = try tool.start(copy, words)
      expect(reply, .input, saying: "outside its clone", "type `swift run faultline`")
    }
  }

  // MARK: Checks

  @Test func aCheckNamesATemporaryFolderThatCannotBeUsed() throws {
    let folder = path("desk")
    #expect(try tool.run("start", "8", "--dir", folder).status == 0)
    for path in ["/proc", "/nonexistent/tmp"] {
      expect(
        try tool.run("check", "8", "--dir", folder, environment: ["TMPDIR": path]), .input,
        saying: path, "TMPDIR")
    }
    #expect(!FileManager.default.fileExists(atPath: "/nonexistent"))
    let reply = try onASmallDisk(
      """
      cat /dev/zero >"$SMALL/filler" 2>/dev/null
      TMPDIR="$SMALL" "$FAULTLINE" check 8 --dir \(folder); echo $?
      TMPDIR="$SMALL" "$FAULTLINE" explore 38; echo $?
      ls "$SMALL"
      """)
    #expect(reply.output == "5\n5\nfiller\n", "\(reply.errors)")
    #expect(reply.complaints.count == 2, "\(reply.errors)")
    #expect(reply.complaints.allSatisfy { $0.contains("disk is full") }, "\(reply.errors)")
  }

  @Test func aProgramThatPrintsWithoutEndHitsALimit() throws {
    let folder = path("desk")
    let program = """
      import CoreData
      import PlaygroundKit
      @MainActor func yours(_ world: World) async throws {
        while true { print(String(repeating: "x", count: 4096)) }
      }
      """
    try put(program, inPlaceOfTheExerciseIn: folder)
    let reply = try tool.run("check", "8", "--dir", folder)
    #expect(reply.status == ExitStatus.limit.rawValue, "\(reply.errors)")
    #expect(reply.output.contains("output: more than 1 MB"), "\(reply.output)")
    #expect(reply.output.utf8.count < 4_000)
  }
}
