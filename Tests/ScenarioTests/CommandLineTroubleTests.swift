import Foundation
import PlaygroundKit
import Testing

/// Trouble from outside: no room, no permission, a reader that leaves, a signal.
@Suite final class CommandLineTroubleTests: CommandLineSuite {
  @Test func aTemporaryFolderThatCannotBeUsedIsNamed() throws {
    // Root may write anywhere, except where there is no folder and where there are no files.
    for path in ["/nonexistent/tmp", "/proc", "/dev/null"] {
      expect(
        try tool.run("run", "38", environment: ["TMPDIR": path]), .input, saying: path, "TMPDIR")
    }
    #expect(!FileManager.default.fileExists(atPath: "/nonexistent"))
  }

  @Test func aFolderThatIsNotTheToolsOwnLosesNothing() throws {
    let project = tool.temporary.appendingPathComponent("project")
    let common = tool.temporary.appendingPathComponent("faultline-\(getuid())")
    for name in ["yarn", "4711-x7"] {
      try FileManager.default.createDirectory(
        at: project.appendingPathComponent("\(name)/deep"), withIntermediateDirectories: true)
      try Data().write(to: project.appendingPathComponent("\(name).lock"))
    }
    let before = Set(try FileManager.default.subpathsOfDirectory(atPath: project.path))
    #expect(symlink(project.path, common.path) == 0)
    for command in [["run", "38", "--repeat", "1"], ["explore", "38"], ["show", "26"]] {
      let reply = try tool.start(CommandLineTool.path, command)
      if command[0] != "show" { expect(reply, .input, saying: common.path, "symbolic link") }
      let after = Set(try FileManager.default.subpathsOfDirectory(atPath: project.path))
      #expect(after == before, "\(command)")
    }
    unlink(common.path)
    #expect(mkdir(common.path, 0o700) == 0 && chmod(common.path, 0o777) == 0)
    expect(
      try tool.run("run", "38", "--repeat", "1"), .input, saying: "can be written by other users")
    let doctor = try tool.run("doctor")
    #expect(doctor.output.contains("so nothing was written there"), "\(doctor.output)")
    chmod(common.path, 0o700)
    #expect(try tool.run("run", "38", "--repeat", "1").status == 0)
  }

  @Test func tooFewFilesAtATimeAreNamed() throws {
    for command in ["run 38 --repeat 1", "explore 38"] {
      let reply = try tool.shell("ulimit -n 20; exec \"$FAULTLINE\" \(command)")
      expect(reply, .limit, saying: "Only 20 files", "ulimit -n")
    }
    let reply = try tool.shell("ulimit -S -n 20; exec \"$FAULTLINE\" run 38 --repeat 1")
    #expect(reply.status == 0, "what may be raised is raised: \(reply.errors)")
  }

  @Test(
    .disabled(
      if: BuildFolder.isThreadSanitized,
      "the sanitizer takes the signal by which a full disk refuses a mapped page"))
  func aFullDiskIsNamedAndLeavesNothingBehind() throws {
    let enter = getuid() == 0 ? "unshare --mount" : "unshare --map-root-user --mount"
    let small = tool.temporary.appendingPathComponent("small").path
    let mount = "mount -t tmpfs -o size=300k none \(small)"
    try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
    let canMount = try tool.shell("\(enter) sh -c '\(mount)'")
    if canMount.status != 0 {
      try Test.cancel("no small disk can be made here: \(canMount.errors)")
    }
    let reply = try tool.shell(
      """
      \(enter) sh -c '\(mount) || exit 99
      TMPDIR=\(small) "$FAULTLINE" run 8 --repeat 1 --set rows=50000
      code=$?; ls -A \(small); exit $code'
      """)
    expect(reply, .limit, saying: "disk is full", small)
  }

  @Test func aDeviceThatIsFullIsNamed() throws {
    expect(try tool.run("list", "-o", "/dev/full"), .limit, saying: "no room", "/dev/full")
  }

  @Test func anOutputThatCannotBeWrittenIsNamed() throws {
    expect(try tool.run("list", "-o", "/nonexistent/page"), .input, saying: "/nonexistent/page")
  }

  @Test func aReaderThatGoesAwayIsNoTrouble() throws {
    for command in ["list", "show 8", "run 38 --repeat 1"] {
      let reply = try tool.shell("{ \"$FAULTLINE\" \(command); echo $? >&2; } | true")
      #expect(reply.errors == "0\n", "\(command)")
    }
    let unfinished = "explore 27 --side right --budget 20"
    let reply = try tool.shell("{ \"$FAULTLINE\" \(unfinished); echo $? >&2; } | true")
    #expect(reply.errors == "6\n", "what was not seen is not what was asked for")
    #expect(try tool.leftovers() == [])
  }

