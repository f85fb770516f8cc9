import Foundation

/// One side under control, from outside: asks a process for one run after the other, and starts
/// another when that one has died of a run or cannot make any more.
final class ControlledSide {
  /// What came of one run.
  struct Seen {
    var outcome: String
    var grade: Grade?
    var ending: Ending
    var choices: [ChoiceSeen]
    var stepCount: Int
    var eventsHash: UInt64
    /// Whether it was to follow a schedule, and ran in another order.
    var isMisfit = false
    /// What was observed, where the tool itself names the outcome; its store is there until the
    /// next run.
    var observation: Observation?

    /// How often somebody was interrupted.
    var switches: Int { choices.count { $0.isSwitchPoint && $0.chosen > 0 } }

    /// The order in which it ran, by the turns that were taken.
    var schedule: Schedule {
      Schedule(
        choices.indices.filter { choices[$0].chosen > 0 }.map {
          Schedule.Turn(choice: $0, option: choices[$0].chosen)
        })
    }

    /// It ran in another order than it was to, so whatever came of it is not what was asked for.
    mutating func becomeUnrepeatable() {
      ending = Ending(.uncontrolled, "the same choices did not lead to the same steps")
      (outcome, grade) = (ending.kind.undeclaredName, nil)
    }

    /// The outcome, and of a run that failed how it did: several failures may have one name.
    var cause: String {
      switch ending.kind {
      case .crashed, .exited, .stopped, .threw: "\(outcome): \(ending.detail)"
      case .finished, .killed, .deadlock, .hung, .uncontrolled, .limit, .diskFull: outcome
      }
    }

    /// Whether it may not end like this.
    var isBad: Bool { Verdict.isBad(grade, ending.kind) }
  }

  private static let pollMilliseconds: Int32 = 20

  private let scenario: RunnableScenario
  private let origin: SideOrigin
  private let task: ControlledTask
  private let workspace: Workspace
  private let folder: ControlledTask.Folder
  private let answer: AnswerMemory
  private let reading: Int32
  private let writing: Int32
  private var child: ChildProcess?
  /// Whether some party was seen to use what a queue guards outside the queue.
  private(set) var hasTrespass = false

  /// Prepares the runs of one side; no process is started yet.
  init(
    _ scenario: RunnableScenario, side: Side.Description, parameters: [String: Int],
    given: URL? = nil, in workspace: Workspace
  ) throws {
    self.scenario = scenario
    origin = scenario.origin(of: side)
    self.workspace = workspace
    let folder = ControlledTask.Folder(
      url: try workspace.makeFolder("\(scenario.card.slug).\(side.name)"))
    let task = ControlledTask(
      scenario: scenario.card.slug, side: side.name, parameters: parameters,
      checker: side.checker, given: given == nil ? nil : folder.given.path)
    (self.task, self.folder) = (task, folder)
    try workspace.naming {
      try JSONEncoder().encode(task).write(to: URL(fileURLWithPath: folder.task))
      if let given { try FileManager.default.copyItem(at: given, to: folder.given) }
    }
    answer = try AnswerMemory()
    (reading, writing) = try ChildProcess.pipe()
  }

  deinit {
    endChild()
    close(reading)
    close(writing)
  }

  /// Some party is known to use what a queue guards outside the queue.
  func expectTrespass() { hasTrespass = true }

  /// Makes one run.
  func run(_ plan: Plan, stepsMax: Int = 10_000) throws -> Seen {
    try run(ControlledTask.Request(plan: plan, hasTrespass: hasTrespass, stepsMax: stepsMax))
  }

