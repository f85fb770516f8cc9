import CSwiftRuntime
import Faultline
import Foundation

/// The process between the tool and a program that it runs, as seen from inside.
///
///     tool ──── line ──── supervisor ──── program ──── what the program starts
///
/// The tool starts its own executable again with a hidden first argument. The supervisor adopts
/// every descendant that loses its parent, so none can leave its tree: not by `setsid`, not by a
/// double fork. The line is a pair of sockets of which only these two processes hold an end. The
/// supervisor also holds the lock of the workspace, and the program does not.
///
/// 1. leave the tool's session; hold back all signals; adopt orphans; go to the program's folder
/// 2. start the program in a process group of its own; say its id
/// 3. wait until the program ends, a limit is hit, or the tool lets go of the line or dies
/// 4. kill every descendant until there is none
/// 5. say how it ended; leave
///
/// Where there is a sandbox, the supervisor of a learner's program is in it, and out of the
/// program's reach (`Sandbox`). Without one, a program that runs as the same user can kill or stop
/// its supervisor: then the tool does step 4 (`ChildProcess.wait`). Only a program that kills both
/// outlives them. Control groups are not used: a user may rarely make one, and the tree of
/// processes is complete without.
public enum Supervisor {
  /// The hidden first argument.
  public static let argument = "__supervise"
  /// The hidden first argument of a process that only shows that it can be started.
  static let trial = "__try"
  /// The descriptor under which the supervisor has the workspace's lock.
  static let lock: Int32 = 3
  /// The descriptor under which it has the line to the tool.
  static let line: Int32 = 5
  /// What the tool sends on the line to hear whether the supervisor is there, and gets back.
  static let question = UInt8(ascii: "?")

  /// Supervises a program and never returns if the arguments ask for one; otherwise returns at
  /// once. An executable that calls this in its `main` is its own supervisor.
  public static func runIfAsked(_ arguments: [String] = CommandLine.arguments) {
    if arguments.count == 2, arguments[1] == trial { _exit(0) }
    guard arguments.count > 4, arguments[1] == argument else {
      isThisExecutable.withLock { $0 = true }
      return
    }
    do {
      try Supervision(arguments).run()
    } catch {
      StandardStreams.complain("\(error)\n")
      _exit(ExitStatus.ourBug.rawValue)
    }
  }

  /// Has this process end when its supervisor does, so that it never runs unwatched.
  package static func endWithIt() {
    #if os(Linux)
      _ = faultline_end_with_parent()
    #endif
  }

  /// Whether this executable can be started as a supervisor.
  static var isHere: Bool { isThisExecutable.withLock { $0 } }
  private static let isThisExecutable = Lock(false)

  /// The executable that supervises: this one, or for a bundle of tests `faultline` beside it.
  static var executable: String {
    if isHere { return Runner.thisExecutable }
    return URL(fileURLWithPath: Runner.thisExecutable).deletingLastPathComponent()
      .appendingPathComponent("faultline").path
  }

  /// Makes this process the parent of every descendant that loses its own.
  static func adoptOrphans() {
    #if os(Linux)
      _ = faultline_adopt_orphans()
    #endif
  }
}

/// The last line to the tool: how the program ended.
struct SupervisorReport: Codable {
  var exit: ChildProcess.Exit
  /// The words of the limit that was hit.
  var limit: String?
}

/// One program under supervision.
private final class Supervision {
  private let limits: ChildProcess.Limits
  private let folder: String
  private let bytesBefore: Int
  private let meter: WriteMeter
  private let program: pid_t
  private let start = ContinuousClock.now
  /// How the program ended, once it was waited for.
  private var exit: ChildProcess.Exit?
  private var looksOverMemory = 0
  private let sharedMemory = SharedMemory()
  /// Every process of the program that was seen.
  private var seen: Set<pid_t>

  /// How long between two looks, at least: they take a tenth of a processor at most.
  private static let pause = Duration.milliseconds(20)
  private static let pauseMax = Duration.milliseconds(250)

