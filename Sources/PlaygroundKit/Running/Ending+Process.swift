import Faultline
import Foundation

extension Ending {
  /// What a signal that ended a process means, with the last lines that the process printed.
  init(signal: Int32, output: [String]) {
    if let heading = output.first(where: { $0.hasPrefix(ViolationRecord.heading) }) {
      self.init(.stopped, heading)
    } else if let heading = output.first(where: { $0.hasPrefix(Deadlock.heading) }) {
      self.init(.deadlock, heading)
    } else {
      let name = Self.signalName(signal)
      self.init(.crashed, Self.lastSentence(output).map { "\(name): \($0)" } ?? name)
    }
  }

  /// The sentence of a trap, or the last line that is not part of the runtime's stack trace.
  private static func lastSentence(_ output: [String]) -> String? {
    output.last { $0.contains("Fatal error") }
      ?? output.prefix { !$0.hasPrefix("Current stack trace") }.last
  }

  private static func signalName(_ signal: Int32) -> String {
    switch signal {
    case SIGSEGV: "SIGSEGV"
    case SIGILL: "SIGILL"
    case SIGTRAP: "SIGTRAP"
    case SIGABRT: "SIGABRT"
    case SIGBUS: "SIGBUS"
    case SIGFPE: "SIGFPE"
    case SIGKILL: "SIGKILL"
    default: "signal \(signal)"
    }
  }

  /// The last lines that a process has printed into a file.
  static func lastLines(of path: String) -> [String] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return String(decoding: data.suffix(16_384), as: UTF8.self)
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
