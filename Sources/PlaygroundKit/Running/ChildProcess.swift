import Faultline
import Foundation

/// A program that the tool runs, and everything that the program starts, under a supervisor.
///
/// No child of the tool is started in another way. When the program ends, hits a limit or is ended,
/// or when this process dies, all its descendants are killed (`Supervisor`).
package final class ChildProcess: Sendable {
  /// How a process ended, in the operating system's words.
  struct Exit: Equatable, Codable {
    /// The exit code, if it exited.
    var code: Int32?
    /// The signal, if one ended it.
    var signal: Int32?
    /// The highest resident size of the process, in bytes.
    var memoryPeakBytes: Int
  }

  /// The id of the program; the system may give it to another process once the program has ended.
  /// 0 if the supervisor did not come to say it.
  let id: pid_t
  private let supervisor: pid_t
  private let isInSandbox: Bool
  private let input: Int32
  private let line: Int32
  private let secondsMax: Double?

  /// The descriptor under which the program answers, if it has something to answer to.
  static let answers: Int32 = 4
  /// The descriptor under which it has the memory of its answers.
  static let answerMemory: Int32 = 6
  /// How long a supervisor may take to end everything, in seconds.
  private static let grace = 30.0
  /// How long to wait for an answer before looking whether the supervisor was stopped.
  private static let pause = Duration.milliseconds(250)

  /// Where the answers of a program go: a pipe that tells of each, and the memory they are in.
  struct Answers {
    var pipe: Int32
    var memory: Int32
  }

  /// Starts a program with its output in a file, a pipe from us as its standard input unless it
  /// reads no lines, and the workspace kept until all of its processes have ended.
  ///
  /// - Parameters:
  ///   - folder: where the program writes; it is made if it is missing.
  ///   - readable: what a program in a sandbox may read besides the system and its own folder.
  /// - Throws: `Complaint` when the program or its supervisor cannot be started.
  init(
    _ executable: String, _ arguments: [String], environment: [String: String], output: String,
    folder: String, readable: [String] = [], in workspace: Workspace, limits: Limits,
    readsLines: Bool = true, answeringTo answers: Answers? = nil
  ) throws(Complaint) {
    // A program that ran there before may have put something else in the place of its folder.
    unlink(folder)
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Workspace.lost(folder) }
    let sandbox = limits.home == .sandbox ? Sandbox.current : nil
    isInSandbox = sandbox != nil
    let pipe = try Self.pipe()
    defer { close(pipe.reading) }
    guard let line = Self.pair({ socketpair(AF_UNIX, Self.stream, 0, $0) }) else {
      close(pipe.writing)
      throw Self.complaint("There is no line to a supervisor", errno)
    }
    (self.line, input, secondsMax) = (line.reading, pipe.writing, limits.seconds)
    // A program that does not read must not hold us up.
    _ = fcntl(input, F_SETFL, O_NONBLOCK)
    let order = String(decoding: (try? JSONEncoder().encode(limits)) ?? Data(), as: UTF8.self)
    let command =
      (sandbox?.command(writable: folder, readable: readable + [executable]) ?? [])
      + [Supervisor.executable, Supervisor.argument, order, folder, executable] + arguments
    let started = Self.supervisors.withLock { ids in
      if Supervisor.isHere { Supervisor.adoptOrphans() }
      let started = Spawn.start(
        command[0], Array(command.dropFirst()), environment: environment
      ) { actions in
        Self.connect(
          &actions, input: readsLines ? pipe.reading : nil, output, workspace.lock, answers,
          line: line.writing)
      }
      if started.code == 0 { ids.insert(started.id) }
      return started
    }
    close(line.writing)
    supervisor = started.id
    let told =
      started.code == 0
      ? Self.answer(of: supervisor, on: line.reading, within: Self.grace).flatMap { Int32($0) }
      : nil
    // In a sandbox processes have other numbers than outside.
    if let told, told > 0, sandbox != nil {
      id =
        ProcessTable.read().descendants(of: supervisor).map(\.id)
        .first { ProcessTable.Row.innerID(of: $0) == told } ?? 0
    } else {
      id = max(0, told ?? 0)
    }
    // The program may be so quick that it ends or stops its supervisor first: `wait` sees to it.
    if started.code == 0, let told, told > 0 { return }
    if started.code == 0, told == nil, !hasSupervisorFailed { return }
    if started.code == 0 { Self.reap(supervisor) }
    throw Self.complaint("\(executable) cannot be started", told.map { -$0 } ?? started.code)
  }

  /// Describes which of our descriptors a supervisor has, and under which numbers.
  private static func connect(
    _ actions: inout posix_spawn_file_actions_t, input: Int32?, _ output: String, _ lock: Int32,
    _ answers: Answers?, line: Int32
  ) {
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    posix_spawn_file_actions_adddup2(&actions, lock, Supervisor.lock)
    if let answers {
      posix_spawn_file_actions_adddup2(&actions, answers.pipe, Self.answers)
      posix_spawn_file_actions_adddup2(&actions, answers.memory, answerMemory)
    }
    posix_spawn_file_actions_adddup2(&actions, line, Supervisor.line)
  }

  /// Whether the supervisor has left by itself, which it does without a report only if it is wrong.
  private var hasSupervisorFailed: Bool {
    guard hasEnded else { return false }
    var information = siginfo_t()
    while waitid(P_PID, id_t(supervisor), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return information.si_code == Int32(CLD_EXITED)
  }

  deinit {
    close(input)
    close(line)
  }

  /// Writes a line to the program's standard input; false if the program no longer reads, or reads
  /// nothing for so long that the pipe stays full.
  func send(_ line: Data) -> Bool {
    var rest = (line + [UInt8(ascii: "\n")])[...]
    while !rest.isEmpty {
      var file = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
      guard poll(&file, 1, Int32(Self.grace * 1_000)) > 0 else { return false }
      let count = rest.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Waits until the program has ended and nothing that it started runs any more; says how it
  /// ended, and which limit it hit, if any.
  func wait() -> (exit: Exit, limit: String?) {
    let words = Self.answer(
      of: supervisor, on: line, within: secondsMax.map { $0 + Self.grace })
    let report = words.flatMap {
      try? JSONDecoder().decode(SupervisorReport.self, from: Data($0.utf8))
    }
    guard let report else {
      endWithoutSupervisor()
      Self.reap(supervisor)
      return (
        Exit(code: nil, signal: SIGKILL, memoryPeakBytes: 0),
        "supervision: it killed or stopped the process that watches it"
      )
    }
    Self.reap(supervisor)
    return (report.exit, report.limit)
  }

  /// Whether the program has ended, with all that it started; it must still be waited for.
  var hasEnded: Bool { Self.isReadable(line, of: supervisor, within: 0) }

  /// Whether the supervisor is there, or has said how the program ended: outside of a sandbox a
  /// program may have killed or stopped it, and answers until it is found out.
  var isWatched: Bool {
    if isInSandbox { return true }
    var byte = Supervisor.question
    _ = Foundation.send(line, &byte, 1, Int32(MSG_NOSIGNAL))
    guard Self.isReadable(line, of: supervisor, within: Self.grace),
      recv(line, &byte, 1, Int32(MSG_PEEK)) == 1
    else { return false }
    if byte == Supervisor.question { _ = recv(line, &byte, 1, 0) }
    return true
  }

  /// Kills the program with all that it started, and returns when they are dead: the dead write no
  /// more.
  func end() {
    shutdown(line, Int32(SHUT_WR))
    if !Self.isReadable(line, of: supervisor, within: Self.grace) { endWithoutSupervisor() }
  }

  /// Waits until there is something to read on the line, its end included, or until nothing can
  /// come any more: the time is over, or the supervisor was stopped.
  private static func isReadable(
    _ line: Int32, of supervisor: pid_t, within seconds: Double?
  ) -> Bool {
    let start = ContinuousClock.now
    while true {
      let left = seconds.map { Duration.seconds($0) - (ContinuousClock.now - start) }
      let pause = min(max(.zero, left ?? Self.pause), Self.pause)
      var file = pollfd(fd: line, events: Int16(POLLIN), revents: 0)
      if poll(&file, 1, Int32(pause.nanoseconds / 1_000_000)) > 0 { return true }
      var information = siginfo_t()
      waitid(P_PID, id_t(supervisor), &information, WSTOPPED | WNOWAIT | WNOHANG)
      if information.si_signo == SIGCHLD { return false }
      if let left, left <= .zero { return false }
    }
  }

  /// Does the supervisor's work when the supervisor cannot.
  ///
  /// Its children are adopted by this process if that is the tool; there every other child is a
  /// supervisor. In other processes, what has left the supervisor's session may remain.
  private func endWithoutSupervisor() {
    let (supervisor, own) = (supervisor, getpid())
    for _ in 0..<2 {
      while ProcessTable.sweep({ table in
        let known = Self.supervisors.withLock { $0 }
        let strays = table.rows.filter {
          Supervisor.isHere && $0.parent == own && !known.contains($0.id)
        }
        for stray in strays where stray.isDead { waitpid(stray.id, nil, WNOHANG) }
        return table.descendants(of: supervisor)
          + table.rows.filter { $0.session == supervisor && $0.id != supervisor }
          + strays.flatMap { [$0] + table.descendants(of: $0.id) }
      }) { usleep(1_000) }
      kill(supervisor, SIGKILL)
    }
  }

  // MARK: Descriptors and ids

  /// The supervisors that run. The lock is held while one starts, and while a pipe is made, until
  /// no process can inherit it.
  private static let supervisors = Lock(Set<pid_t>())

  private static func reap(_ supervisor: pid_t) {
    while waitpid(supervisor, nil, 0) < 0, errno == EINTR {}
    supervisors.withLock { _ = $0.remove(supervisor) }
  }

  /// A pipe that no process inherits.
  static func pipe() throws(Complaint) -> (reading: Int32, writing: Int32) {
    guard let ends = pair({ Foundation.pipe($0) }) else {
      throw complaint("There is no pipe", errno)
    }
    return ends
  }

  /// Our descriptors are above those that a supervisor expects to find something under.
  private static let lowest: Int32 = 10

  /// Gives a descriptor such a number; no program inherits it. -1 if the system has none left.
  static func lifted(_ file: Int32) -> Int32 {
    guard file >= 0 else { return -1 }
    let lifted = fcntl(file, F_DUPFD_CLOEXEC, lowest)
    let code = errno
    close(file)
    errno = code
    return lifted
  }

  private static func pair(
    _ make: (UnsafeMutablePointer<Int32>) -> Int32
  ) -> (reading: Int32, writing: Int32)? {
    var ends: [Int32] = [-1, -1]
    let isMade = supervisors.withLock { _ in
      guard make(&ends) == 0 else { return false }
      var code: Int32 = 0
      for (index, end) in ends.enumerated() {
        ends[index] = lifted(end)
        if ends[index] < 0 { code = errno }
      }
      if code == 0 { return true }
      for end in ends where end >= 0 { close(end) }
      errno = code
      return false
    }
    return isMade ? (ends[0], ends[1]) : nil
  }

  private static var stream: Int32 {
    #if os(Linux)
      Int32(SOCK_STREAM.rawValue)
    #else
      SOCK_STREAM
    #endif
  }

  /// Reads a line, and nothing behind it; nil if the other end is gone.
  private static func readLine(_ file: Int32) -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while byte != UInt8(ascii: "\n") {
      let count = read(file, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return nil }
      bytes.append(byte)
    }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  private static func answer(
    of supervisor: pid_t, on line: Int32, within seconds: Double?
  ) -> String? {
    isReadable(line, of: supervisor, within: seconds) ? readLine(line) : nil
  }

  /// Says why the system refused something that a program needs.
  static func complaint(_ words: String, _ code: Int32) -> Complaint {
    let reason = code == 0 ? "its supervisor failed" : String(cString: strerror(code))
    let advice: String
    switch code {
    case EMFILE, ENFILE, EINVAL:
      advice = "let more files be open at a time, `ulimit -n 256`"
    case EAGAIN: advice = "end other programs, or let more run at a time (`ulimit -u`)"
    case ENOMEM, ENOSPC: advice = "end other programs, or allow more memory (`ulimit -v`)"
    default: return Complaint(.ourBug, "\(words): \(reason)")
    }
    return Complaint(.limit, "\(words) (\(reason.lowercased())): \(advice).")
  }
}

extension ChildProcess.Exit {
  /// How a process ended, as `wait4` says it.
  init(status: Int32, usage: rusage) {
    let signal = status & 0x7f
    self.init(
      code: signal == 0 ? (status >> 8) & 0xff : nil, signal: signal == 0 ? nil : signal,
      memoryPeakBytes: Int(usage.ru_maxrss) * Self.residentUnit)
  }

  /// The unit of `ru_maxrss`: kibibytes on Linux, bytes on Apple's systems.
  private static var residentUnit: Int {
    #if os(Linux)
      1024
    #else
      1
    #endif
  }
}