  /// Makes one run and tells everything about it.
  func trace(_ plan: Plan, stepsMax: Int = 10_000) throws -> (seen: Seen, trace: Trace) {
    func traced(_ stepsMax: Int) throws -> (Seen, Trace?) {
      FileTree.remove(folder.trace)
      let seen = try run(
        ControlledTask.Request(
          plan: plan, isDetailed: true, hasTrespass: hasTrespass, stepsMax: stepsMax))
      var trace = try leftTrace(stepsMax)
      if let metrics = seen.observation?.metrics {
        trace?.outcome = seen.outcome
        trace?.grade = seen.grade
        trace?.metrics = metrics
      }
      return (seen, trace.map(SettledNames.settled))
    }
    let (seen, whole) = try traced(stepsMax)
    if let whole { return (seen, whole) }
    // A process that died tells nothing. Another one is stopped where this one died; one that died
    // in its first step has done no more than to start.
    let before = seen.stepCount > 1 ? try traced(seen.stepCount - 1).1 : nil
    let start = Trace.Step(
      party: 0, point: "goes on", subject: "", touches: [], notes: [], start: 0, end: 0,
      isSwitch: false)
    var trace =
      before
      ?? Trace(
        parties: [Trace.Party(name: "main", lane: "main")], steps: [start], choices: [],
        ending: seen.ending, outcome: seen.outcome, grade: seen.grade, metrics: [], waits: [],
        marks: [])
    (trace.ending, trace.outcome, trace.grade) = (seen.ending, seen.outcome, seen.grade)
    return (seen, trace)
  }

  /// The trace that a run of so many steps at most has left; nil if it is none, which only code
  /// that is not ours leaves.
  private func leftTrace(_ stepsMax: Int) throws -> Trace? {
    guard let data = LeftFile.data(of: folder.trace, bytesMax: Self.traceBytesMax) else {
      return nil
    }
    // Where a run is given up, each thread or task that could go on makes one more step.
    do { return try Trace(data: data, stepsMax: stepsMax + Self.lastStepsMax).checked() } catch {
      if origin.isOurs { throw error }
      return nil
    }
  }

  private static let traceBytesMax = 1 << 26
  private static let lastStepsMax = 10_000

  private func run(_ request: ControlledTask.Request) throws -> Seen {
    let hasRunBefore = self.child != nil
    let child: ChildProcess
    do { child = try self.child ?? start() } catch {
      if origin.isOurs || isWhole { throw error }
      return try seen(Ending(.exited, "it removed the files that its run needs"), [])
    }
    self.child = child
    answer.clear()
    var isSent = true
    let ending = Interruption.cleaningUp(
      after: {
        isSent = child.send(Data(request.line.utf8))
        return isSent ? waitForAnswer(child) : nil
      },
      with: { child.end() })
    var seen: Seen
    let isLost = !isSent || !origin.isOurs && !child.isWatched
    if answer.words.isEmpty || ending != nil || isLost {
      if hasRunBefore, ending == nil, !answer.flags.contains(.begun) {
        // It died of an earlier run, after that one's answer.
        endChild()
        return try run(request)
      }
      seen = try death(of: child, ending)
    } else {
      guard
        let words = ControlledTask.Words(line: String(decoding: answer.words, as: UTF8.self))
      else {
        if origin.isOurs { throw Complaint(.ourBug, "no answer from side \(task.side)") }
        endChild()
        return try self.seen(Ending(.exited, "it wrote over the answer of its run"), [])
      }
      seen = Seen(
        outcome: words.outcome, grade: words.grade, ending: words.ending,
        choices: answer.choices, stepCount: answer.stepCount, eventsHash: answer.eventsHash)
      if origin.given != nil { try nameOutcome(of: &seen) }
      if answer.flags.contains(.isLast) { endChild() }
    }
    if answer.flags.contains(.trespass) { hasTrespass = true }
    // Where a limit ends a run depends on the machine.
    if case .replay(let schedule) = request.plan, seen.ending.kind != .limit {
      seen.isMisfit = seen.schedule != schedule
    }
    return seen
  }

  /// Names the outcome of a run of a learner's code, from the database that it left.
  private func nameOutcome(of seen: inout Seen) throws {
    do {
      let observation = try Observation(leftIn: folder, seen.ending, parameters: task.parameters)
      (seen.outcome, seen.grade) = try scenario.rule.outcome(of: observation, side: task.side)
      seen.observation = observation
    } catch {
      // Not our bug: the code may have done anything to its store.
      seen.ending = Ending(.exited, "\(error)")
      (seen.outcome, seen.grade) = (seen.ending.kind.undeclaredName, nil)
    }
  }

