import Foundation
import PlaygroundKit
import Testing

/// A machine that cannot build is never told as code that does not build, and the reverse.
@Suite final class WrongBlameTests: CommandLineSuite {
  private func path(_ name: String) -> String { tool.temporary.appendingPathComponent(name).path }

  /// Starts exercise 27; its file.
  private func started() throws -> String {
    try tool.run("start", "27", "--dir", path("ex"), "--quiet").output
      .trimmingCharacters(in: .newlines)
  }

  /// Puts lines of shell in the place of the compiler; they find all arguments in `$*`.
  private func compiler(_ lines: String, mode: Int = 0o755) throws -> [String: String] {
    let bin = path("bin")
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    try "#!/bin/sh\n\(lines)\n".write(toFile: bin + "/swiftc", atomically: true, encoding: .utf8)
    #expect(chmod(bin + "/swiftc", mode_t(mode)) == 0)
    return ["PATH": bin + ":/usr/bin:/bin"]
  }

  private func check(_ compiler: [String: String]) throws -> CommandLineTool.Reply {
    try tool.run("check", "27", "--dir", path("ex"), environment: compiler)
  }

  /// Checks for a code and for words of the first sentence; the compiler's own words may follow.
  private func expect(
    _ reply: CommandLineTool.Reply, _ status: PlaygroundKit.ExitStatus, first words: [String],
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(reply.status == status.rawValue, "\(reply.errors)", sourceLocation: location)
    for word in words {
      #expect(
        reply.complaints.first?.contains(word) ?? false, "\(reply.errors)",
        sourceLocation: location)
    }
  }

  // MARK: The machine

  /// What the compiler prints on a machine that cannot build any program, and what is told of it.
  private struct Trouble {
    var said: String
    var status: PlaygroundKit.ExitStatus
    var told: [String]

    init(_ said: String, _ status: PlaygroundKit.ExitStatus, _ told: String...) {
      (self.said, self.status, self.told) = (said, status, told)
    }
  }

  private static let cache = "<unknown>:0: error: unable to open output file '/h/ModuleCache/a.pcm'"

  private static let troubles: [Trouble] = [
    Trouble(
      "<unknown>:0: error: error closing '$TMPDIR/x.o' for output: No space left on device",
      .limit, "The disk is full where runs keep"),
    Trouble("LLVM ERROR: IO failure: Disk quota exceeded", .limit, "The disk is full"),
    Trouble("LLVM ERROR: IO failure: File too large", .limit, "ulimit -f"),
    Trouble(
      cache + ": 'No space left on device'", .limit, "disk is full", "/h/ModuleCache",
      "XDG_CACHE_HOME"),
    Trouble(
      cache + ": 'Read-only file system'", .input, "cache of its modules", "XDG_CACHE_HOME"),
    Trouble(
      "$FIRST:1:8: error: module compiled with Swift 6.2 cannot be imported by the Swift 6.3.1"
        + " compiler: /x/Faultline.swiftmodule", .input, "built by another Swift", "swift build"),
    Trouble(
      "$FIRST:1:8: error: compiled module was created by an older version of the compiler",
      .input, "built by another Swift", "swift build"),
    Trouble("clang: error: invalid linker name in argument '-fuse-ld=lld'", .input, "ld.lld"),
    Trouble(
      "ld.lld: error: unable to find library -lsqlite3", .input, "apt install libsqlite3-dev"),
    Trouble(
      "<unknown>:0: error: unable to load standard library for target 'x86_64'", .input,
      "install Swift again"),
    Trouble(
      "clang: error: unable to execute command: Segmentation fault", .input, "It crashes",
      "swift.org"),
    Trouble("clang: error: unable to execute command: Killed", .limit, "got no memory"),
    Trouble("", .input, "cannot build even a program without code"),
    Trouble("Traceback (most recent call last):", .input, "which `swiftc` comes first on PATH"),
  ]

  @Test func aMachineThatCannotBuildIsNotToldAsCodeThatDoesNotBuild() throws {
    _ = try started()
    for trouble in Self.troubles {
      let fake = try compiler(
        """
        for FIRST in "$@"; do case $FIRST in *.swift) break;; esac; done
        echo "\(trouble.said.replacing("`", with: "\\`"))"; exit 1
        """)
      expect(try check(fake), trouble.status, first: trouble.told)
    }
    let doctor = try tool.run("doctor", "--quiet", environment: compiler("exit 1"))
    #expect(doctor.output.contains("✗ toolchain   `swiftc` on PATH does not run"))
    let broken = try compiler("case $1 in --version) echo 6;; *) exit 1;; esac")
    let parts = try tool.run("doctor", "--quiet", environment: broken)
    #expect(parts.output.contains("✗ exercises"), "\(parts.output)")
  }

  @Test func aCompilerThatCannotBeStartedIsNamed() throws {
    _ = try started()
    var fake = try compiler("exit 0", mode: 0o644)
    fake["PATH"] = path("bin")
    expect(try check(fake), .input, first: ["`swiftc` on PATH cannot be started"])
  }

  // MARK: The code

  @Test func aCrashOnTheLearnersCodeIsToldAsACrash() throws {
    _ = try started()
    let fake = try compiler(
      """
      case "$*" in
      *AddOne.swift*)
        echo "error: compile command failed due to signal 6 (use -v to see invocation)"
        echo "Please submit a bug report (https://swift.org/contributing/#reporting-bugs)."
        echo "Stack dump:"; exit 1;;
      esac
      """)
    expect(
      try check(fake), .build,
      first: ["The Swift compiler crashed on", "signal 6", "undo your last change"])
  }

  @Test func wordsOfTheLearnersAreNotTakenForThoseOfTheMachine() throws {
    let file = try started()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let wrong = """
      #warning("Stack dump: signal 9")
      let full: Int = "No space left on device"
      """
    try (text + wrong).write(toFile: file, atomically: true, encoding: .utf8)
    let reply = try tool.run("check", "27", "--dir", path("ex"))
    expect(reply, .build, first: ["does not build"])
    #expect(reply.errors.contains("cannot convert value of type 'String'"), "\(reply.errors)")
    try "import NoSuchModule\n\(text)".write(toFile: file, atomically: true, encoding: .utf8)
    expect(try tool.run("check", "27", "--dir", path("ex")), .build, first: ["does not build"])
  }

  // MARK: The clone

  /// Copies what a built clone needs to another place, by links where that is possible.
  private func copiedClone() throws -> (place: String, tool: String) {
    let products = URL(fileURLWithPath: CommandLineTool.path).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    let (clone, name) = (path("clone"), products.lastPathComponent)
    let copied = try tool.shell(
      """
      set -e; copy() { cp -al "$@" 2>/dev/null || cp -a "$@"; }
      mkdir -p '\(clone)/.build/triple/\(name)'; cd '\(products.path)'
      copy faultline faultline.product Modules \(BuildFolder.targets.map { $0 + ".build" }
        .joined(separator: " ")) '\(clone)/.build/triple/\(name)'
      ln -s triple/\(name) '\(clone)/.build/\(name)'; cd '\(package)'
      copy Package.swift Sources Scenarios Guide '\(clone)'
      """)
    #expect(copied.status == 0, "\(copied.errors)")
    return (clone, "\(clone)/.build/\(name)/faultline")
  }

  @Test func aCopiedCloneUsesItsOwnFilesAndNeverThoseOfTheOriginal() throws {
    let (clone, copy) = try copiedClone()
    let doctor = try tool.start(copy, ["doctor", "--plain"])
    #expect(doctor.output.contains("clone\tlimited\t\(clone), built when it was /"))
    #expect(doctor.output.contains("exercises\tgood"), "\(doctor.output)")
    let ex = path("desk")
    #expect(try tool.start(copy, ["start", "27", "--dir", ex]).status == 0)
    let check = try tool.start(copy, ["check", "27", "--dir", ex])
    #expect(check.status == 1 && check.output.contains("Not solved yet"), "\(check.errors)")
    // A file of ours that is compiled with the learner's.
    let support = "\(clone)/Scenarios/27-the-lost-update/Exercise/Shares.swift"
    let shares = try String(contentsOfFile: support, encoding: .utf8)
    try (shares + "let x: Int = \"\"\n").write(toFile: support, atomically: true, encoding: .utf8)
    let broken = try tool.start(copy, ["check", "27", "--dir", ex])
    #expect(broken.errors.contains("be that \(support) is newer than the tool"), "\(broken.errors)")
    let replay = try tool.start(copy, ["replay", "s3-27-0-4"])
    #expect(replay.output.contains("Lines are those of TheLostUpdate.swift."), "\(replay.output)")
    // Its own file, changed since the build.
    let file = "\(clone)/Scenarios/38-the-lost-tail/TheLostTail.swift"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("for index in 0..<size {", with: "for index in 0..<size {  // mine")
      .write(toFile: file, atomically: true, encoding: .utf8)
    for words in [["show", "38"], ["run", "38", "--repeat", "1"]] {
      let reply = try tool.start(copy, words)
      #expect(reply.status == 0 && reply.output.contains("// mine"), "\(reply.output)")
      #expect(reply.errors.contains("TheLostTail.swift is newer than the tool"), "\(reply.errors)")
      #expect(reply.errors.contains("`swift package clean && swift build"), "\(reply.errors)")
    }
    try FileManager.default.removeItem(atPath: file)
    for words in [["show", "38"], ["run", "38", "--repeat", "1"], ["explore", "38"]] {
      let reply = try tool.start(copy, words)
      #expect(reply.errors.contains("because \(file) is missing"), "\(words) \(reply.errors)")
    }
    // What a build in part lacks.
    let object = URL(fileURLWithPath: copy).deletingLastPathComponent()
      .appendingPathComponent("Faultline.build")
    try FileManager.default.removeItem(at: object)
    expect(
      try tool.start(copy, ["check", "27", "--dir", ex]), .input, saying: "/Faultline.build/",
      "is missing, a part of the built tool", "swift package clean && swift build")
    #expect(
      try tool.start(copy, ["doctor", "--quiet"]).output.contains("is missing, a part of the"))
  }

  @Test func aReplayWithoutASymbolizerSaysWhyStepsHaveNoLines() throws {
    let reply = try tool.run("replay", "s3-27-0-4", environment: ["PATH": "/nonexistent"])
    #expect(reply.status == 0 && reply.errors.contains("`llvm-symbolizer` is not on PATH"))
  }

  // MARK: Files

  @Test func whatStandsInTheFilesPlaceIsNamed() throws {
    let file = try started()
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    #expect(try tool.run("start", "26", "--dir", path("ex")).status == 0)
    #expect(try tool.run("new", path("my-race")).status == 0)
    let commands = [
      (file, "check '\(folder)'"), (file, "start 27 --dir '\(path("ex"))'"),
      (path("ex/progress.json"), "progress --dir '\(path("ex"))'"),
      (path("my-race/MyRace.swift"), "run '\(path("my-race"))'"),
      (path("given.txt"), "predict 26 --dir '\(path("ex"))' --answers '\(path("given.txt"))'"),
      (path("model.xml"), "model generate '\(path("model.xml"))' --dry-run"),
      (path("m.xcdatamodel/contents"), "model generate '\(path("m.xcdatamodel"))' --dry-run"),
      (path("ex/26-five-policies/answers.txt"), "check 26 --dir '\(path("ex"))'"),
    ]
    try FileManager.default.createDirectory(
      atPath: path("m.xcdatamodel"), withIntermediateDirectories: true)
    for (place, command) in commands {
      for (make, words) in [
        ("mkfifo", "a pipe, not a file"), ("mkdir", "a folder, not a file"),
        ("ln -s /nonexistent/file", "a link to /nonexistent/file, which is not there"),
        ("ln -s '\(place)'", "a link that leads back to itself"),
        ("ln -s /dev/zero", "a device, not a file"),
        ("sh -c 'truncate -s 70M \"$0\"'", "MB"),
      ]
      where !(words == "MB" && place.hasSuffix("progress.json"))
        && !(make == "mkdir" && place.hasSuffix("contents"))
      {
        let reply = try tool.shell(
          "rm -rf '\(place)'; \(make) '\(place)'; timeout 20 \"$FAULTLINE\" \(command)")
        #expect(reply.status == 3, "\(make): \(command): \(reply.errors)")
        #expect(reply.errors.contains(words), "\(make): \(command): \(reply.errors)")
        #expect(reply.complaints.count == 1, "\(reply.errors)")
      }
      #expect(try tool.shell("rm -rf '\(place)'").status == 0)
    }
    for make in ["mkfifo", "ln -s /dev/null", "ln -s /nonexistent"] {
      let reply = try tool.shell("cd '\(path("."))'; \(make) odd; \"$FAULTLINE\" run odd; rm odd")
      #expect(reply.errors.contains("odd is a "), "\(reply.errors)")
    }
    #expect(try tool.run("start", "26", "--dir", path("ex")).status == 0)
    let answers = "cat /dev/null | \"$FAULTLINE\" predict 26 --dir '\(path("ex"))'"
    let piped = try tool.shell("\(answers) --answers /dev/stdin")
    #expect(piped.errors.contains("/dev/stdin has no answer to"), "\(piped.errors)")
  }

  // MARK: Paths and names

  @Test func anEmptyPathIsRefusedAndNothingIsWritten() throws {
    let words = [
      "start 8 --dir ''", "check 8 --dir ''", "list -o ''", "run 38 --pages ''", "new ''",
      "predict 26 --answers ''", "model generate ''", "model generate x --output ''",
      "guide check --only ''", "progress --dir ''",
    ]
    for word in words {
      let reply = try tool.shell("cd '\(path("."))' && \"$FAULTLINE\" \(word)")
      #expect(reply.status == 2 && reply.output == "", "\(word): \(reply.errors)")
      #expect(reply.errors.contains("path") || word.hasPrefix("new"), "\(word): \(reply.errors)")
    }
    #expect(try tool.leftovers() == [])
    #expect(!FileManager.default.fileExists(atPath: "/08-perform-and-wait-on-main"))
  }

  @Test func aHomeThatIsNoFolderIsNotWrittenBelowTheCurrentOne() throws {
    for home in ["", "relative"] {
      let reply = try tool.shell(
        "cd '\(path("."))' && FAULTLINE_HOME= HOME='\(home)' XDG_STATE_HOME=x PATH=/none"
          + " \"$FAULTLINE\" doctor --plain")
      let state = reply.output.split(separator: "\n").first { $0.hasPrefix("state\t") } ?? ""
      #expect(!state.contains(tool.temporary.path), "\(state)")
    }
    #expect(try tool.leftovers() == [])
    let file = path("file")
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    let reply = try tool.run("run", "38", "--repeat", "1", environment: ["FAULTLINE_HOME": file])
    #expect(reply.errors.contains("\(file)/run cannot be created (not a directory)"))
  }

  @Test func aNameThatTheCodeNeedsItselfIsRefused() throws {
    for name in ["string", "article", "world", "scenario", "main", "playground-kit", "type"] {
      let reply = try tool.run("new", path(name))
      expect(reply, .usage, saying: "“\(name)” would name a type", "as in \(name)-race")
    }
    let long = String(repeating: "a", count: 300)
    for name in [long, "..", "/", "a/../B", "🐟", "a b"] {
      let reply = try tool.shell("cd '\(path("."))' && \"$FAULTLINE\" new '\(name)'")
      #expect(reply.status == 2 || reply.status == 3, "\(reply.errors)")
      #expect(reply.complaints.count == 1, "\(reply.errors)")
    }
    #expect(try tool.leftovers() == [])
  }

  // MARK: Characters that a terminal obeys

  /// Whether a text has a character that a terminal obeys, other than line breaks and tabs.
  private func expectHarmless(
    _ reply: CommandLineTool.Reply, at location: SourceLocation = #_sourceLocation
  ) {
    let text = reply.output + reply.errors
    let found = text.unicodeScalars.first { scalar in
      scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
        || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
    #expect(found == nil, "\(text.debugDescription)", sourceLocation: location)
  }

  private static let odd = "a\u{1B}]0;t\u{7}\u{1B}[31mb\u{9B}2J\u{202E}c\u{2066}\u{7F}\rd"

  @Test func anArgumentIsNotObeyedByTheTerminal() throws {
    let odd = Self.odd
    for words in [
      [odd], ["run", odd], ["run", "8", "--set", "\(odd)=1"], ["run", "8", "--side", odd],
      ["run", "8", "--\(odd)"], ["run", "8", "--width", odd], ["help", odd],
      ["list", "--kind", odd],
      ["replay", odd], ["new", odd], ["check", "8", "--dir", odd], ["list", "-o", "/\(odd)/x"],
      ["model", "generate", odd], ["guide", "check", "--only", odd], ["explore", "./\(odd)"],
      ["draw", "s3-27-0-4", "--format", odd],
    ] {
      let reply = try tool.start(CommandLineTool.path, words)
      #expect(reply.status > 1, "\(words.debugDescription)")
      #expect(reply.errors.contains("\\u{1b}"), "\(reply.errors.debugDescription)")
      expectHarmless(reply)
    }
    for variable in ["LC_ALL", "TMPDIR", "FAULTLINE_HOME", "FAULTLINE_SEED"] {
      let bare = ["PATH": "/nonexistent", variable: path(odd)]
      expectHarmless(try tool.run("doctor", environment: bare))
      expectHarmless(try tool.run("run", "8", environment: [variable: path(odd)]))
    }
    // A folder of this name is named so that a shell finds it.
    let folder = path(odd)
    let started = try tool.run("start", "8", "--dir", folder, "--width", "400")
    expectHarmless(started)
    let command = try #require(
      started.output.firstMatch(of: #/faultline (watch \$'.*?')/#)?.output.1)
    let bash = try tool.start("/bin/bash", ["-c", "\"$FAULTLINE\" \(command) --no-input --plain"])
    #expect(bash.output.contains("requirement\t"), "\(bash.errors)")
    expectHarmless(bash)
  }

  @Test func theTextOfALearnersProgramIsNotObeyedByTheTerminal() throws {
    let folder = path("my-race")
    #expect(try tool.run("new", folder).status == 0)
    let file = folder + "/MyRace.swift"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let odd = #"\u{1B}[31mx\u{1B}]0;t\u{7}\u{9B}2J\u{202E}\u{2066}\u{7F}"#
    let mine = text.replacing("sold twice", with: "sold twice\(odd)")
      .replacing("The seat", with: "The seat\(odd)").replacing(
        "world.mark(\"", with: "world.mark(\"\(odd)"
      )
      .replacing("SOLD", with: "SOLD\(odd)").replacing("tickets\"", with: "tickets\(odd)\"")
      .replacing("// anchor: wrong", with: "// \u{1B}[31m\u{202E}\n  // anchor: wrong")
    #expect(mine != text)
    try mine.write(toFile: file, atomically: true, encoding: .utf8)
    for words in [
      ["run", folder, "--repeat", "1"], ["show", folder], ["show", folder, "--plain"],
      ["run", folder, "--repeat", "1", "--json"], ["explore", folder, "--budget", "10"],
    ] {
      let reply = try tool.start(CommandLineTool.path, words)
      #expect(!reply.output.isEmpty, "\(reply.errors)")
      #expect(
        reply.output.contains("u{1b}") || reply.output.contains("u001b") || words[0] == "show")
      expectHarmless(reply)
    }
    try (mine + "\nlet a: Int = \"\u{1B}[31m\u{202E}\"\n")
      .write(toFile: file, atomically: true, encoding: .utf8)
    let refused = try tool.run("run", folder)
    #expect(refused.status == 4 && refused.errors.contains("\\u{1b}[31m\\u{202e}"))
    expectHarmless(refused)
  }
}
