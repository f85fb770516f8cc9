#if os(Linux)
  import Foundation
  import PlaygroundKit
  import Scenarios
  import Testing

  /// `faultline watch`, on a terminal and without one.
  @Suite final class WatchTests: CommandLineSuite {
    private var desk: String { tool.temporary.appendingPathComponent("desk").path }
    private var folder: String { desk + "/08-perform-and-wait-on-main" }
    private var file: String { folder + "/ImportArticles.swift" }
    private let prompt = "q quit > "
    private let starter = "Not solved yet: "
    private let solution = "Passed: every requirement holds"

    private func start() throws {
      #expect(try tool.run("start", "8", "--dir", desk).status == 0)
    }

    /// A file that comes with the exercise.
    private func shipped(_ kind: String) throws -> String {
      let exercise = try #require(Catalogue.exercises.first { $0.card.number == 8 })
      return try String(contentsOf: ExerciseDesk.shipped(exercise, kind), encoding: .utf8)
    }

    /// A watch on a terminal, without a display unless it is in the environment.
    private func terminal(_ environment: [String: String] = [:]) throws -> PseudoTerminal {
      let none = ["DISPLAY": "", "WAYLAND_DISPLAY": ""]
      return try PseudoTerminal(
        [CommandLineTool.path, "watch"], in: folder,
        environment: tool.environment(none.merging(environment) { $1 }))
    }

    // MARK: On a terminal

    @Test func aSaveIsCheckedHoweverItIsMade() throws {
      try start()
      let terminal = try terminal()
      #expect(try terminal.read(until: prompt).contains(starter))
      // Nano and others write into the file.
      try shipped("Solution").write(toFile: file, atomically: false, encoding: .utf8)
      #expect(try terminal.read(until: solution).contains("checking 08"))
      // Vim and others rename a file to it.
      try terminal.read(until: prompt)
      let beside = folder + "/4913~"
      try shipped("Exercise").write(toFile: beside, atomically: false, encoding: .utf8)
      #expect(rename(beside, file) == 0)
      #expect(try terminal.read(until: starter).contains("checking 08"))
      // Others move the old file away and make a new one.
      try terminal.read(until: prompt)
      #expect(rename(file, beside) == 0)
      try shipped("Solution").write(toFile: file, atomically: false, encoding: .utf8)
      #expect(try terminal.read(until: solution).contains("checking 08"))
      try terminal.read(until: prompt)
      terminal.type("q")
      #expect(terminal.end().status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: desk).contains("progress.json"))
    }

    @Test func eachKeyDoesWhatItSays() throws {
      try start()
      let terminal = try terminal()
      try terminal.read(until: "o open picture  n next  " + prompt)
      #expect(terminal.givesKeys)
      terminal.type("h")
      #expect(try terminal.read(until: prompt).contains("hint 1 of 3"))
      terminal.type("e")
      #expect(try terminal.read(until: prompt).contains("SCHEDULES"))
      // An arrow and what means nothing.
      terminal.type("\u{1B}[A")
      terminal.type("z")
      terminal.type("o")
      let drawn = try terminal.read(until: ".html")
      #expect(drawn.contains("There is no display"), "\(drawn)")
      let picture = try #require(drawn.split(whereSeparator: \.isNewline).last.map(String.init))
      #expect(try String(contentsOfFile: picture, encoding: .utf8).contains("<html"))
      terminal.type("c")
      #expect(try terminal.read(until: starter).contains("checking 08"))
      let next = try #require(Catalogue.exercises.first { $0.card.number ?? 0 > 8 })
      terminal.type("n")
      #expect(try terminal.read(until: "Task  ").contains("../\(next.folder)/"))
      #expect(
        FileManager.default.fileExists(atPath: ExerciseDesk(folder: desk).file(of: next).path))
      try terminal.read(until: prompt)
      terminal.type("q")
      #expect(terminal.end().status == 0)
      #expect(!FileManager.default.fileExists(atPath: picture))
      #expect(try tool.leftovers().allSatisfy { $0.hasPrefix("desk") })
    }

    @Test func thePictureOpensWhereThereIsADisplay() throws {
      try start()
      let programs = tool.temporary.appendingPathComponent("programs")
      let opened = tool.temporary.appendingPathComponent("opened").path
      try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
      #expect(mkfifo(opened, 0o600) == 0)
      let opener = programs.appendingPathComponent("xdg-open").path
      try "#!/bin/sh\nhead -c 15 \"$1\" >\(opened)\n".write(
        toFile: opener, atomically: true, encoding: .utf8)
      #expect(chmod(opener, 0o755) == 0)
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      let terminal = try terminal(["DISPLAY": "test", "PATH": "\(programs.path):\(path)"])
      try terminal.read(until: prompt)
      terminal.type("o")
      let pipe = try #require(FileHandle(forReadingAtPath: opened))
      #expect(String(decoding: pipe.readDataToEndOfFile(), as: UTF8.self) == "<!doctype html>")
      #expect(try terminal.read(until: prompt).contains("opens in your browser"))
      terminal.type("\u{04}")
      #expect(terminal.end().status == 0)
    }

    // MARK: The terminal is given back

    /// An exercise whose file is refused before it is built, which takes no time.
    private func startWithNothing() throws {
      try start()
      try "".write(toFile: file, atomically: false, encoding: .utf8)
    }

    @Test func theTerminalIsGivenBackHoweverTheWatchEnds() throws {
      try startWithNothing()
      // `end` comes when the last process has let go of the terminal; the mode is read before.
      let line = "\"$FAULTLINE\" watch -q; echo \"ended $?\"; read word"
      for (end, status) in [("q", 0), ("\u{03}", 130), ("\u{1C}", 131), ("", 143), ("-", 129)] {
        // Interactive, so that the shell outlives a signal that ends what runs in it.
        let terminal = try PseudoTerminal(
          ["bash", "--norc", "-ic", line], in: folder, environment: tool.environment([:]))
        try terminal.read(until: prompt)
        #expect(terminal.givesKeys)
        switch end {
        case "": kill(terminal.program, SIGTERM)
        case "-": kill(terminal.program, SIGHUP)
        default: terminal.type(end)
        }
        try terminal.read(until: "ended \(status)")
        #expect(!terminal.givesKeys, "\(status)")
        terminal.type("\n")
        #expect(terminal.end().status == 0)
      }
    }

    //  the shell    starts the watch ──────────── goes on ──── fg
    //  the watch                      waits, stops ┘            └ waits, quits
    //  the person                     Ctrl-Z                    q
    @Test func theTerminalIsGivenBackWhileTheWatchIsStopped() throws {
      try startWithNothing()
      let line = """
        set -m; "$FAULTLINE" watch -q; echo "stopped $?"; read word
        fg; echo "ended $?"; read word
        """
      let terminal = try PseudoTerminal(
        ["bash", "--norc", "-ic", line], in: folder, environment: tool.environment([:]))
      try terminal.read(until: prompt)
      terminal.type("\u{1A}")
      try terminal.read(until: "stopped 148")
      #expect(!terminal.givesKeys)
      terminal.type("\n")
      try terminal.read(until: prompt)
      #expect(terminal.givesKeys)
      terminal.type("q")
      try terminal.read(until: "ended 0")
      #expect(!terminal.givesKeys)
      terminal.type("\n")
      #expect(terminal.end().status == 0)
    }

    // MARK: Without a terminal

    @Test func withoutATerminalItPrintsEachCheckUntilItsInputEnds() throws {
      try start()
      let (input, output, errors) = (Pipe(), Pipe(), Pipe())
      let process = tool.process(["watch", folder, "-q"], errors: errors)
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      let reader = output.fileHandleForReading
      #expect(String(decoding: reader.availableData, as: UTF8.self).hasSuffix(" of 10 points\n"))
      // Lines mean nothing there.
      try input.fileHandleForWriting.write(contentsOf: Data("q\n".utf8))
      try shipped("Solution").write(toFile: file, atomically: true, encoding: .utf8)
      #expect(String(decoding: reader.availableData, as: UTF8.self) == "8: 10 of 10 points\n")
      try "func yours() { nonsense }".write(toFile: file, atomically: true, encoding: .utf8)
      let refused = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
      #expect(refused.contains("does not build"), "\(refused)")
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
      #expect(reader.readDataToEndOfFile().isEmpty)
    }

    //  the watch    checks, builds ─────────── page or none ── checks again ── page ── ends
    //  the test                   └ saves, ends the input
    @Test func aSaveDuringACheckIsCheckedAfterIt() throws {
      try start()
      let (input, output) = (Pipe(), Pipe())
      let process = tool.process(["watch", folder, "-q"], errors: Pipe())
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      while try !tool.leftovers().contains(where: { $0.hasSuffix("/main.swift") }),
        process.isRunning
      {
        sched_yield()
      }
      try shipped("Solution").write(toFile: file, atomically: true, encoding: .utf8)
      try input.fileHandleForWriting.close()
      let pages = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(pages.hasSuffix("8: 10 of 10 points\n"), "\(pages)")
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }

    @Test func nothingThatATerminalWouldNeedIsPrintedElsewhere() throws {
      try start()
      let page = try tool.run("watch", folder)
      #expect(page.status == 0 && page.output.contains(starter), "\(page.errors)")
      #expect(page.output.allSatisfy { $0 == "\n" || !$0.isASCII || $0.asciiValue! >= 32 })
      #expect(!page.output.contains("quit"))
      let plain = try tool.run("watch", folder, "--plain").output
      #expect(plain.hasPrefix("requirement\tstatus\t"), "\(plain)")
      #expect(try tool.run("watch", folder, "--json").output.hasPrefix("{\n"))
    }

    @Test func aWatchWithoutAFolderEnds() throws {
      try start()
      expect(try tool.run("watch", folder, "-o", file), .usage, saying: "takes no -o")
      expect(try tool.run("watch", "8", "--dir", desk + "/none"), .input, saying: "faultline start")
      let (input, output, errors) = (Pipe(), Pipe(), Pipe())
      let process = tool.process(["watch", folder, "-q"], errors: errors)
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      #expect(!output.fileHandleForReading.availableData.isEmpty)
      try FileManager.default.removeItem(atPath: folder)
      process.waitUntilExit()
      #expect(process.terminationStatus == 3)
      let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
      #expect(said == "faultline: \(folder) is gone: there is nothing left to watch.\n")
    }
  }
#endif
