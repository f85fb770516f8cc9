import Faultline
import Foundation
import SQLiteConnection

/// The process that runs one side again and again, each time in another order, as seen from inside.
///
/// 1. read the task; take over queues, tasks and clocks
/// 2. fill a store in memory, once
/// 3. for each line that comes: copy the store, open it with nothing in memory, run the side
/// 4. name the outcome, answer, forget everything
///
/// A run that cannot come to its end stays behind: its parties stand still, and the next run gets
/// new ones. After some of those the process asks to be replaced.
@MainActor public enum ControlledProcess {
  /// The hidden first argument.
  nonisolated public static let argument = "__controlled"
  /// The hidden first argument of a process that fills the store, leaves it as a file, and ends.
  nonisolated static let givenArgument = "__given"
  /// After how many runs that stayed behind the process is replaced.
  private static let abandonedMax = 24

  private static var scenario: ScenarioCode!
  private static var side: Side!
  private static var task: ControlledTask!
  private static var folder: ControlledTask.Folder!
  private static var answer: AnswerMemory!
  private static var template: TemplateStore!
  private static var abandonedRuns = 0
  /// How many threads there are that run no party, the main thread among them.
  private static var threadsOfOthers = 0
  /// What was there before the run: a run that stayed behind keeps its objects.
  private static var countsBefore = EngineCounters.read()
  /// The run that is being made.
  private static var request = ControlledTask.Request(plan: .replay(Schedule()))
  /// Touched by whoever runs, and one runs at a time.
  nonisolated(unsafe) private static var world: RunningWorld?

  /// What belongs to one run.
  private final class RunningWorld {
    var metrics: [Metric] = []
    var marks: [Mark] = []
    let store: StoreFile
    init(_ store: StoreFile) { self.store = store }
  }

  /// Makes controlled runs and never returns if the arguments ask for that; otherwise returns.
  public static func runIfAsked(
    _ arguments: [String] = CommandLine.arguments, catalogue: [any Scenario.Type]
  ) {
    runIfAsked(arguments, catalogue.map { ScenarioCode($0) })
  }

  /// The same for a program whose scenarios are not all types.
  static func runIfAsked(_ arguments: [String], _ codes: [ScenarioCode]) {
    guard arguments.count == 3, [argument, givenArgument].contains(arguments[1]) else { return }
    let isGiven = arguments[1] == givenArgument
    do {
      try prepare(URL(fileURLWithPath: arguments[2]), codes, isServing: !isGiven)
      guard isGiven else { serve() }
      try template.write(to: folder.database)
      _exit(0)
    } catch {
      StandardStreams.complain("\(error)\n")
      _exit(ExitStatus.ourBug.rawValue)
    }
  }

  private static func prepare(_ url: URL, _ codes: [ScenarioCode], isServing: Bool) throws {
    if isServing { endWithParent() }
    SideProcess.refuseCoreDumps()
    ProcessUse.stayOnOneProcessor()
    folder = ControlledTask.Folder(url: url)
    task = try JSONDecoder().decode(
      ControlledTask.self, from: Data(contentsOf: URL(fileURLWithPath: folder.task)))
    (scenario, side) = try codes.code(of: task.scenario, side: task.side)
    if isServing { answer = try AnswerMemory(inherited: ChildProcess.answerMemory) }
    ConcurrencyDebug.mode =
      switch task.checker {
      case .off: .watch
      case .record: .record
      case .on: .stop
      }
    ControlledScheduler.shared.takeOver { run in
      MainActor.assumeIsolated { wasAbandoned(run) }
    }
    try fill()
    threadsOfOthers = (ProcessUse.threadCount ?? 0) - ControlledScheduler.shared.threadsMade
  }

  /// Fills the store that every run gets a copy of.
  private static func fill() throws {
    if let given = task.given {
      template = try TemplateStore(filledFrom: given)
      return
    }
    template = try TemplateStore()
    let store = StoreFile(template.given)
    world = RunningWorld(store)
    let run = ControlledScheduler.shared.perform(
      ReplayChooser(Schedule()), ControlledRun.Options(stepsMax: .max)
    ) { _ in
      try await scenario.given(makeWorld(store))
    }
    world = nil
    guard let ending = run.ending, ending.kind == .finished else {
      throw Complaint(
        .ourBug, "The store of \(task.scenario) cannot be filled: \(run.ending?.detail ?? "")")
    }
  }

