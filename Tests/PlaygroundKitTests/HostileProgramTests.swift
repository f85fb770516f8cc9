import Foundation
import Testing

@testable import PlaygroundKit

/// Programs that do what they can to outlive their limits. After each nothing runs, and nothing is
/// left in the folder for temporary files. They run without a sandbox where none is named, because
/// it would do part of the supervisor's work.
@Suite(.serialized) struct HostileProgramTests {
  private typealias Limits = ChildProcess.Limits

  /// The limits of code that is not ours, outside of a sandbox.
  private static func limits(
    _ seconds: Double = 60, memoryBytes: Int = 512 << 20, diskBytes: Int = 200 << 20,
    home: Limits.Home = .ownFolder
  ) -> Limits {
    Limits(seconds: seconds, memoryBytes: memoryBytes, diskBytes: diskBytes, home: home)
  }

  /// Whether a sandbox is to be had; `.ci/run` sees to it.
  private static let hasSandbox = Sandbox.current != nil
  private static let homes: [Limits.Home] = hasSandbox ? [.ownFolder, .sandbox] : [.ownFolder]

  /// A folder for workspaces, and a word in the environment of all that runs there.
  private struct Place {
    let base = FileManager.default.temporaryDirectory
      .appendingPathComponent("hostile-\(UUID().uuidString)")
    let mark = "FAULTLINE_TEST_MARK=\(UUID().uuidString)"

    var environment: [String: String] {
      let word = mark.split(separator: "=").map(String.init)
      return ProcessInfo.processInfo.environment.merging([word[0]: word[1]]) { $1 }
    }

    /// The living processes that have the word in their environment.
    var running: [pid_t] {
      ProcessTable.read().rows.filter { row in
        let data = FileManager.default.contents(atPath: "/proc/\(row.id)/environ") ?? Data()
        return !row.isDead && data.range(of: Data(mark.utf8)) != nil
      }.map(\.id)
    }
  }

  /// Runs a program to its end, and looks that nothing is left of it.
  private func run(
    _ program: String, _ arguments: [String], _ limits: Limits,
    at location: SourceLocation = #_sourceLocation
  ) throws -> ChildProcess.Outcome {
    let place = Place()
    defer { try? FileManager.default.removeItem(at: place.base) }
    var workspace: Workspace? = try Workspace(in: place.base)
    let folder = try #require(workspace).makeFolder("program")
    let outcome = try ChildProcess.run(
      URL(fileURLWithPath: program), arguments, environment: place.environment, limits: limits,
      log: folder.appendingPathComponent("log"), folder: folder.appendingPathComponent("own"),
      in: #require(workspace))
    #expect(place.running == [], "processes are left", sourceLocation: location)
    workspace = nil
    #expect(
      !FileManager.default.fileExists(atPath: place.base.path), "files are left",
      sourceLocation: location)
    return outcome
  }

  /// Runs a line of shell to its end.
  private func shell(
    _ line: String, _ limits: Limits = limits(),
    at location: SourceLocation = #_sourceLocation
  ) throws -> ChildProcess.Ending {
    try run("/bin/sh", ["-c", line], limits, at: location).ending
  }

  private static let short = limits(0.3)
  private static let tooLong = ChildProcess.Ending.limit("time: more than 0.3 s")

  // MARK: Limits

  @Test func aProgramThatObeysEndsAsItWants() throws {
    let outcome = try run(
      "/bin/sh", ["-c", "echo out; echo err >&2; cat; exit 3"], Self.limits())
    #expect(outcome.ending == .exited(3))
    #expect(outcome.output == "out\nerr\n")
    #expect(try shell("kill -SEGV $$") == .signalled(SIGSEGV))
  }

  @Test func aProgramDoesNotHoldTheLockOfTheWorkspace() throws {
    let held = try run("/bin/ls", ["-l", "/proc/self/fd"], Self.limits()).output
    #expect(held.contains("/log\n"))
    #expect(!held.contains(".lock"))
  }

  @Test(arguments: [
    "while :; do :; done",
    "trap '' TERM INT HUP QUIT USR1 USR2 CHLD; while :; do :; done",
    "kill -STOP $$",
    "setsid -f sleep 1000; sleep 1000",
  ])
  func aProgramWithoutAnEndHitsTheTimeLimit(_ line: String) throws {
    #expect(try shell(line, Self.short) == Self.tooLong)
  }

