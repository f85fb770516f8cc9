import Foundation

/// Builds a learner's file, runs it, and says what holds.
///
/// 1. The file is compiled with the model classes and a fixed main file, against the running
/// engine.
/// 2. The program runs three times, each as a child with limits, on a store of its own.
/// 3. What must hold is held against the closed store file and against what the child reported.
public struct ExerciseCheck: Sendable {
  /// What must hold.
  public let exercise: Exercise
  /// The learner's file.
  public let file: URL
  /// How long one run may take.
  public var secondsMax = 30.0
  /// How often the program runs; the best run counts where the machine's load plays a part.
  public var runs = 3
  /// What the learner must add to `faultline start`, such as `--dir`.
  public var deskWords = ""

  /// A check of a file.
  public init(_ exercise: Exercise, file: URL) {
    self.exercise = exercise
    self.file = file
  }

  private struct Run {
    let report: ExerciseHarness.Report
    let stored: [String: Int]
  }

  /// Builds, runs and judges.
  ///
  /// - Throws: `Complaint` when the file cannot be read or the tool's own parts are missing.
  public func perform() throws -> CheckRecord {
    // First, because a tool outside its clone cannot start an exercise either.
    let build = try BuildFolder.current()
    guard let source = try WholeFile.text(of: file.path) else {
      throw Complaint(
        .input,
        "There is no \(file.path): `faultline start \(exercise.number)\(deskWords)` creates it.")
    }
    let workspace = try Workspace()
    defer { workspace.removeFiles() }
    let folder = try workspace.makeFolder("check")
    return try Interruption.cleaningUp(
      after: { try workspace.naming { try judge(source, build, in: folder, workspace) } },
      with: { workspace.removeFiles() })
  }

  private func judge(
    _ source: String, _ build: BuildFolder, in folder: URL, _ workspace: Workspace
  ) throws -> CheckRecord {
    let program = folder.appendingPathComponent("exercise")
    let compiler = try compile(to: program, build, workspace)
    switch compiler.ending {
    case .exited(0): break
    case .limit(let limit): return record(.limit, output: "The compiler hit a limit, \(limit).")
    default:
      try DiskSpace.check(folder, output: compiler.output)
      return record(.notBuilt, output: compiler.output)
    }
    var results: [Run] = []
    for number in 1...runs {
      let store = folder.appendingPathComponent("\(number).sqlite")
      switch try run(program, store: store, workspace) {
      case .success(let run): results.append(run)
      case .failure(let end): return record(end.verdict, output: end.output)
      }
    }
    let findings = exercise.requirements.map { finding($0, results, SwiftText(source)) }
    return record(findings.allSatisfy(\.holds) ? .passed : .failed, findings)
  }

  private struct EarlyEnd: Error {
    let verdict: CheckRecord.Verdict
    let output: String
  }

  private func record(
    _ verdict: CheckRecord.Verdict, _ findings: [CheckRecord.Finding] = [], output: String = ""
  ) -> CheckRecord {
    CheckRecord(
      number: exercise.number, title: exercise.title, file: file.path, verdict: verdict,
      findings: findings, output: output)
  }

  // MARK: - 1. Build

