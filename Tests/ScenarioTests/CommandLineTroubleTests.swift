import Foundation
import PlaygroundKit
import XCTest

/// Trouble from outside: no room, no permission, a reader that leaves, a signal.
final class CommandLineTroubleTests: CommandLineTestCase {
  func testATemporaryFolderThatCannotBeUsedIsNamed() throws {
    // Root may write anywhere, except where there is no folder and where there are no files.
    for path in ["/nonexistent/tmp", "/proc", "/dev/null"] {
      expect(
        try tool.run("run", "38", environment: ["TMPDIR": path]), .input, saying: path, "TMPDIR")
    }
    XCTAssertFalse(FileManager.default.fileExists(atPath: "/nonexistent"))
  }

  func testAFullDiskIsNamedAndLeavesNothingBehind() throws {
    let enter = getuid() == 0 ? "unshare --mount" : "unshare --map-root-user --mount"
    let small = tool.temporary.appendingPathComponent("small").path
    let mount = "mount -t tmpfs -o size=300k none \(small)"
    try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
    let canMount = try tool.shell("\(enter) sh -c '\(mount)'")
    try XCTSkipIf(canMount.status != 0, "no small disk can be made here: \(canMount.errors)")
    try XCTSkipIf(
      BuildFolder.isThreadSanitized,
      "the sanitizer takes the signal by which a full disk refuses a mapped page")
    let reply = try tool.shell(
      """
      \(enter) sh -c '\(mount) || exit 99
      TMPDIR=\(small) "$FAULTLINE" run 8 --repeat 1 --set rows=50000
      code=$?; ls -A \(small); exit $code'
      """)
    expect(reply, .limit, saying: "disk is full", small)
  }

  func testADeviceThatIsFullIsNamed() throws {
    expect(try tool.run("list", "-o", "/dev/full"), .limit, saying: "no room", "/dev/full")
  }

  func testAnOutputThatCannotBeWrittenIsNamed() throws {
    expect(try tool.run("list", "-o", "/nonexistent/page"), .input, saying: "/nonexistent/page")
  }

  func testAReaderThatGoesAwayIsNoTrouble() throws {
    for command in ["list", "show 8", "run 38 --repeat 1"] {
      let reply = try tool.shell("{ \"$FAULTLINE\" \(command); echo $? >&2; } | true")
      XCTAssertEqual(reply.errors, "0\n", command)
    }
    let unfinished = "explore 27 --side right --budget 20"
    let reply = try tool.shell("{ \"$FAULTLINE\" \(unfinished); echo $? >&2; } | true")
    XCTAssertEqual(reply.errors, "6\n", "what was not seen is not what was asked for")
    XCTAssertEqual(try tool.leftovers(), [])
  }

