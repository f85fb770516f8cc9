import Faultline
import Foundation

/// Watches a side from a thread of its own: takes a sample sixty times a second, and ends the
/// process when its threads wait for each other in a cycle or its time is up.
///
///     idle ──start()──▶ watching ──finish()──▶ finished
///                          │
///                          └── cycle seen 15 times, or time is up ──▶ the process ends
///
/// Its samples are valid in every state; it may end the process only while it is watching.
final class Sampler: Sendable {
  private struct State {
    var watching = false
    var activity: [Double] = []
    var live: [Double] = []
    var resident: [Double] = []
    var commits = 0
    var processorNanoseconds = 0
    var peak = 0
  }

  /// The time from one sample to the next.
  static let stepNanoseconds = MainLoopMeter.frameNanoseconds
  /// A cycle must be seen in this many samples in a row: a queue may be about to be released.
  private static let samplesUntilDeadlock = 15

  private let state = Lock(State())
  private let journal: Journal
  private let meter: MainLoopMeter
  private let limit: Duration

  init(journal: Journal, meter: MainLoopMeter, limit: Duration) {
    self.journal = journal
    self.meter = meter
    self.limit = limit
  }

  /// Begins to watch, and counts from zero.
  func start() {
    ProcessUse.resetPeak()
    EngineCounters.reset()
    state.withLock { state in
      state.watching = true
      state.processorNanoseconds = ProcessUse.processorNanoseconds
    }
    let thread = Thread { [self] in watch() }
    thread.name = "sampler"
    thread.start()
  }

  /// Stops watching and notes all samples.
  func finish() {
    guard stopWatching() else { return }
    sample()
    note()
  }

  private func stopWatching() -> Bool {
    state.withLock { state in
      defer { state.watching = false }
      return state.watching
    }
  }

  private func watch() {
    let start = ContinuousClock.now
    var samplesInCycle = 0
    while state.withLock({ $0.watching }) {
      // Only this thread sleeps; no other thread waits for it.
      Thread.sleep(forTimeInterval: Double(Self.stepNanoseconds) / 1e9)
      sample()
      if let deadlock = ConcurrencyDebug.takeDeadlocks().first { end(.deadlock, deadlock.sentence) }
      // Without the checker no deadlock is reported.
      if let cycle = WaitGraph.cycle() {
        samplesInCycle += 1
        if samplesInCycle >= Self.samplesUntilDeadlock {
          end(.deadlock, cycle.map(\.sentence).joined(separator: "; "))
        }
      } else {
        samplesInCycle = 0
      }
      if ContinuousClock.now - start > limit {
        let waits = WaitGraph.waits().map(\.sentence)
        end(
          .limit,
          "not finished after \(limit.nanoseconds / 1_000_000) ms"
            + (waits.isEmpty ? "" : "; " + waits.joined(separator: "; ")))
      }
    }
  }

  private func sample() {
    let counts = EngineCounters.read()
    let processor = ProcessUse.processorNanoseconds
    let memory = ProcessUse.read()
    let risen = state.withLock { state -> Int? in
      let worked = processor - state.processorNanoseconds > Self.stepNanoseconds / 4
      state.activity.append(counts.commits > state.commits ? 2 : worked ? 1 : 0)
      state.live.append(Double(counts.liveObjects))
      state.commits = counts.commits
      state.processorNanoseconds = processor
      guard let memory else { return nil }
      state.resident.append(Double(memory.resident))
      guard memory.peak > state.peak else { return nil }
      state.peak = memory.peak
      return memory.peak
    }
    // Written at once, so that a crash leaves the peak behind.
    if let risen { journal.write(.memoryPeak(bytes: risen)) }
  }

  /// Ends the process where the side itself cannot.
  private func end(_ kind: Ending.Kind, _ detail: String) {
    guard stopWatching() else { return }
    note()
    journal.write(.ended(Ending(kind, detail)))
    _exit(0)
  }

  private func note() {
    noteMainLoop()
    noteEngine()
    let (activity, live, resident) = state.withLock { ($0.activity, $0.live, $0.resident) }
    for (name, kind, samples) in [
      (Metric.work, Series.Kind.activity, activity), (Metric.liveObjects, .curve, live),
      (Metric.memory, .curve, resident),
    ] where !samples.isEmpty {
      journal.write(
        .series(
          Series(name: name, kind: kind, stepNanoseconds: Self.stepNanoseconds, samples: samples)))
    }
    for violation in ConcurrencyDebug.takeViolations() {
      journal.write(.violation(ViolationRecord(violation)))
    }
  }

  private func noteMainLoop() {
    guard let reading = meter.reading() else { return }
    journal.write(
      .series(
        Series(
          name: Metric.mainLoop, kind: .frames, stepNanoseconds: MainLoopMeter.frameNanoseconds,
          samples: reading.series)))
    let section = Metric.mainLoop
    journal.write(
      .metric(
        Metric(
          Metric.framesDropped, reading.dropped, of: reading.frames, good: reading.dropped <= 1,
          section: section)))
    journal.write(
      .metric(
        Metric(
          Metric.longestStall, reading.longestStallNanoseconds, .nanoseconds,
          good: reading.longestStallNanoseconds < 2 * MainLoopMeter.frameNanoseconds,
          section: section)))
  }

  private func noteEngine() {
    let counts = EngineCounters.read()
    for (name, value, unit) in [
      (Metric.statements, counts.statements, Metric.Unit.count),
      (Metric.commits, counts.commits, .count),
      (Metric.faultsFired, counts.faultsFired, .count),
      (Metric.rowsFetched, counts.rowsFetched, .count),
      (Metric.conflicts, counts.conflicts, .count),
      (Metric.violations, counts.violations, .count),
      (Metric.queueWait, counts.queueWaitNanoseconds, .nanoseconds),
    ] {
      journal.write(.metric(Metric(name, value, unit, section: Metric.engine)))
    }
    journal.write(
      .metric(Metric(Metric.peakLiveObjects, counts.liveObjectsPeak, section: Metric.memory)))
  }
}

extension ViolationRecord {
  init(_ violation: Violation) {
    self.init(
      operation: violation.operation, object: violation.object, context: violation.context,
      ownerQueue: violation.ownerQueue, callerQueue: violation.callerQueue,
      callerThread: violation.callerThread, location: violation.location, fix: violation.fix,
      report: violation.report)
  }
}