  //  the run    starts a side ── says where it stands ────────── removes its files, leaves
  //  the test                                      └─ interrupts ─┘
  @Test func ctrlCStopsAtOnceAndLeavesNothingBehind() throws {
    for (signal, code) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
      let errors = Pipe()
      let process = tool.process(["run", "37", "--repeat", "1000", "--verbose"], errors: errors)
      try process.run()
      #expect(!errors.fileHandleForReading.availableData.isEmpty)
      #expect(try tool.leftovers() != [])
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit)
      #expect(process.terminationStatus == code)
      #expect(try tool.leftovers() == [])
    }
  }

  @Test func ctrlCStopsAnExplorationAtOnceAndLeavesNothingBehind() throws {
    let process = tool.process(["explore", "37", "--bound", "9"], errors: Pipe())
    try process.run()
    while try !tool.leftovers().contains(where: { $0.hasSuffix("/own") }), process.isRunning {
      sched_yield()
    }
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 130)
    #expect(try tool.leftovers() == [])
  }

  //  In a sandbox the program could not say that it runs.
  //
  //  the check    builds the program ── runs it ─────────────── ends it, leaves
  //  the program                          └─ says so, loops ─┐     └─ lets go
  //  the test                                                └─ interrupts
  @Test func ctrlCStopsACheckAndTheProgramThatItRuns() throws {
    let pipe = tool.temporary.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let reading = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reading) }
    let folder = tool.temporary.appendingPathComponent("desk").path
    let file = try tool.run("start", "8", "--dir", folder, "--quiet").output
    let program = """
      import CoreData
      import Foundation
      import PlaygroundKit
      @MainActor func yours(_ world: World) async throws {
        write(open("\(pipe)", O_WRONLY), "r", 1)
        while true {}
      }
      """
    let path = file.trimmingCharacters(in: .newlines)
    try program.write(toFile: path, atomically: true, encoding: .utf8)
    let environment = try tool.withoutSandbox()
    let before = Set(try tool.leftovers())
    let process = tool.process(
      ["check", "8", "--dir", folder], errors: Pipe(), environment)
    try process.run()
    var seen = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    #expect(poll(&seen, 1, 120_000) == 1, "the program runs")
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
    var byte: UInt8 = 0
    #expect(read(reading, &byte, 1) == 1)
    // A check runs the program twice at the same time.
    while read(reading, &byte, 1) == 1 {}
    #expect(read(reading, &byte, 1) == 0, "no process holds the pipe any more")
    #expect(Set(try tool.leftovers()) == before)
  }

  @Test func aSignalThatOurParentIgnoresDoesNotStopUs() throws {
    let errors = Pipe()
    let run = "trap '' INT HUP; exec \"$FAULTLINE\" run 37 --repeat 1000 --verbose"
    let process = tool.process(["-c", run], errors: errors)
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    try process.run()
    #expect(!errors.fileHandleForReading.availableData.isEmpty)
    // Were they held back, the lowest number would be taken first.
    for signal in [SIGINT, SIGHUP, SIGTERM] { kill(process.processIdentifier, signal) }
    process.waitUntilExit()
    #expect(process.terminationStatus == 143)
    #expect(try tool.leftovers() == [])
  }

  @Test func whatAKilledRunLeftIsRemovedByTheNext() throws {
    let errors = Pipe()
    let process = tool.process(["run", "37", "--repeat", "1000", "--verbose"], errors: errors)
    try process.run()
    #expect(!errors.fileHandleForReading.availableData.isEmpty)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(try tool.leftovers() != [])
    try waitForTheSideToo()
    #expect(try tool.run("run", "38", "--repeat", "1").status == 0)
    #expect(try tool.leftovers() == [])
  }

  /// The supervisor shares the lock, and ends when the side that it has killed is dead.
  private func waitForTheSideToo() throws {
    let name = try #require(tool.leftovers().first { $0.hasSuffix(".lock") })
    let lock = open(tool.temporary.appendingPathComponent(name).path, O_RDWR | O_CLOEXEC)
    #expect(flock(lock, LOCK_EX) == 0)
    close(lock)
  }

  @Test func aCheckWithoutACompilerSaysWhatIsMissing() throws {
    let folder = tool.temporary.appendingPathComponent("desk").path
    expect(
      try tool.run("check", "8", "--dir", folder), .input,
      saying: "`faultline start 8 --dir \(folder)` creates it")
    #expect(try tool.run("start", "8", "--dir", folder).status == 0)
    expect(
      try tool.run("check", "8", "--dir", folder, environment: ["PATH": "/nonexistent"]), .input,
      saying: "swiftc", "add Swift's toolchain to PATH")
  }

  @Test func aSideThatIsStoppedIsAnObservationAndNotTheEnd() throws {
    let reply = try tool.run("run", "1", "--side", "wrong", "--debug", "--repeat", "1")
    #expect(reply.status == 0, "\(reply.errors)")
    #expect(reply.output.contains("stopped by the checker"), "\(reply.output)")
    #expect(reply.output.contains("concurrency violation"), "\(reply.output)")
    #expect(
      reply.output.contains("\n       at       ReadingSomeoneElsesObject.swift:"), "\(reply.output)"
    )
  }
}