  /// Steps 1 and 2.
  init(_ arguments: [String]) throws {
    let answers = [ChildProcess.answers, ChildProcess.answerMemory].filter {
      fcntl($0, F_GETFD) >= 0
    }
    meter = WriteMeter()
    setsid()
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    SideProcess.refuseCoreDumps()
    Supervisor.adoptOrphans()
    #if os(Linux)
      _ = faultline_refuse_inspection()
    #endif
    for own in [Supervisor.lock, Supervisor.line] { _ = fcntl(own, F_SETFD, FD_CLOEXEC) }

    limits = try JSONDecoder().decode(
      ChildProcess.Limits.self, from: Data(arguments[2].utf8))
    folder = arguments[3]
    bytesBefore =
      limits.diskBytes == nil ? 0 : ChildProcess.Limits.Use.bytes(in: folder, most: .max)
    if limits.home != .anywhere { chdir(folder) }
    limits.holdFileSize()
    let started = Spawn.start(
      arguments[4], Array(arguments.dropFirst(5)),
      environment: ProcessInfo.processInfo.environment, inGroupOfItsOwn: true)
    program = started.id
    seen = [started.id]
    Self.say(started.code == 0 ? "\(program)" : "\(-started.code)")
    // The program alone holds its ends of the pipes.
    let none = open("/dev/null", O_RDONLY | O_CLOEXEC)
    dup2(none, STDIN_FILENO)
    close(none)
    for file in answers { close(file) }
    if started.code != 0 { _exit(0) }
  }

