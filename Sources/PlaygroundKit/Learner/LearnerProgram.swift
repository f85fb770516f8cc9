import Foundation

#if os(macOS)
  public import CoreData
#else
  public import Faultline
#endif

/// The entry of a program that is built from a learner's files.
///
/// Its `main` is three lines that the tool writes. What it can do is what the processes of our own
/// sides can do, and for a scenario of the learner's own also to describe it and to name outcomes.
public enum LearnerProgram {
  /// The hidden first argument of a process that writes the scenario's description to a file.
  static let descriptionArgument = "__describe"
  /// The hidden first argument of a process that names the outcome of a run.
  static let observationArgument = "__observe"

  /// Runs sides of a scenario of the learner's own; never returns.
  @MainActor public static func run(_ scenario: any Scenario.Type) -> Never {
    prepare()
    let arguments = CommandLine.arguments
    if arguments.count == 3 {
      do {
        let url = URL(fileURLWithPath: arguments[2])
        switch arguments[1] {
        case descriptionArgument:
          try JSONEncoder().encode(ScenarioDescription(scenario)).write(to: url)
          exit(0)
        case observationArgument:
          try ObservedElsewhere.observe(scenario, in: url)
          exit(0)
        default: break
        }
      } catch {
        StandardStreams.complain("\(error)\n")
        exit(1)
      }
    }
    serve([ScenarioCode(scenario)])
  }

  /// Runs a learner's side of one of our scenarios; never returns.
  @MainActor public static func run(
    _ slug: String, yours: @escaping Side.Body,
    model: @escaping @MainActor @Sendable () -> NSManagedObjectModel
  ) -> Never {
    prepare()
    serve([ScenarioCode(of: slug, yours: yours, model: model)])
  }

  private static func prepare() {
    StandardStreams.fillClosed()
    Supervisor.endWithIt()
  }

  @MainActor private static func serve(_ codes: [ScenarioCode]) -> Never {
    SideProcess.runIfAsked(CommandLine.arguments, codes)
    ControlledProcess.runIfAsked(CommandLine.arguments, codes)
    StandardStreams.complain("`faultline` starts this program; it does nothing by itself.\n")
    exit(ExitStatus.usage.rawValue)
  }
}

/// The outcome of a run, named by the program that has `observed`: a process for each run.
struct ObservedElsewhere: Codable {
  var ending: Ending
  var violations: [ViolationRecord]
  var parameters: [String: Int]
  var metrics: [Metric]
  var store: URL
  /// What was observed; nil in the question.
  var outcome: Outcome?

  /// The files of a question; the program writes into a folder of its own.
  private static func question(_ folder: URL) -> URL { folder.appendingPathComponent("question") }
  private static func own(_ folder: URL) -> URL { folder.appendingPathComponent("own") }
  private static func answer(_ folder: URL) -> URL { own(folder).appendingPathComponent("answer") }

  /// Asks a learner's program, with limits.
  static func outcome(
    of run: Observation, by executable: String, in workspace: Workspace
  ) throws -> Outcome {
    let number = String(UInt32.random(in: .min ... .max), radix: 36)
    let folder = try workspace.makeFolder("observed.\(number)")
    defer { FileTree.remove(folder.path) }
    let store = own(folder).appendingPathComponent("Left.sqlite")
    let asked = ObservedElsewhere(
      ending: run.ending, violations: run.violations, parameters: run.parameters,
      metrics: run.metrics, store: store, outcome: nil)
    try workspace.naming {
      try FileManager.default.createDirectory(at: own(folder), withIntermediateDirectories: false)
      try JSONEncoder().encode(asked).write(to: question(folder))
      for end in ["", "-wal"] {
        // No copy of a link, a pipe or a folder that the run has put there.
        let from = run.store.url.path + end
        guard LeftFile.isRegular(from), access(from, F_OK) == 0 else { continue }
        try FileManager.default.copyItem(atPath: from, toPath: store.path + end)
      }
    }
    let ended = try ChildProcess.run(
      URL(fileURLWithPath: executable), [LearnerProgram.observationArgument, folder.path],
      environment: SideOrigin.strangers(ProcessInfo.processInfo.environment, at: own(folder)),
      limits: .init(seconds: 30), log: folder.appendingPathComponent("log"), folder: own(folder),
      readable: [folder.path], in: workspace)
    guard ended.ending == .exited(0),
      let data = LeftFile.data(of: answer(folder).path, bytesMax: 1 << 24),
      let told = try? JSONDecoder().decode(ObservedElsewhere.self, from: data),
      let outcome = told.outcome
    else {
      let last = ended.output.split(separator: "\n").last.map(String.init)
      throw Complaint(.input, "`observed` named no outcome: \(last ?? "\(ended.ending)")")
    }
    run.replaceMetrics(told.metrics)
    return outcome
  }

  /// Answers in the process that was asked.
  fileprivate static func observe(_ scenario: any Scenario.Type, in folder: URL) throws {
    var told = try JSONDecoder().decode(
      ObservedElsewhere.self, from: Data(contentsOf: question(folder)))
    let run = Observation(
      ending: told.ending, violations: told.violations, store: StoreFile(told.store),
      parameters: told.parameters, metrics: told.metrics)
    told.outcome = try scenario.observed(run)
    told.metrics = run.metrics
    try JSONEncoder().encode(told).write(to: answer(folder))
  }
}