  private static func makeWorld(_ store: StoreFile) throws -> World {
    let container = NSPersistentContainer(
      name: scenario.slug, managedObjectModel: scenario.model())
    let description = NSPersistentStoreDescription(url: store.url)
    description.setOption(TemplateStore.vfsName as NSString, forKey: vfsNameOption)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return World(
      container: container, store: store, trial: 1, parameters: task.parameters, seed: 1,
      journal: Journal(handingOn: { entry in note(entry) }), beforeKill: {})
  }

  /// Takes what a side notes; whoever runs may note something, and one runs at a time.
  nonisolated private static func note(_ entry: Journal.Entry) {
    let scheduler = ControlledScheduler.shared
    switch entry {
    case .killsItself: scheduler.end(Ending(.killed, "by itself"))
    case .metric(let metric):
      scheduler.touch(
        "what is noted as \(metric.name)", isWrite: true,
        words: "\(metric.name): \(metric.amount.words)")
    case .mark(let mark): scheduler.touch("marks", isWrite: false, words: mark.why)
    default: break
    }
    scheduler.withBaton {
      switch entry {
      case .metric(let metric): world?.metrics.append(metric)
      case .mark(let mark): if world?.marks.contains(mark) == false { world?.marks.append(mark) }
      default: break
      }
    }
  }

  /// Ends the process when its parent is gone, which reads the answers. The thread starts before
  /// threads are counted.
  private static func endWithParent() {
    let thread = Thread {
      var answers = pollfd(fd: ChildProcess.answers, events: 0, revents: 0)
      while poll(&answers, 1, -1) < 1 {}
      _exit(0)
    }
    thread.name = "lifeline"
    thread.start()
  }

  // MARK: Runs

  private static func serve() -> Never {
    while let line = readLine(strippingNewline: true) {
      do {
        request = try ControlledTask.Request(line: line)
        let run = try makeRun()
        finish(run)
      } catch {
        StandardStreams.complain("\(error)\n")
        _exit(ExitStatus.ourBug.rawValue)
      }
    }
    _exit(0)
  }

  private static func makeRun() throws -> ControlledRun {
    answer.clear()
    answer.flags = .begun
    let connection = try template.restore()
    let running = RunningWorld(StoreFile(template.url, through: connection))
    world = running
    let options = ControlledRun.Options(
      isDetailed: request.isDetailed, hasTrespass: request.hasTrespass,
      stepsMax: request.stepsMax)
    return ControlledScheduler.shared.perform(request.plan.chooser, options, answer: answer) {
      run in
      run.entities = scenario.model().entities.compactMap(\.name)
      let world = try makeWorld(running.store)
      _ = ConcurrencyDebug.takeViolations()
      EngineCounters.reset()
      countsBefore = EngineCounters.read()
      run.began()
      try await side.body(world)
    }
  }

  /// The main thread cannot leave the run it was in: it answers from where it stands, and goes on.
  private static func wasAbandoned(_ run: ControlledRun) -> Never {
    finish(run)
    serve()
  }

  /// Whether a thread is there that is not scheduled; a scheduled one that has come to its end may
  /// take a moment to go.
  private static var hasStranger: Bool {
    for _ in 0..<50 {
      guard let count = ProcessUse.threadCount,
        count > threadsOfOthers + ControlledScheduler.shared.threadsMade
      else { return false }
      if !ControlledScheduler.shared.hasEndedThreads { return true }
      usleep(1_000)
    }
    return true
  }