  private func compile(
    to program: URL, _ build: BuildFolder, _ workspace: Workspace
  ) throws -> ChildProcess.Outcome {
    let sources = [
      file.path,
      build.package.appendingPathComponent("Scenarios/Shared/Library.swift").path,
      try ExerciseDesk.shipped(exercise, "Check", file: "Main.swift").path,
    ]
    let targets = ["Faultline", "SQLiteConnection", "PlaygroundKit"]
    let arguments =
      ["swiftc", "-module-name", "Exercise", "-o", program.path] + sources
      + (try build.arguments(linking: targets))
    let outcome = try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"), arguments,
      environment: ProcessInfo.processInfo.environment,
      limits: .init(seconds: 120, memoryBytes: 4 << 30),
      log: program.appendingPathExtension("log"), in: workspace)
    // How `env` ends when there is no such program.
    guard outcome.ending != .exited(127) else {
      throw Complaint(
        .input,
        "`swiftc`, which builds your file, is not on PATH: add Swift's toolchain to PATH.")
    }
    return outcome
  }

  // MARK: - 2. Run

  private static let rowsBefore = 7

  private func run(
    _ program: URL, store: URL, _ workspace: Workspace
  ) throws -> Result<Run, EarlyEnd> {
    let report = store.appendingPathExtension("report")
    let order = ExerciseHarness.Order(
      nonce: UUID().uuidString, store: store.path, report: report.path, size: exercise.size,
      entity: exercise.entity, rowsBefore: Self.rowsBefore, secondsMax: UInt32(secondsMax) + 10)
    let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
    let environment = ProcessInfo.processInfo.environment
    let outcome = try ChildProcess.run(
      program, [],
      environment: [
        ExerciseHarness.Order.variable: text, "PATH": environment["PATH"] ?? "",
        "HOME": store.deletingLastPathComponent().path, "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "LD_LIBRARY_PATH": environment["LD_LIBRARY_PATH"] ?? "",
      ], limits: .init(seconds: secondsMax), log: store.appendingPathExtension("log"),
      in: workspace)
    let printed = Self.excerpt(outcome.output)
    if case .limit(let limit) = outcome.ending {
      return .failure(
        EarlyEnd(verdict: .limit, output: "The program hit a limit, \(limit).\n\(printed)"))
    }
    guard outcome.ending == .exited(0),
      let data = FileManager.default.contents(atPath: report.path),
      let report = try? JSONDecoder().decode(ExerciseHarness.Report.self, from: data),
      report.nonce == order.nonce
    else {
      try DiskSpace.check(store.deletingLastPathComponent())
      let words = "The program ended before your function returned (\(Self.words(outcome.ending)))."
      return .failure(EarlyEnd(verdict: .failed, output: "\(words)\n\(printed)"))
    }
    if let error = report.error {
      try DiskSpace.check(store.deletingLastPathComponent())
      return .failure(EarlyEnd(verdict: .failed, output: "Your function threw: \(error)"))
    }
    return .success(Run(report: report, stored: try counts(in: store)))
  }

  /// The beginning and the end of a long output.
  private static func excerpt(_ output: String) -> String {
    let (length, half) = (output.utf8.count, 1_000)
    guard length > 3 * half else { return output }
    let skipped = "… (\(grouped(length - 2 * half)) bytes skipped) …"
    return "\(output.prefix(half))\n\(skipped)\n\(output.suffix(half))"
  }

  private static func words(_ ending: ChildProcess.Ending) -> String {
    switch ending {
    case .exited(let code): "exit code \(code)"
    case .signalled(let signal): String(cString: strsignal(signal))
    case .limit(let limit): limit
    }
  }

  /// Counts the rows of the closed file over a connection of our own.
  private func counts(in store: URL) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for requirement in exercise.requirements {
      switch requirement {
      case .allStored(let entity), .returnsWhatIsStored(let entity):
        counts[entity] = try StoreFile(store).rows(of: entity)
      case .framesDropped, .free: break
      }
    }
    return counts
  }

  // MARK: - 3. Judge

  private static func grouped(_ number: Int) -> String {
    FigureText.write(.number(number), .count)
  }

  private func finding(
    _ requirement: Requirement, _ runs: [Run], _ source: SwiftText
  ) -> CheckRecord.Finding {
    switch requirement {
    case .framesDropped(let most):
      let best = runs.map(\.report).min { one, other in
        one.framesDropped * other.frames < other.framesDropped * one.frames
      }
      let (dropped, frames) = (best?.framesDropped ?? 0, best?.frames ?? 0)
      return .init(
        requirement: "at most \(most) % of the frames dropped",
        holds: dropped * 100 <= frames * most,
        seen: "\(dropped) of \(frames), in the best of \(runs.count) runs")
    case .allStored(let entity):
      let fewest = runs.compactMap { $0.stored[entity] }.min() ?? 0
      let expected = exercise.size + Self.rowsBefore
      return .init(
        requirement: "all rows stored", holds: fewest == expected,
        seen: "\(Self.grouped(fewest)) of \(Self.grouped(expected)),"
          + " \(Self.rowsBefore) of which were there before")
    case .returnsWhatIsStored(let entity):
      let wrong = runs.first { $0.report.returned != $0.stored[entity] } ?? runs[0]
      let (returned, stored) = (wrong.report.returned ?? 0, wrong.stored[entity] ?? 0)
      return .init(
        requirement: "returns the number of rows stored", holds: returned == stored,
        seen: "returned \(Self.grouped(returned)), stored \(Self.grouped(stored))")
    case .free(let what, let words):
      let found = Token.all(in: source.code).first { words.contains($0.text) }
      return .init(
        requirement: "no \(what)", holds: found == nil,
        seen: found.map { "\($0.text) on line \($0.line + 1)" } ?? "none")
    }
  }
}
