import Faultline
import Foundation

/// A process that the runner starts and outlives.
///
/// `posix_spawn` and `wait4` directly, because Foundation's `Process` and swift-subprocess both
/// reap the child themselves and so keep the operating system's figures of that one child (its peak
/// memory) from us.
final class ChildProcess: Sendable {
  /// How a process ended, in the operating system's words.
  struct Exit: Equatable {
    /// The exit code, if it exited.
    var code: Int32?
    /// The signal, if one ended it.
    var signal: Int32?
    /// The highest resident size of the process, in bytes.
    var memoryPeakBytes: Int
  }

  /// The process id; the system may give it to another process once `wait` has returned.
  let id: pid_t
  private let lifeline: Int32
  private let isReaped = Lock(false)

  /// The descriptor under which the child finds the one it inherits.
  private static let inherited: Int32 = 3
  /// The descriptor under which the child answers, if it has something to answer to.
  static let answers: Int32 = 4

  /// Starts an executable with its output in a file, a pipe from us as its standard input, and one
  /// more descriptor.
  init(
    _ executable: String, _ arguments: [String], environment: [String: String], output: String,
    inheriting descriptor: Int32, answeringTo answers: Int32? = nil
  ) throws(Complaint) {
    let pipe = try Self.pipe()
    defer { close(pipe.reading) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipe.reading, STDIN_FILENO)
    posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    posix_spawn_file_actions_adddup2(&actions, descriptor, Self.inherited)
    if let answers { posix_spawn_file_actions_adddup2(&actions, answers, Self.answers) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    Self.giveDefaultSignals(to: &attributes)

    var vector = ([executable] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in vector + variables { free(pointer) } }
    var id: pid_t = 0
    let code = Self.started.withLock { count in
      count += 1
      return posix_spawn(&id, executable, &actions, &attributes, &vector, &variables)
    }
    guard code == 0 else {
      close(pipe.writing)
      throw Complaint(
        .ourBug, "\(executable) cannot be started: \(String(cString: strerror(code)))")
    }
    self.id = id
    lifeline = pipe.writing
  }

  deinit { close(lifeline) }

  /// Writes a line to the child's standard input; false if the child no longer reads.
  func send(_ line: Data) -> Bool {
    let data = line + [UInt8(ascii: "\n")]
    return data.withUnsafeBytes { Foundation.write(lifeline, $0.baseAddress, $0.count) }
      == data.count
  }

  /// Waits for the end, and kills the process if it does not come within the limit.
  func wait(limit: Duration) -> (exit: Exit, wasKilled: Bool) {
    let killed = Flag()
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + .nanoseconds(limit.nanoseconds))
    timer.setEventHandler { [self] in if kill() { killed.raise() } }
    timer.resume()

    // Waits without reaping, so that the id stays ours until `kill` knows that it is not.
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    isReaped.withLock { $0 = true }
    timer.cancel()
    var status: Int32 = 0
    var usage = rusage()
    while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
    let signal = status & 0x7f
    let bytes = Int(usage.ru_maxrss) * Self.residentUnit
    return (
      Exit(
        code: signal == 0 ? (status >> 8) & 0xff : nil, signal: signal == 0 ? nil : signal,
        memoryPeakBytes: bytes), killed.isRaised
    )
  }

  /// Whether the process has ended; it must still be waited for.
  var hasEnded: Bool {
    var information = siginfo_t()
    guard waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT | WNOHANG) == 0 else {
      return true
    }
    return information.si_signo == SIGCHLD
  }

  /// Kills the process unless it has ended; says whether it did.
  @discardableResult func kill() -> Bool {
    isReaped.withLock { isReaped in !isReaped && Foundation.kill(id, SIGKILL) == 0 }
  }

  /// Kills the process and returns when it is dead: the dead write no more.
  func end() {
    guard kill() else { return }
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  private final class Flag: Sendable {
    private let storage = Lock(false)
    var isRaised: Bool { storage.withLock { $0 } }
    func raise() { storage.withLock { $0 = true } }
  }

  /// The unit of `ru_maxrss`: kibibytes on Linux, bytes on Apple's systems.
  private static var residentUnit: Int {
    #if os(Linux)
      1024
    #else
      1
    #endif
  }

  /// We block signals in order to clean up first; the child must not inherit that. Signals that we
  /// were started to ignore, as `nohup` does, the child ignores too.
  private static func giveDefaultSignals(to attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
  }

  /// How many processes were started. The lock is held while one starts, and while a pipe is made,
  /// until no process can inherit it.
  private static let started = Lock(0)

  /// A pipe that no process inherits.
  static func pipe() throws(Complaint) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    let isMade = started.withLock { _ in
      guard Foundation.pipe(&ends) == 0 else { return false }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return true
    }
    guard isMade else {
      throw Complaint(.ourBug, "no pipe: \(String(cString: strerror(errno)))")
    }
    return (ends[0], ends[1])
  }
}
