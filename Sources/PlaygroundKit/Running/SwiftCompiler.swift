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
        Question(
          subject: "this snippet", files: [file.path],
          arguments: checkOnly + ["-module-name", "Snippet", "-swift-version", "6"]
            + BuildFolder.current().compilerArguments),
        in: place, of: workspace)
      let warning = first("warning", in: words)
      if isAccepted { return .accepted(warning: warning) }
      return .refused(error: first("error", in: words) ?? "it does not compile", warning: warning)
    } catch {
      // The compiler's own words may follow the sentence.
      return .notAsked("\(error)".split(separator: "\n").first.map(String.init) ?? "")
    }
  }

  /// The arguments with which it checks everything and makes nothing. Not `-typecheck`: data races
  /// are found later than types.
  static let checkOnly = ["-emit-sil", "-o", "/dev/null", "-parse-as-library"]

  private static let limits = ChildProcess.Limits(
    seconds: 60, memoryBytes: 4 << 30, diskBytes: 1 << 30, home: .anywhere)

  /// What it is asked.
  struct Question {
    /// What a sentence calls the code: the learner's folder.
    var subject: String
    /// The files whose author is told of their errors.
    var files: [String]
    /// How lines of the author's can also be called.
    var otherNames: [String] = []
    /// Files of ours that need those of the author.
    var support: [String] = []
    /// Files of ours that compile by themselves.
    var shared: [String] = []
    /// Everything but files.
    var arguments: [String]
  }

  /// Runs it; whether it accepts the files, and all that it says.
  ///
  /// What it says of a machine must not be told as a mistake of an author:
  ///
  /// 1. An error at a line of the author's is the author's, unless that line imports a module.
  /// 2. If not, a disk without room is named.
  /// 3. If there is room, a program without code is built in the same way. If that fails too, the
  ///    reason is the machine, and a `Complaint` says so.
  /// 4. If not, the reason is in the author's code, even where no line is named. A crash is told as
  ///    one.
  ///
  /// - Throws: `Complaint` when there is no compiler, it hits a limit, it crashes, or it could not
  ///   have built any program.
  static func run(
    _ question: Question, in place: URL, of workspace: Workspace
  ) throws -> (isAccepted: Bool, words: String) {
    let outcome = try start(
      question.files + question.support + question.shared + question.arguments, in: place,
      of: workspace)
    if outcome.ending == .exited(0) { return (true, outcome.output) }
    let failure = CompilerFailure(outcome, of: question)
    if failure.isTheAuthors { return (false, outcome.output) }
    try failure.checkRoom(in: place, of: workspace)
    try tryEmptyProgram(
      question.shared + question.arguments, in: workspace.makeFolder("empty"), of: workspace)
    if let crash = failure.crash { throw crash }
    return (false, outcome.output)
  }

  /// Builds a program without code, as a learner's is built.
  ///
  /// - Throws: `Complaint` that names the reason when it cannot be built.
  static func tryEmptyProgram(
    _ arguments: [String], in place: URL, of workspace: Workspace
  ) throws {
    let file = place.appendingPathComponent("main.swift")
    let imports = "import CoreData\nimport PlaygroundKit\n"
    try workspace.naming { try imports.write(to: file, atomically: false, encoding: .utf8) }
    let outcome = try start([file.path] + arguments, in: place, of: workspace)
    guard outcome.ending != .exited(0) else { return }
    let failure = CompilerFailure(
      outcome, of: Question(subject: "an empty program", files: [], arguments: []))
    try failure.checkRoom(in: place, of: workspace)
    throw failure.reason
  }

  /// Its version, in its own words.
  ///
  /// - Throws: `Complaint` when there is no compiler, or it does not run.
  static func version(in workspace: Workspace) throws -> String {
    let outcome = try start(["--version"], in: workspace.makeFolder("version"), of: workspace)
    let first = outcome.output.split(separator: "\n").first.map(String.init) ?? ""
    guard outcome.ending == .exited(0) else {
      throw Complaint(.input, "`swiftc` on PATH does not run: \(first)")
    }
    return first
  }

  private static func start(
    _ arguments: [String], in place: URL, of workspace: Workspace
  ) throws -> ChildProcess.Outcome {
    var environment = ProcessInfo.processInfo.environment
    // With another one it would keep what it has compiled in the current folder.
    environment["HOME"] = StateFolder.home(environment)
    let outcome = try workspace.naming {
      try ChildProcess.run(
        URL(fileURLWithPath: "/usr/bin/env"), ["swiftc"] + arguments,
        environment: environment, limits: limits,
        log: place.appendingPathComponent("compiler.log"), folder: place, in: workspace)
    }
    switch outcome.ending {
    // How `env` ends when there is no such program, or it cannot be started.
    case .exited(127) where outcome.output.contains("env: "):
      throw Complaint(.input, "`swiftc` is not on PATH: add Swift's toolchain to PATH.")
    case .exited(126) where outcome.output.contains("env: "):
      throw Complaint(
        .input,
        "`swiftc` on PATH cannot be started: remove that file, or add Swift's toolchain to PATH"
          + " before it.")
    case .limit(let limit): throw Complaint(.limit, "The compiler hit a limit, \(limit).")
    default: return outcome
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
