import Faultline
import Foundation

extension Ending {
  /// What it means how a process ended, with the last lines that it printed.
  init(_ exit: ChildProcess.Exit, limit: String?, output: [String]) {
    if let limit {
      self.init(.limit, limit)
    } else if let signal = exit.signal {
      self.init(signal: signal, output: output)
    } else {
      let said = output.last.map { ": \($0)" } ?? ""
      self.init(.exited, "exit code \(exit.code ?? 0)\(said)")
    }
  }

  /// What a signal that ended a process means, with the last lines that the process printed.
  ///
  /// Only the signals of a fault are a crash. The system sends another one when a limit of the
  /// user's shell is hit, and any program can send the rest.
  private init(signal: Int32, output: [String]) {
    if let heading = output.first(where: { $0.hasPrefix(ViolationRecord.heading) }) {
      self.init(.stopped, heading)
    } else if let heading = output.first(where: { $0.hasPrefix(Deadlock.heading) }) {
      self.init(.deadlock, heading)
    } else if let limit = Self.limits[signal] {
      self.init(.limit, limit)
    } else if let fault = Self.faults[signal] {
      self.init(.crashed, Self.lastSentence(output).map { "\(fault): \($0)" } ?? fault)
    } else {
      self.init(.exited, Self.signals[signal] ?? "signal \(signal)")
    }
  }

  /// The sentence of a trap, or the last line that is not part of the runtime's stack trace.
  private static func lastSentence(_ output: [String]) -> String? {
    output.last { $0.contains("Fatal error") }
      ?? output.prefix { !$0.hasPrefix("Current stack trace") }.last
  }

  /// Whether a line of the learner's stopped the process: `fatalError`, a forced `nil`.
  var isTrapOfLearner: Bool {
    kind == .crashed && detail.contains("\(LearnerBuild.module)/") && detail.contains("Fatal error")
  }

  /// The signals by which the system stops a program that has done something wrong.
  private static let faults = [
    SIGSEGV: "SIGSEGV", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
    SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGSYS: "SIGSYS",
  ]

  /// The signals by which it holds limits that were set before the program started.
  private static let limits = [
    SIGXFSZ: "disk: a file larger than the system allows (SIGXFSZ, `ulimit -f`)",
    SIGXCPU: "time: more processor time than the system allows (SIGXCPU, `ulimit -t`)",
  ]

  /// Others that have a name.
  private static let signals = [
    SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP", SIGINT: "SIGINT",
    SIGQUIT: "SIGQUIT", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGUSR1: "SIGUSR1",
    SIGUSR2: "SIGUSR2", SIGVTALRM: "SIGVTALRM", SIGPROF: "SIGPROF",
  ]

  /// The last lines that a process has printed into a file.
  static func lastLines(of path: String) -> [String] {
    guard let data = LeftFile.data(of: path, bytesMax: 16_384, fromEnd: true) else { return [] }
    return String(decoding: data, as: UTF8.self)
      .split(separator: "\n").suffix(60).map(String.init)
  }
}

extension Ending.Kind {
  /// What the page prints when the scenario never said that a side may end like this.
  var undeclaredName: String {
    switch self {
    case .finished: "FINISHED"
    case .threw: "THREW"
    case .killed: "KILLED"
    case .crashed: "CRASHED"
    case .exited: "ENDED"
    case .stopped: "VIOLATION"
    case .deadlock: "DEADLOCK"
    case .hung: "HANG"
    case .uncontrolled: "UNCONTROLLED"
    case .limit: "LIMIT"
    case .diskFull: "DISK FULL"
    }
  }
}

extension ViolationRecord {
  /// How the checker's report begins.
  static let heading = "CoreData: concurrency violation:"

  /// Reads the report that a stopped process left on stderr.
  init?(report lines: [String]) {
    guard let start = lines.firstIndex(where: { $0.hasPrefix(Self.heading) }) else { return nil }
    let report = [lines[start]] + lines[(start + 1)...].prefix { $0.hasPrefix("  ") }
    func value(_ key: String) -> String {
      guard let line = report.first(where: { $0.hasPrefix("  \(key) ") }) else { return "" }
      return line.dropFirst(key.count + 3).trimmingCharacters(in: .whitespaces)
    }
    let called = value("called").split(separator: ",", maxSplits: 1).map(String.init)
    self.init(
      operation: lines[start].dropFirst(Self.heading.count)
        .replacingOccurrences(of: " outside its context's queue.", with: "")
        .trimmingCharacters(in: .whitespaces),
      object: value("object"), context: value("context"), ownerQueue: value("allowed"),
      callerQueue: called.first ?? "",
      callerThread: called.count > 1 ? called[1].trimmingCharacters(in: .whitespaces) : "",
      location: value("at"), fix: value("fix"), report: report.joined(separator: "\n"))
  }
}
