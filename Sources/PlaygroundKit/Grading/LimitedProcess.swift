import Foundation

/// A child process with limits of time, memory and output.
struct LimitedProcess {
  /// The most that it may use.
  struct Limits: Sendable {
    var seconds: Double
    var bytes = 512 << 20
    var outputBytes = 1 << 20
  }

  /// How it ended.
  enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// A limit was hit; the words name it and its value.
    case limit(String)
  }

  /// How it ended, and what it printed.
  struct Outcome {
    let ending: Ending
    /// Everything it printed on both streams, up to the limit.
    let output: String
  }

  /// The program, its arguments and its limits; without an environment it inherits ours.
  let program: URL
  let arguments: [String]
  var environment: [String: String]?
  var limits: Limits
  /// The file that takes what the child prints.
  let log: URL

  /// Runs the child to its end, or to the first limit it hits; it ends with us if we are
  /// interrupted.
  func run() throws -> Outcome {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if let environment { process.environment = environment }
    process.standardInput = FileHandle.nullDevice
    // A file, not a pipe: a child that prints without end must not wait for us, nor we for it.
    try Data().write(to: log)
    let handle = try FileHandle(forWritingTo: log)
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    try? handle.close()
    let id = process.processIdentifier
    let hit = Interruption.cleaningUp(
      after: { watch(process) },
      with: {
        kill(id, SIGKILL)
        var information = siginfo_t()
        // A dead process writes no more.
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      })
    if hit != nil { kill(id, SIGKILL) }
    process.waitUntilExit()
    let output =
      (try? FileHandle(forReadingFrom: log).read(upToCount: limits.outputBytes)) ?? Data()
    return Outcome(
      ending: ending(of: process, hit), output: String(decoding: output, as: UTF8.self))
  }

  /// Waits for the end of the child; the words of the limit it hit, if it hit one.
  private func watch(_ process: Process) -> String? {
    let start = ContinuousClock.now
    while process.isRunning {
      usleep(5_000)
      if ContinuousClock.now - start > .seconds(limits.seconds) {
        return "time: more than \(Int(limits.seconds)) s"
      }
      if Self.residentBytes(of: process.processIdentifier) > limits.bytes {
        return "memory: more than \(limits.bytes >> 20) MB"
      }
      let size = (try? FileManager.default.attributesOfItem(atPath: log.path))?[.size] as? Int ?? 0
      if size > limits.outputBytes { return "output: more than \(limits.outputBytes >> 20) MB" }
    }
    return nil
  }

  private func ending(of process: Process, _ hit: String?) -> Ending {
    if let hit { return .limit(hit) }
    let status = process.terminationStatus
    return process.terminationReason == .uncaughtSignal ? .signalled(status) : .exited(status)
  }

  /// The memory the system holds for a process now; 0 where it does not say.
  private static func residentBytes(of process: pid_t) -> Int {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