  func run() throws -> Never {
    var limit = watch()
    endAll()
    if limits.needLooks { sharedMemory.remove(madeBy: seen) }
    // What was printed and written between the last look and the end counts too.
    if var use = limits.needLooks ? use(by: []) : nil {
      use.memoryBytes = exit?.memoryPeakBytes ?? 0
      limit = limit ?? limits.hit(by: use)
    }
    if limits.diskBytes != nil, exit?.signal == SIGXFSZ {
      limit = limit ?? ChildProcess.Limits.fileWords
    }
    let report = SupervisorReport(
      exit: exit ?? ChildProcess.Exit(code: nil, signal: SIGKILL, memoryPeakBytes: 0),
      limit: limit)
    Self.say(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    _exit(0)
  }

  private static func say(_ words: String) {
    let line = Array((words + "\n").utf8)
    _ = write(Supervisor.line, line, line.count)
  }

  // MARK: 3. Watch

  /// Waits for the end of the program, or for the reason to end it; the words of the limit that was
  /// hit, if one was.
  private func watch() -> String? {
    var ended: Int32 = -1
    #if os(Linux)
      ended = faultline_open_process(program)
    #endif
    var pause = Self.pause
    while true {
      var files = [
        pollfd(fd: Supervisor.line, events: Int16(POLLIN), revents: 0),
        pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
      ]
      poll(&files, 2, timeout(ended < 0 || limits.needLooks ? pause : nil))
      if files[0].revents != 0, !Self.isAsked() { return nil }
      if hasEnded { return nil }
      if let seconds = limits.seconds, ContinuousClock.now - start >= .seconds(seconds) {
        return limits.timeWords
      }
      guard limits.needLooks else { continue }
      // Processor time, not time: the more processes there are, the sooner the next look must come.
      let before = ProcessUse.processorNanoseconds
      if let words = look() { return words }
      reap()
      let used = Duration.nanoseconds(ProcessUse.processorNanoseconds - before)
      pause = min(max(Self.pause, used * 10), Self.pauseMax)
    }
  }

  /// Whether the tool only asks whether we are there, which is answered.
  private static func isAsked() -> Bool {
    var byte: UInt8 = 0
    guard read(Supervisor.line, &byte, 1) == 1, byte == Supervisor.question else { return false }
    return write(Supervisor.line, &byte, 1) == 1
  }

  /// How long to wait at most, in the words of `poll`.
  private func timeout(_ pause: Duration?) -> Int32 {
    let left = limits.seconds.map { Duration.seconds($0) - (ContinuousClock.now - start) }
    guard let shortest = [pause, left].compactMap({ $0 }).min() else { return -1 }
    return Int32(clamping: max(0, shortest.nanoseconds / 1_000_000 + 1))
  }

  /// Whether the program has ended; it must still be waited for.
  private var hasEnded: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(program), &information, WEXITED | WNOWAIT | WNOHANG) != 0
      || information.si_signo == SIGCHLD
  }

  /// The words of a limit that is hit now.
  private func look() -> String? {
    let rows = ProcessTable.read().descendants(of: getpid())
    seen.formUnion(rows.map(\.id))
    var use = use(by: rows)
    use.memoryBytes += sharedMemory.bytes(madeBy: seen)
    // While a process starts another, the system counts its memory twice for a moment.
    let isOver = use.memoryBytes > limits.memoryBytes ?? .max
    looksOverMemory = isOver ? looksOverMemory + 1 : 0
    if looksOverMemory == 1 { use.memoryBytes = 0 }
    return limits.hit(by: use)
  }

  private func use(by rows: [ProcessTable.Row]) -> ChildProcess.Limits.Use {
    var use = ChildProcess.Limits.Use(
      by: rows, printingTo: STDOUT_FILENO, in: folder, bytesBefore: bytesBefore,
      diskMax: limits.diskBytes)
    use.writtenBytes = meter.bytes(of: rows.map(\.id))
    return use
  }

  // MARK: 4. End

  /// How many looks in a row may find nothing to kill while there is a child: it may be one that
  /// runs as another user.
  private static let idleLooksMax = 200

  /// Kills every descendant. A descendant's parents end before it or with it, so that there is none
  /// when there is no child.
  private func endAll() {
    // At once what is in the program's own group, however fast it starts more of itself. The group
    // has its number as long as the program was not waited for.
    if exit == nil { kill(-program, SIGKILL) }
    var idleLooks = 0
    while reap(), idleLooks < Self.idleLooksMax {
      let own = getpid()
      idleLooks = ProcessTable.sweep { $0.descendants(of: own) } ? 0 : idleLooks + 1
      usleep(1_000)
    }
  }

  /// Takes the ends of children; false if there is no child any more.
  @discardableResult private func reap() -> Bool {
    while true {
      var status: Int32 = 0
      var usage = rusage()
      let id = wait4(-1, &status, WNOHANG, &usage)
      if id == 0 { return true }
      if id < 0 { return errno == EINTR }
      if id == program { exit = ChildProcess.Exit(status: status, usage: usage) }
    }
  }
}

/// What this process and its descendants have written to disks, in whatever folder.
///
/// The system adds what a process has written to its parent's figure when the parent takes its end.
private struct WriteMeter {
  /// Opened before the process closes itself to inspection, its own included.
  private let own = open("/proc/self/io", O_RDONLY | O_CLOEXEC)
  private let before: Int

  init() { before = Self.bytes(own) }

  func bytes(of processes: [pid_t]) -> Int {
    processes.reduce(Self.bytes(own) - before) { sum, process in
      let file = open("/proc/\(process)/io", O_RDONLY | O_CLOEXEC)
      defer { close(file) }
      return sum + Self.bytes(file)
    }
  }

  private static func bytes(_ file: Int32) -> Int {
    var text = [UInt8](repeating: 0, count: 1024)
    let count = file < 0 ? 0 : pread(file, &text, text.count, 0)
    guard count > 0 else { return 0 }
    func figure(_ key: String) -> Int {
      String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
        .first { $0.hasPrefix(key) }.flatMap { Int($0.dropFirst(key.count)) } ?? 0
    }
    return figure("write_bytes: ") - figure("cancelled_write_bytes: ")
  }
}