  /// Names the outcome and answers.
  private static func finish(_ run: ControlledRun) {
    guard let running = world, var ending = run.ending else { return }
    let hasStranger = hasStranger
    if hasStranger { ending = Ending(.uncontrolled, "a thread ran that is not scheduled") }
    let hasLeftBlock = JobHooks.isMainQueueWaiting
    if hasLeftBlock {
      ending = Ending(.uncontrolled, "a block is left in DispatchQueue.main, which never runs here")
    }
    let violations = ConcurrencyDebug.takeViolations().map(ViolationRecord.init)
    let observation = Observation(
      ending: ending, violations: violations, store: running.store, parameters: task.parameters,
      metrics: running.metrics + figures(run))
    var name = ""
    var grade: Grade?
    do {
      if let rule = scenario.rule {
        (name, grade) = try rule.outcome(of: observation, side: side.name)
      } else {
        try observation.leave(in: folder)
      }
    } catch {
      if scenario.rule == nil { leaveUnwritten(error) }
      StandardStreams.complain("\(error)\n")
      _exit(ExitStatus.ourBug.rawValue)
    }
    let words = ControlledTask.Words(outcome: name, grade: grade, ending: ending)
    answer.words = Data(words.line.utf8)
    answer.eventsHash = run.eventsHash
    let stayed =
      run.parties.contains { $0.token != nil || $0.wait != nil } || ending.kind == .uncontrolled
      || ending.kind == .hung || ending.kind == .limit || ending.kind == .killed
    if stayed {
      abandonedRuns += 1
      template.leaveCopy()
    }
    // A lock that a run leaves locked may be one that every run of the process has.
    let hasLeftLock = run.hasLock
    if abandonedRuns >= abandonedMax || hasStranger || hasLeftBlock || hasLeftLock {
      answer.flags.insert(.isLast)
    }
    if request.isDetailed {
      let trace = Trace(
        parties: run.parties.map { Trace.Party(name: $0.name, lane: $0.lane) }, steps: run.steps,
        choices: run.chosenParties, ending: ending, outcome: name, grade: grade,
        metrics: observation.metrics, waits: run.waits, marks: running.marks)
      try? trace.data.write(to: URL(fileURLWithPath: folder.trace))
    }
    world = nil
    var byte = UInt8(ascii: ".")
    _ = write(ChildProcess.answers, &byte, 1)
  }

  /// Ends a process whose code has removed or filled the folder into which its run is written.
  private static func leaveUnwritten(_ error: any Error) -> Never {
    StandardStreams.complain(
      "the run could not leave its store in its own folder: \(SideProcess.describe(error))\n")
    _exit(Journal.exitCodeWhenUnwritable)
  }

  /// What the kit measures of every run, in virtual time.
  private static func figures(_ run: ControlledRun) -> [Metric] {
    let frame = MainLoopMeter.frameNanoseconds
    let dropped = run.turnNanoseconds.reduce(0) { $0 + $1 / frame }
    let stall = max(0, (run.turnNanoseconds.max() ?? 0) - frame)
    let counts = EngineCounters.read()
    return [
      Metric(Metric.framesDropped, dropped, section: Metric.mainLoop),
      Metric(Metric.longestStall, stall, .nanoseconds, section: Metric.mainLoop),
      Metric(Metric.statements, counts.statements, section: Metric.engine),
      Metric(Metric.commits, counts.commits, section: Metric.engine),
      Metric(Metric.faultsFired, counts.faultsFired, section: Metric.engine),
      Metric(Metric.rowsFetched, counts.rowsFetched, section: Metric.engine),
      Metric(Metric.conflicts, counts.conflicts, section: Metric.engine),
      Metric(
        Metric.queueWait, run.waitTimes.queueNanoseconds, .nanoseconds, section: Metric.engine),
      Metric(
        Metric.storeWait, run.waitTimes.storeNanoseconds, .nanoseconds, section: Metric.engine),
      Metric(
        Metric.peakLiveObjects, counts.liveObjectsPeak - countsBefore.liveObjects,
        section: Metric.memory),
      Metric(
        Metric.rowBytes, counts.rowBytesPeak - countsBefore.rowBytes, .bytes,
        section: Metric.memory),
      Metric(Metric.total, run.bodyClock, .nanoseconds),
    ]
  }
}

extension Metric.Amount {
  /// The amount as text.
  var words: String {
    switch self {
    case .number(let number): "\(number)"
    case .text(let text): text
    }
  }
}