  /// Returns nil when there is an answer or the process has died, and the ending of a process that
  /// does not come to its next step.
  private func waitForAnswer(_ child: ChildProcess) -> Ending? {
    var patience = Patience()
    while true {
      var file = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
      if poll(&file, 1, Self.pollMilliseconds) > 0 {
        takeAnswer()
        // A byte without words is no answer: any code of the program can write one.
        if !answer.words.isEmpty { return nil }
      }
      if child.hasEnded { return nil }
      let isOver = patience.ends(
        step: answer.stepCount, used: ProcessUse.processorNanoseconds(of: child.id) ?? 0,
        isHeldUp: ProcessUse.isHeldUp(child.id))
      if isOver {
        return Ending(
          .uncontrolled,
          "it blocks or runs outside the scheduler's control, after step \(answer.stepCount)")
      }
    }
  }

  private func takeAnswer() {
    var byte: UInt8 = 0
    _ = read(reading, &byte, 1)
  }

  private func start() throws -> ChildProcess {
    // What a process has answered after its time was up is no answer of the next.
    var file = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    while poll(&file, 1, 0) > 0 { takeAnswer() }
    FileTree.remove(folder.output)
    return try ChildProcess(
      origin.executable, [ControlledProcess.argument, folder.url.path],
      environment: origin.environment(Self.environment, at: folder.own),
      output: folder.output, folder: folder.own.path, readable: [folder.url.path], in: workspace,
      limits: origin.limits(),
      answeringTo: ChildProcess.Answers(pipe: writing, memory: answer.file))
  }

  /// Whether what a process needs is still there: without a sandbox it can remove all of it.
  private var isWhole: Bool {
    [origin.executable, folder.task].allSatisfy { FileManager.default.isReadableFile(atPath: $0) }
  }

  /// The environment of every process that makes controlled runs.
  static var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables["FAULTLINE_CONCURRENCY_DEBUG"] = nil
    variables["SWIFT_BACKTRACE"] = "enable=no"
    // The order of sets and dictionaries is the same in every process.
    variables["SWIFT_DETERMINISTIC_HASHING"] = "1"
    // One thread runs at a time, and what one run gives back the next one wants.
    variables["MALLOC_ARENA_MAX"] = "1"
    variables["MALLOC_TRIM_THRESHOLD_"] = "\(64 << 20)"
    variables["MALLOC_MMAP_THRESHOLD_"] = "\(16 << 20)"
    return variables
  }

  /// Ends the process, if there is one; the next run starts another.
  func endChild() {
    child?.end()
    _ = child?.wait()
    child = nil
  }

  /// What a process died of, or was ended for.
  private func death(of child: ChildProcess, _ ending: Ending?) throws -> Seen {
    // One that lives may only have stopped to listen, and would be waited for without end.
    if ending != nil || !child.hasEnded { child.end() }
    let (exit, limit) = child.wait()
    self.child = nil
    let output = Ending.lastLines(of: folder.output)
    if ending == nil, origin.isOurs, exit.code == ExitStatus.ourBug.rawValue {
      throw Complaint(
        .ourBug, output.last ?? "The process of side \(task.side) did not start.")
    }
    return try seen(ending ?? Ending(exit, limit: limit, output: output), output)
  }

  /// A run that has told nothing of its own.
  private func seen(_ ending: Ending, _ output: [String]) throws -> Seen {
    let observation = Observation(
      ending: ending, violations: ViolationRecord(report: output).map { [$0] } ?? [],
      store: StoreFile(folder.url), parameters: task.parameters, metrics: [])
    let (name, grade) = try scenario.rule.outcome(of: observation, side: task.side)
    // The answer counts the steps that have ended, and the process died in the one after them.
    return Seen(
      outcome: name, grade: grade, ending: ending, choices: answer.choices,
      stepCount: answer.stepCount + 1, eventsHash: 0)
  }
}
