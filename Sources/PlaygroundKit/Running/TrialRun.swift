import Faultline
import Foundation

/// One repeat of one side, from outside: start the process, wait for it, read what it left, name
/// the outcome.
struct TrialRun {
  let scenario: RunnableScenario
  let side: Side.Description
  let task: SideTask
  let checker: Side.Checker
  /// The file of the filled store, if the side's program does not fill one itself.
  let given: URL?

  /// How much longer than its limit a process may live before it is killed; it also has to fill the
  /// store.
  private static let graceSeconds = 20.0

  /// Runs it in a folder that is removed afterwards.
  func run(in workspace: Workspace) throws -> Trial {
    let folder = SideTask.Folder(
      url: try workspace.makeFolder("\(task.scenario).\(task.side).\(task.trial)"))
    defer { FileTree.remove(folder.url.path) }
    try workspace.naming {
      try JSONEncoder().encode(task).write(to: URL(fileURLWithPath: folder.task))
      try FileManager.default.createDirectory(at: folder.own, withIntermediateDirectories: false)
      if let given { try FileManager.default.copyItem(at: given, to: folder.store) }
    }
    let origin = scenario.origin(of: side)
    let child = try ChildProcess(
      origin.executable, [SideProcess.argument, folder.url.path],
      environment: origin.environment(environment, at: folder.own),
      output: folder.output, folder: folder.own.path, readable: [folder.url.path], in: workspace,
      limits: origin.limits(seconds: Double(task.limitNanoseconds) / 1e9 + Self.graceSeconds))
    let (exit, limit) = Interruption.cleaningUp(after: { child.wait() }, with: { child.end() })

    let output = Ending.lastLines(of: folder.output)
    var notes = Notes(Journal.read(folder.journal))
    let ending = try ending(exit, limit: limit, notes: notes, output: output)
    if ending.kind == .diskFull {
      // Code that is not ours may say so without reason.
      let isFull = origin.isOurs || DiskSpace.shortage(of: 64 << 10, in: folder.url) != 0
      if isFull { throw Workspace.full(workspace.folder) }
    }
    if ending.kind == .stopped, let violation = ViolationRecord(report: output) {
      notes.violations.append(violation)
    }
    notes.metrics.append(
      Metric(
        Metric.peakMemory, notes.memoryPeakBytes ?? exit.memoryPeakBytes, .bytes,
        section: Metric.memory))
    if ending.kind == .deadlock || ending.kind == .hung {
      // Those who wait for ever are in no sum of waits that have ended.
      notes.metrics.removeAll { $0.name == Metric.queueWait }
    }
    let races = raceReports(in: folder.output)
    if races > 0 { notes.metrics.append(Metric(Metric.races, races, good: false)) }
    return try trial(notes, ending: ending, output: output, store: folder.store)
  }

  private func trial(
    _ notes: Notes, ending: Ending, output: [String], store: URL
  ) throws -> Trial {
    let observation = Observation(
      ending: ending, violations: notes.violations, store: StoreFile(store),
      parameters: task.parameters,
      metrics: notes.metrics)
    let (name, grade, ending) = try outcome(of: observation)
    return Trial(
      number: task.trial, seed: task.seed &+ UInt64(task.trial), outcome: name, grade: grade,
      ending: ending, metrics: observation.metrics, series: notes.series, marks: notes.marks,
      violations: notes.violations, stderr: output)
  }

  /// Names the outcome; code that is not ours may have left a store of which none can be named.
  private func outcome(
    of observation: Observation
  ) throws -> (name: String, grade: Grade?, ending: Ending) {
    do {
      let (name, grade) = try scenario.rule.outcome(of: observation, side: task.side)
      return (name, grade, observation.ending)
    } catch {
      if scenario.origin(of: side).isOurs { throw error }
      let ending = Ending(.exited, "\(error)")
      return (ending.kind.undeclaredName, nil, ending)
    }
  }

  private var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables["FAULTLINE_CONCURRENCY_DEBUG"] =
      switch checker {
      case .off: nil
      case .record: "record"
      case .on: "1"
      }
    // The runtime's own backtrace takes seconds and is not what the page shows.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    return variables
  }

  private func ending(
    _ exit: ChildProcess.Exit, limit: String?, notes: Notes, output: [String]
  ) throws(Complaint) -> Ending {
    // A program that is not ours may have written that it has ended, and gone on.
    if let ending = notes.ending, limit == nil { return ending }
    let isOurs = scenario.origin(of: side).isOurs
    if exit.code == Journal.exitCodeWhenUnwritable, isOurs { return Ending(.diskFull) }
    if isOurs, exit.code == ExitStatus.ourBug.rawValue {
      throw Complaint(.ourBug, output.last ?? "The process of side \(task.side) did not start.")
    }
    if notes.killedItself, exit.signal != nil { return Ending(.killed, "SIGKILL, by itself") }
    let isTime = limit?.hasPrefix("time") ?? false
    return Ending(
      exit, limit: isTime ? "killed after \(task.limitNanoseconds / 1_000_000) ms" : limit,
      output: output)
  }

  /// How often the thread sanitizer cried out, if the executable was built with it.
  private func raceReports(in path: String) -> Int {
    guard let data = LeftFile.data(of: path, bytesMax: 1 << 26) else { return 0 }
    return String(decoding: data, as: UTF8.self)
      .components(separatedBy: "WARNING: ThreadSanitizer: ").count - 1
  }
}

/// The lines of a journal, sorted by what they are.
private struct Notes {
  var metrics: [Metric] = []
  var series: [Series] = []
  var marks: [Mark] = []
  var violations: [ViolationRecord] = []
  var memoryPeakBytes: Int?
  var killedItself = false
  var ending: Ending?

  /// No curve keeps more points than a page could draw.
  private static let pointsMax = 120
  /// The most curves that are kept, and the most lines that are marked.
  private static let curvesMax = 100

  init(_ entries: [Journal.Entry]) {
    var samples: [(name: String, values: [Double])] = []
    for entry in entries {
      switch entry {
      case .began: break
      case .metric(let metric): metrics.append(metric)
      case .sample(let name, let value):
        if let index = samples.firstIndex(where: { $0.name == name }) {
          samples[index].values.append(value)
        } else if samples.count < Self.curvesMax {
          samples.append((name, [value]))
        }
      case .series(let series): if self.series.count < Self.curvesMax { self.series.append(series) }
      case .mark(let mark):
        if marks.count < Self.curvesMax, !marks.contains(mark) { marks.append(mark) }
      case .violation(let violation): violations.append(violation)
      case .memoryPeak(let bytes): memoryPeakBytes = bytes
      case .killsItself: killedItself = true
      case .ended(let ending): self.ending = ending
      }
    }
    metrics = metrics.suffix(Metric.countMax)
    series += samples.map { Series(name: $0.name, kind: .curve, samples: $0.values) }
    series = series.map { $0.thinned(to: Self.pointsMax) }
  }
}

extension Series {
  /// The same curve with fewer points, each the highest of those it stands for.
  func thinned(to pointsMax: Int) -> Series {
    guard samples.count > pointsMax else { return self }
    let width = (samples.count + pointsMax - 1) / pointsMax
    var thin = self
    // A program that is not ours may have written any number.
    thin.stepNanoseconds = stepNanoseconds.map { step in
      let (product, isTooLarge) = step.multipliedReportingOverflow(by: width)
      return isTooLarge ? step : product
    }
    thin.samples = stride(from: 0, to: samples.count, by: width).map { start in
      samples[start..<min(start + width, samples.count)].max() ?? 0
    }
    return thin
  }
}