  //  the run    starts a side ── says where it stands ────────── removes its files, leaves
  //  the test                                      └─ interrupts ─┘
  func testCtrlCStopsAtOnceAndLeavesNothingBehind() throws {
    for (signal, code) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
      let errors = Pipe()
      let process = tool.process(["run", "37", "--repeat", "1000", "--verbose"], errors: errors)
      try process.run()
      XCTAssertFalse(errors.fileHandleForReading.availableData.isEmpty)
      XCTAssertNotEqual(try tool.leftovers(), [])
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      XCTAssertEqual(process.terminationReason, .exit)
      XCTAssertEqual(process.terminationStatus, code)
      XCTAssertEqual(try tool.leftovers(), [])
    }
  }

  func testCtrlCStopsAnExplorationAtOnceAndLeavesNothingBehind() throws {
    let process = tool.process(["explore", "37", "--bound", "9"], errors: Pipe())
    try process.run()
    while try !tool.leftovers().contains(where: { $0.hasSuffix("/answer") }), process.isRunning {
      sched_yield()
    }
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationReason, .exit)
    XCTAssertEqual(process.terminationStatus, 130)
    XCTAssertEqual(try tool.leftovers(), [])
  }

  //  the check    builds the program ── runs it ─────────────── ends it, leaves
  //  the program                          └─ says so, loops ─┐     └─ lets go
  //  the test                                                └─ interrupts
  func testCtrlCStopsACheckAndTheProgramThatItRuns() throws {
    let pipe = tool.temporary.appendingPathComponent("pipe").path
    XCTAssertEqual(mkfifo(pipe, 0o600), 0)
    let reading = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reading) }
    let folder = tool.temporary.appendingPathComponent("desk").path
    let file = try tool.run("start", "8", "--dir", folder, "--quiet").output
    let program = """
      import CoreData
      import Foundation
      @MainActor
      func importArticles(_ count: Int, into container: NSPersistentContainer) async throws -> Int {
        write(open("\(pipe)", O_WRONLY), "r", 1)
        while true {}
      }
      """
    let path = file.trimmingCharacters(in: .newlines)
    try program.write(toFile: path, atomically: true, encoding: .utf8)
    let before = Set(try tool.leftovers())
    let process = tool.process(["check", "8", "--dir", folder], errors: Pipe())
    try process.run()
    var seen = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    XCTAssertEqual(poll(&seen, 1, 120_000), 1, "the program runs")
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 130)
    var byte: UInt8 = 0
    XCTAssertEqual(read(reading, &byte, 1), 1)
    XCTAssertEqual(read(reading, &byte, 1), 0, "no process holds the pipe any more")
    XCTAssertEqual(Set(try tool.leftovers()), before)
  }

  func testASignalThatOurParentIgnoresDoesNotStopUs() throws {
    let errors = Pipe()
    let run = "trap '' INT HUP; exec \"$FAULTLINE\" run 37 --repeat 1000 --verbose"
    let process = tool.process(["-c", run], errors: errors)
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    try process.run()
    XCTAssertFalse(errors.fileHandleForReading.availableData.isEmpty)
    // Were they held back, the lowest number would be taken first.
    for signal in [SIGINT, SIGHUP, SIGTERM] { kill(process.processIdentifier, signal) }
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 143)
    XCTAssertEqual(try tool.leftovers(), [])
  }

  func testWhatAKilledRunLeftIsRemovedByTheNext() throws {
    let errors = Pipe()
    let process = tool.process(["run", "37", "--repeat", "1000", "--verbose"], errors: errors)
    try process.run()
    XCTAssertFalse(errors.fileHandleForReading.availableData.isEmpty)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    XCTAssertNotEqual(try tool.leftovers(), [])
    try waitForTheSideToo()
    XCTAssertEqual(try tool.run("run", "38", "--repeat", "1").status, 0)
    XCTAssertEqual(try tool.leftovers(), [])
  }

  /// The side's process shares the lock, and ends when it notices that its parent is gone.
  private func waitForTheSideToo() throws {
    let name = try XCTUnwrap(tool.leftovers().first { $0.hasSuffix(".lock") })
    let lock = open(tool.temporary.appendingPathComponent(name).path, O_RDWR | O_CLOEXEC)
    XCTAssertEqual(flock(lock, LOCK_EX), 0)
    close(lock)
  }

  func testACheckWithoutACompilerSaysWhatIsMissing() throws {
    let folder = tool.temporary.appendingPathComponent("desk").path
    expect(
      try tool.run("check", "8", "--dir", folder), .input,
      saying: "`faultline start 8 --dir \(folder)` creates it")
    XCTAssertEqual(try tool.run("start", "8", "--dir", folder).status, 0)
    expect(
      try tool.run("check", "8", "--dir", folder, environment: ["PATH": "/nonexistent"]), .input,
      saying: "swiftc", "add Swift's toolchain to PATH")
  }

  func testASideThatIsStoppedIsAnObservationAndNotTheEnd() throws {
    let reply = try tool.run("run", "1", "--side", "wrong", "--debug", "--repeat", "1")
    XCTAssertEqual(reply.status, 0, reply.errors)
    XCTAssertTrue(reply.output.contains("stopped by the checker"), reply.output)
    XCTAssertTrue(reply.output.contains("concurrency violation"), reply.output)
    XCTAssertTrue(
      reply.output.contains("\n       at       ReadingSomeoneElsesObject.swift:"), reply.output)
  }
}