  @Test(arguments: [
    "exec tail /dev/zero", "tail /dev/zero | cat", "setsid -w tail /dev/zero",
    "f() { head -c 40M /dev/zero | tail -c 40M | sleep 1000; }; f & f & wait",
  ])
  func theMemoryOfAllProcessesTogetherHitsTheMemoryLimit(_ line: String) throws {
    let limits = Self.limits(memoryBytes: 64 << 20)
    #expect(try shell(line, limits) == .limit("memory: more than 64 MB"))
  }

  @Test func aGigabyteOfOutputHitsTheOutputLimit() throws {
    let outcome = try run(
      "/bin/sh", ["-c", "echo first; head -c 1G /dev/zero"], Self.limits())
    #expect(outcome.ending == .limit("output: more than 1 MB"))
    #expect(outcome.output.hasPrefix("first\n"))
    #expect(outcome.output.utf8.count == 1 << 20)
  }

  @Test func outputThatIsWrittenBetweenTwoLooksCountsToo() throws {
    let ending = try shell("head -c 1048577 /dev/zero")
    #expect(ending == .limit("output: more than 1 MB"))
    #expect(try shell("head -c 1048576 /dev/zero") == .exited(0))
  }

  @Test(arguments: [
    "exec cat /dev/zero >\"$TMPDIR/file\"",
    "exec 9>\"$TMPDIR/file\"; rm \"$TMPDIR/file\"; exec cat /dev/zero >&9",
    "cd \"$TMPDIR\"; n=0; while :; do n=$((n + 1)); : >$n; done",
  ])
  func aProgramThatFillsTheDiskHitsTheDiskLimit(_ line: String) throws {
    let ending = try shell(line, Self.limits(diskBytes: 1 << 20))
    // A look may see it first, or the system.
    #expect(
      ending == .limit("disk: more than 1 MB") || ending == .limit("disk: a file of more than 1 MB")
    )
  }

  // Two to the eighth, so that a failing test does not take the machine.
  @Test(arguments: ["", "setsid -f "])
  func aForkBombHitsTheLimitOfProcesses(_ start: String) throws {
    let bomb = """
      if [ $1 = 0 ]; then exec sleep 1000; fi
      \(start)sh -c "$BOMB" bomb $(($1 - 1)) & \(start)sh -c "$BOMB" bomb $(($1 - 1)) &
      wait; exec sleep 1000
      """
    let line = "export BOMB='\(bomb)'; sh -c \"$BOMB\" bomb 7"
    #expect(try shell(line) == .limit("processes: more than 64"))
  }

  /// The driver is killed together with the compiler that it started.
  @Test func theCompilerOfALongSourceEndsWithItsDriver() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("long-\(UUID().uuidString).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    let source = (0..<130_000).map { "func f\($0)() -> Int { \($0) }\n" }.joined()
    try source.write(to: file, atomically: false, encoding: .utf8)
    let outcome = try run(
      "/usr/bin/env", ["swiftc", "-parse-as-library", file.path],
      Limits(seconds: 1, memoryBytes: 4 << 30, home: .anywhere))
    #expect(outcome.ending == .limit("time: more than 1 s"))
  }

  // MARK: Where it writes

  @Test(arguments: homes) private func aProgramStartsInItsOwnFolder(_ home: Limits.Home) throws {
    let outcome = try run(
      "/bin/sh",
      ["-c", "pwd; test \"$PWD\" = \"$TMPDIR\" && echo x >here && cat \"$TMPDIR/here\""],
      Self.limits(home: home))
    #expect(outcome.ending == .exited(0))
    #expect(outcome.output.hasSuffix("/program/own\nx\n"), "\(outcome.output)")
  }

  /// The program is stopped by the system, in the middle of a write, and not by a look.
  @Test(arguments: homes) private func noFileIsLargerThanTheDiskLimitWhereverItIs(
    _ home: Limits.Home
  ) throws {
    let other = FileManager.default.temporaryDirectory
      .appendingPathComponent("large-\(UUID().uuidString)")
    defer { unlink(other.path) }
    for file in home == .sandbox ? ["large"] : ["large", other.path] {
      let line = "exec dd if=/dev/zero of='\(file)' bs=1M count=800"
      #expect(
        try shell(line, Self.limits(diskBytes: 3 << 20, home: home))
          == .limit("disk: a file of more than 3 MB"))
    }
    var status = stat()
    if home == .ownFolder { #expect(stat(other.path, &status) == 0 && status.st_size == 3 << 20) }
  }

  /// Whether the system counts what is written into the folder for temporary files: it does not
  /// where that folder is memory.
  private static let isCounted: Bool = {
    func written() -> String? {
      (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8))?
        .split(separator: "\n").first { $0.hasPrefix("write_bytes") }.map(String.init)
    }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("counted-\(UUID().uuidString)")
    defer { unlink(file.path) }
    let before = written()
    try? Data(repeating: 1, count: 1 << 16).write(to: file)
    return before != nil && written() != before
  }()

  @Test(.enabled(if: isCounted))
  func whatIsWrittenToManyFilesElsewhereHitsTheDiskLimit() throws {
    let other = FileManager.default.temporaryDirectory
      .appendingPathComponent("many-\(UUID().uuidString)")
    defer { FileTree.remove(other.path) }
    let line = """
      mkdir '\(other.path)'; cd '\(other.path)'; n=0
      while :; do n=$((n + 1)); head -c 900K /dev/zero >$n; done
      """
    #expect(
      try shell(line, Self.limits(diskBytes: 1 << 20))
        == .limit("disk: more than 2 MB written in all"))
  }

  @Test(.enabled(if: hasSandbox)) func inASandboxNothingElseCanBeWritten() throws {
    let other = FileManager.default.temporaryDirectory
      .appendingPathComponent("other-\(UUID().uuidString)")
    defer { FileTree.remove(other.path) }
    #expect(mkdir(other.path, 0o700) == 0)
    let places = [
      other.path, "/", "/tmp", "/etc", "/usr", "/dev", "/dev/shm", "/proc/1/root\(other.path)",
      "/proc/1/cwd", NSHomeDirectory(), FileManager.default.currentDirectoryPath, "..",
    ]
    let lines = places.map { "echo x >'\($0)'/written && echo '\($0)'" }
    let outcome = try run(
      "/bin/sh", ["-c", lines.joined(separator: "\n") + "\nmkdir a && echo x >a/b && cat a/b"],
      Self.limits(home: .sandbox))
    #expect(outcome.output.hasSuffix("\nx\n"), "\(outcome.output)")
    for place in places where place != "/proc/1/cwd" {
      #expect(!outcome.output.contains("\n\(place)\n"), "\(outcome.output)")
    }
    #expect(ProcessTable.names(in: other.path) == [])
  }

  @Test(.enabled(if: hasSandbox)) func inASandboxAProgramSeesNoProcessButItsOwn() throws {
    let outcome = try run(
      "/bin/sh", ["-c", "echo /proc/[0-9]*; kill -KILL 1; kill -STOP 1; kill -KILL $PPID; exit 7"],
      Self.limits(home: .sandbox))
    #expect(outcome.ending == .exited(7))
    #expect(outcome.output.hasPrefix("/proc/1 /proc/2\n"), "\(outcome.output)")
  }

  @Test(
    .enabled(if: hasSandbox),
    arguments: [
      "while :; do :; done", "kill -STOP $$", "setsid -f sleep 1000; sleep 1000",
      "trap '' TERM INT HUP QUIT; while :; do :; done",
    ])
  func aProgramInASandboxHitsTheTimeLimit(_ line: String) throws {
    #expect(try shell(line, Self.limits(0.3, home: .sandbox)) == Self.tooLong)
  }

  @Test(.enabled(if: hasSandbox)) func limitsHoldInASandboxToo() throws {
    #expect(
      try shell("tail /dev/zero | cat", Self.limits(memoryBytes: 64 << 20, home: .sandbox))
        == .limit("memory: more than 64 MB"))
    #expect(
      try shell(
        "n=0; while :; do n=$((n + 1)); head -c 9K /dev/zero >$n; done",
        Self.limits(diskBytes: 1 << 20, home: .sandbox)) == .limit("disk: more than 1 MB"))
    #expect(
      try shell("setsid -f sleep 1000; exit 3", Self.limits(home: .sandbox)) == .exited(3))
    #expect(try shell("kill -SEGV $$", Self.limits(home: .sandbox)) == .signalled(SIGSEGV))
  }

  /// In one it could mount memory as a file system, and fill it.
  @Test(.enabled(if: Sandbox.current?.noNamespaces.isEmpty == false))
  func aProgramInASandboxGetsNoUserNamespace() throws {
    #expect(try shell("unshare -U true", Self.limits(home: .sandbox)) == .exited(1))
  }

  // MARK: What is left behind

  @Test(arguments: [
    "sleep 1000 & exit 3", "setsid -f sleep 1000; exit 3", "( ( sleep 1000 & ) & ); exit 3",
    "(trap '' TERM HUP; setsid -f sh -c 'setsid -f sleep 1000 <&- >&- 2>&-'); exit 3",
    "sleep 1000 & kill -STOP $!; exit 3",
  ])
  func aChildThatStaysBehindEndsWithTheProgram(_ line: String) throws {
    #expect(try shell(line) == .exited(3))
  }

  @Test func sharedMemoryEndsWithTheProgramThatHasMadeIt() throws {
    let bytes = 1_234_567
    #expect(try shell("exec ipcmk -M \(bytes)") == .exited(0))
    let table = try String(contentsOfFile: "/proc/sysvipc/shm", encoding: .utf8)
    #expect(!table.contains(" \(bytes) "))
  }

  @Test(arguments: ["STOP", "KILL"])
  func aProgramThatTurnsOnItsSupervisorEndsToo(_ signal: String) throws {
    let ending = try shell("sleep 1000 & kill -\(signal) $PPID; exec sleep 1000")
    guard case .limit(let words) = ending else {
      Issue.record("\(ending)")
      return
    }
    #expect(words.hasPrefix("supervision: "))
  }

  // MARK: The tool

  /// Starts a tool that runs a line of shell; `$PIPE` leads to the answer, open as long as a
  /// process holds it.
  private func tool(_ line: String, in place: Place) throws -> (id: pid_t, pipe: Int32) {
    try FileManager.default.createDirectory(at: place.base, withIntermediateDirectories: true)
    let pipe = place.base.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let reading = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    var environment = place.environment
    environment["TMPDIR"] = place.base.path
    let started = Spawn.start(
      Explorations.probes, ["shell", "PIPE=\(pipe); \(line)"], environment: environment
    ) {
      posix_spawn_file_actions_addopen(&$0, STDOUT_FILENO, pipe + "-out", O_WRONLY | O_CREAT, 0o600)
    }
    #expect(started.code == 0)
    return (started.id, reading)
  }

  /// Waits until a process has written to the pipe, or until none holds it.
  private func wait(for pipe: Int32) -> Bool {
    var file = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    poll(&file, 1, 60_000)
    var byte: UInt8 = 0
    return read(pipe, &byte, 1) == 1
  }

  //  the program    starts children ── says so ──────────────────────┐
  //  the test                              └─ kills the tool ── sees the pipe closed
  @Test func everythingEndsWhenTheToolIsKilled() throws {
    let place = Place()
    defer { try? FileManager.default.removeItem(at: place.base) }
    let (id, pipe) = try tool(
      "exec 9>$PIPE; setsid -f sleep 1000; (sleep 1000 &); sleep 1000 & kill -STOP $!; "
        + "printf . >&9; sleep 1000",
      in: place)
    defer { close(pipe) }
    #expect(wait(for: pipe))
    #expect(place.running.count >= 4)
    kill(id, SIGKILL)
    waitpid(id, nil, 0)
    while wait(for: pipe) {}
    // The supervisor is the last to have the lock of the workspace.
    let folder = place.base.appendingPathComponent("faultline-\(getuid())")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let lock = try #require(names.first { $0.hasSuffix(".lock") })
    let file = open(folder.appendingPathComponent(lock).path, O_RDWR | O_CLOEXEC)
    #expect(flock(file, LOCK_EX) == 0)
    close(file)
    #expect(place.running == [])
    Workspace.removeLeftovers(in: folder)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func theToolEndsWhatAKilledSupervisorLeavesWhereverItHasGone() throws {
    let place = Place()
    defer { try? FileManager.default.removeItem(at: place.base) }
    let (id, pipe) = try tool(
      "exec 9>$PIPE; setsid -f sh -c 'setsid -f sleep 1000'; printf . >&9; setsid -f sleep 1000; "
        + "kill -KILL $PPID; exec setsid sleep 1000", in: place)
    defer { close(pipe) }
    #expect(wait(for: pipe))
    var status: Int32 = 0
    waitpid(id, &status, 0)
    #expect(status == 0)
    #expect(!wait(for: pipe), "no process holds the pipe any more")
    #expect(place.running == [])
    let said = try String(
      contentsOfFile: place.base.appendingPathComponent("pipe-out").path, encoding: .utf8)
    #expect(said.contains("supervision: "), "\(said)")
  }
}
