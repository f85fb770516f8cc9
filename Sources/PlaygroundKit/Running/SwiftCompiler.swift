import Faultline
import Foundation

/// The compiler of the toolchain at hand.
public enum SwiftCompiler {
  /// What it makes of some code.
  public enum Verdict: Sendable, Equatable {
    /// It compiles, with this warning first if there are any.
    case accepted(warning: String?)
    /// It does not compile; the first error, and the first warning if there are any.
    case refused(error: String, warning: String?)
    /// It was not asked, for this reason.
    case notAsked(String)
  }

  private static let known = Lock<[String: Verdict]>([:])

  /// What it makes of a few lines in Swift 6 mode, with the engine as `CoreData`.
  ///
  /// It is asked once a process about the same lines.
  public static func verdict(of code: String) -> Verdict {
    if let verdict = known.withLock({ $0[code] }) { return verdict }
    let verdict = ask(about: code)
    known.withLock { $0[code] = verdict }
    return verdict
  }

  private static func ask(about code: String) -> Verdict {
    do {
      let workspace = try Workspace()
      defer { workspace.removeFiles() }
      let place = try workspace.makeFolder("snippet")
      let file = place.appendingPathComponent("Snippet.swift")
      try workspace.naming { try code.write(to: file, atomically: false, encoding: .utf8) }
      let (isAccepted, words) = try run(
        checkOnly + ["-module-name", "Snippet", "-swift-version", "6", file.path]
          + BuildFolder.current().compilerArguments,
        log: place.appendingPathComponent("compiler.log"), in: workspace)
      let warning = first("warning", in: words)
      if isAccepted { return .accepted(warning: warning) }
      return .refused(error: first("error", in: words) ?? "it does not compile", warning: warning)
    } catch {
      return .notAsked("\(error)")
    }
  }

  /// The arguments with which it checks everything and makes nothing. Not `-typecheck`: data races
  /// are found later than types.
  static let checkOnly = ["-emit-sil", "-o", "/dev/null", "-parse-as-library"]

  private static let limits = ChildProcess.Limits(
    seconds: 60, memoryBytes: 4 << 30, diskBytes: 1 << 30, home: .anywhere)

  /// Runs it; whether it accepts the files, and all that it says.
  ///
  /// - Throws: `Complaint` when there is no compiler, or it hits a limit.
  static func run(
    _ arguments: [String], log: URL, in workspace: Workspace
  ) throws -> (isAccepted: Bool, words: String) {
    let outcome = try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"), ["swiftc"] + arguments,
      environment: ProcessInfo.processInfo.environment, limits: limits, log: log,
      folder: log.deletingLastPathComponent(), in: workspace)
    switch outcome.ending {
    // How `env` ends when there is no such program.
    case .exited(127):
      throw Complaint(.input, "`swiftc` is not on PATH: add Swift's toolchain to PATH.")
    case .limit(let limit): throw Complaint(.limit, "The compiler hit a limit, \(limit).")
    case .exited(let code): return (code == 0, outcome.output)
    case .signalled: return (false, outcome.output)
    }
  }

  /// The first error or warning that it names, without its place and its group.
  static func first(_ kind: String, in words: String) -> String? {
    let line = words.split(separator: "\n").first { $0.contains(": \(kind): ") }
    guard let line else { return nil }
    let said = line.components(separatedBy: ": \(kind): ")[1]
    return said.range(of: " [#", options: .backwards).map { String(said[..<$0.lowerBound]) } ?? said
  }
}
