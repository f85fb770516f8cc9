import Faultline
import Foundation

/// One run of one side in which every order is chosen.
///
/// It is touched by whoever runs, and one runs at a time: the baton passes with a semaphore.
///
///     preparing ──`began`──▶ running ──nobody can go on, or `end`──▶ over
///
/// - preparing: the store is opened; nothing is recorded, and there is nothing to choose.
/// - running: each switch point closes a step, and where two can go on the chooser decides.
/// - over: the main thread answers; parties that are parked stay so for the life of the process.
final class ControlledRun {
  /// What is recorded of a run besides the choices.
  struct Options {
    /// Whether everything that a picture needs is kept.
    var isDetailed = false
    /// Whether what a queue guards is shared, because some party uses it outside the queue.
    var hasTrespass = false
    /// The most steps before a run is given up.
    var stepsMax = 10_000
  }

  /// What is recorded.
  let options: Options
  /// Who takes part; the first is the main loop.
  private(set) var parties: [Party] = []
  /// Those who can go on, the one that has been ready for longest first.
  var ready: [Int] = []
  /// Those that wait for something outside the engine, the one that has waited for longest first.
  var waiting: [Int] = []
  #if os(Linux)
    /// What is known of Dispatch, locks and threads.
    let outside = OutsideState()
  #endif
  /// Who decides.
  private(set) var chooser: any Chooser
  private var past = PastHash()
  private var queueClocks: [UInt64: Int] = [:]
  private var generator = SeededGenerator(seed: 1)
  /// How many parties were made of jobs of tasks.
  private var taskCount = 0

  /// What waits for the main loop, the next first.
  var turns: [Turn] = []
  /// What waits for the main loop.
  struct Turn {
    /// Virtual time at which it was put there.
    var clock: Int
    /// The party that put it there, and whether it waits for its end.
    var party: Int
    var isAwaited = false
    /// The task that goes on in it, which may have awaited others; nil for a block.
    let task: UInt64?
    let body: () -> Void
  }
  /// The task whose job the main loop ran last, while that task may not have been suspended.
  var unsuspended: UInt64?
  /// The party that waits for the turn that the main loop is in.
  var asker: Int?
  /// Whether the main loop has nothing to do and waits for something.
  var isMainIdle = false
  /// Whether the main thread stands between two turns, from where it can leave.
  var isMainAtLoop = false
  /// Virtual time at which the latest job of a task ended. A task on the main actor may have
  /// awaited it, which no hook tells: it goes on no earlier.
  var tasksEnd = 0
  /// How long each turn of the main loop took, in virtual nanoseconds.
  private(set) var turnNanoseconds: [Int] = []

  /// How long parties were blocked.
  private(set) var waitTimes = WaitTimes()
  /// Whether everything counts.
  private(set) var isRecording = false
  /// Whether the run has come to its end.
  private(set) var isOver = false
  /// How it ended, once that is known.
  private(set) var ending: Ending?
  /// What came of the side's body, once it has returned.
  var bodyEnding: Ending?
  /// The main loop's clock when the body returned.
  var bodyClock = 0
  /// Who keeps the choices; what is kept outlives the process.
  private let answer: AnswerMemory?
  /// The choices as a search sees them.
  private(set) var choices: [ChoiceSeen] = []
  /// The choices as a picture shows them.
  private(set) var chosenParties: [Trace.Choice] = []
  /// What happened, if everything is kept.
  private(set) var steps: [Trace.Step] = []
  /// How many steps were made.
  private(set) var stepCount = 0
  /// How often somebody was interrupted.
  private(set) var switches = 0
  /// A number for the whole order of events, the same in every process.
  private(set) var eventsHash: UInt64 = 0
  /// Who waits for whom at the end of a deadlock, as sentences.
  private(set) var waits: [String] = []

  init(_ chooser: any Chooser, _ options: Options, answer: AnswerMemory?, identity: UInt) {
    self.chooser = chooser
    self.answer = answer
    self.options = options
    let main = Party(
      number: 0, identity: identity, name: "main", lane: "main", birth: Mixer.mix(1), clock: 0,
      body: nil)
    main.step = OpenStep(start: 0)
    parties = [main]
  }

  /// From here on everything counts.
  func began() {
    isRecording = true
    parties[0].clock = 0
    parties[0].step = OpenStep(start: 0)
    queueClocks = [:]
    tasksEnd = 0
    waitTimes = WaitTimes()
  }

  /// Makes a party that can go on from the start.
  @discardableResult
  func add(
    identity: UInt, name: String, lane: String, by parent: Party,
    _ body: @escaping @Sendable () -> Void
  ) -> Party {
    parent.children += 1
    parent.step?.hasStarted = true
    var birth = Mixer(parent.past)
    birth.add(parent.children)
    let party = Party(
      number: parties.count, identity: identity, name: name, lane: lane, birth: birth.value,
      clock: parent.clock + CostTable.hop, body: body)
    parties.append(party)
    ready.append(party.number)
    return party
  }

  /// Makes a party of a job of a task.
  @discardableResult
  func addTask(
    identity: UInt, by parent: Party, _ body: @escaping @Sendable () -> Void
  ) -> Party {
    taskCount += 1
    return add(identity: identity, name: "task \(taskCount)", lane: Self.tasks, by: parent, body)
  }

  /// The lane of all jobs of tasks.
  static let tasks = "tasks"

  /// A party can go on again.
  func makeReady(_ party: Party, at clock: Int) {
    party.token = nil
    party.clock = max(party.clock, clock)
    waitTimes.add(party)
    ready.append(party.number)
  }

  // MARK: Steps

  /// The running party has come to a switch point: whoever is to go on from here, or nil if the run
  /// is given up.
  /// `stack` says where its thread stands, if everything is kept.
  func reach(
    _ point: SwitchPoint, _ subject: String, by party: Party, stack: () -> [Int] = { [] }
  ) -> Party? {
    if point == .queueWait { waitTimes.begin(party, subject) }
    // Told at once: the run may end in a trap.
    if point == .trespass { answer?.flags.insert(.trespass) }
    if party.step?.isEmpty ?? true {
      // It was let run a moment ago, and this is where it stood.
      var step = party.step ?? OpenStep(start: party.clock)
      step.point = point
      step.subject = subject
      step.asker = party.number == 0 ? asker : nil
      if options.isDetailed { step.stack = stack() }
      party.step = step
      return party
    }
    close(party, stop: nil, isInterruptibleAfter: !point.isInsideTransaction)
    let next = point.isInsideTransaction ? party : choose(party)!
    if next === party, point.isInsideTransaction { lastChoice = nil }
    party.step = OpenStep(point: point, subject: subject, start: party.clock)
    if options.isDetailed { party.step?.stack = stack() }
    if party.number == 0 { party.step?.asker = asker }
    if next === party, let choice = lastChoice { party.step?.choice = choice }
    return givenUp(before: next) ? nil : next
  }

  /// The running party cannot go on: whoever is to go on instead, or nil if nobody can or the run
  /// is given up.
  func leave(_ party: Party, _ stop: Trace.Stop) -> Party? {
    close(party, stop: stop)
    if stop == .ended, party.number > 0 { party.hasEnded = true }
    now = party.clock
    guard let next = choose(nil), !givenUp(before: next) else { return nil }
    return next
  }

  private static let loop = ": does a loop never end?"

  /// Ends the run if it has come to a limit; `next` would have gone on.
  private func givenUp(before next: Party) -> Bool {
    guard isRecording else { return false }
    if optionCount > AnswerMemory.optionsMax {
      end(Ending(.limit, "\(optionCount) threads and tasks could run at once"), in: next)
    } else if stepCount >= options.stepsMax {
      end(
        Ending(.limit, "not finished after \(Figures.grouped(stepCount)) steps\(Self.loop)"),
        in: next)
    } else if choices.count >= AnswerMemory.choicesMax {
      end(
        Ending(.limit, "not finished after \(Figures.grouped(choices.count)) choices\(Self.loop)"),
        in: next)
    }
    return isOver
  }

  private var lastChoice: Int?
  private var optionCount = 0
  /// The clock of the party that ran last.
  private(set) var now = 0

  /// Says who goes on; `running` can, if it is not nil.
  private func choose(_ running: Party?) -> Party? {
    lastChoice = nil
    var numbers = (running.map { [$0.number] } ?? []) + ready
    if !waiting.isEmpty {
      if let running { now = running.clock }
      numbers += able(isLast: false)
      if numbers.isEmpty, bodyEnding == nil { numbers = able(isLast: true) }
    }
    optionCount = numbers.count
    guard let first = numbers.first else { return nil }
    var next = first
    var isSwitch = false
    if numbers.count > 1, isRecording {
      let option = decide(
        numbers, isSwitchPoint: running != nil, births: numbers.map { parties[$0].birth })
      next = numbers[option]
      isSwitch = running != nil && option > 0
    }
    let party = parties[next]
    if party === running { return party }
    if let wait = party.wait {
      waiting.removeAll { $0 == next }
      party.wait = nil
      party.clock = max(party.clock, wait.since ?? 0)
    } else {
      ready.removeAll { $0 == next }
    }
    if let running { ready.append(running.number) }
    if party.step == nil { party.step = OpenStep(start: party.clock) }
    party.step?.choice = lastChoice
    party.step?.isSwitch = isSwitch
    return party
  }

  /// Has one of at least two options chosen; `births` name them in every order with this past.
  func decide(_ numbers: [Int], isSwitchPoint: Bool, births: [UInt64]) -> Int {
    let option = min(chooser.choose(numbers, isSwitchPoint: isSwitchPoint), numbers.count - 1)
    lastChoice = choices.count
    choices.append(
      ChoiceSeen(
        optionCount: numbers.count, chosen: option, isSwitchPoint: isSwitchPoint, isLocal: false,
        past: past.value, parties: births))
    answer?.write(choices[choices.count - 1])
    if options.isDetailed {
      chosenParties.append(
        Trace.Choice(
          options: numbers, chosen: option, isSwitchPoint: isSwitchPoint, step: stepCount))
    }
    if isSwitchPoint, option > 0 { switches += 1 }
    return option
  }

  private func close(_ party: Party, stop: Trace.Stop?, isInterruptibleAfter: Bool = true) {
    guard let step = party.step else { return }
    party.step = nil
    guard isRecording else { return }
    var touches = step.touches
    if options.hasTrespass {
      for queue in party.queues { touches.append((.inside(of: queue.number), true)) }
      if party.number == 0 { touches.append((.inside(of: SerialQueue.main.number), true)) }
    }
    party.past = past.add(touches, after: party.past)
    // Before a step is as good as after it only where there is a choice after it.
    if let choice = step.choice, choices[choice].chosen == 0, touches.isEmpty,
      isInterruptibleAfter
    {
      choices[choice].isLocal = true
      answer?.setLocal(choice)
    }
    // Not its subject: contexts without a name are numbered for the life of the process.
    var event = Mixer(eventsHash)
    event.add(UInt64(party.number))
    event.add(step.point.map(\.title) ?? "begins")
    event.add(party.past)
    eventsHash = event.value
    stepCount += 1
    answer?.stepCount = stepCount
    guard options.isDetailed else { return }
    steps.append(
      Trace.Step(
        party: party.number, queue: party.queues.last?.label,
        point: step.point?.title ?? "goes on", subject: step.subject,
        touches: touches.compactMap { described($0) } + step.rows, notes: step.notes,
        start: step.start, end: party.clock, choice: step.choice, isSwitch: step.isSwitch,
        stop: stop, asker: step.asker, changes: step.changes.isEmpty ? nil : step.changes,
        stack: step.stack))
  }

  /// What queues are called, by their numbers.
  private(set) var labels: [UInt64: String] = [SerialQueue.main.number: "main"]

  /// Every entity of the model, for whoever reads all rows.
  var entities: [String] = []

  /// The running party reads or writes something shared.
  func touch(
    _ thing: SharedThing, isWrite: Bool, version: Int64?, values: [ToldValue] = [],
    by party: Party
  ) {
    guard isRecording else { return }
    if party.step == nil { party.step = OpenStep(start: party.clock) }
    switch thing {
    case .row(let entity, let key):
      add("row \(entity) \(key)", isWrite, version, values, to: party)
    case .object(let entity, let key, let queue):
      let name = key > 0 ? "\(entity) \(key)" : "new \(entity)"
      add("object \(name) in \(labels[queue] ?? "a context")", isWrite, version, values, to: party)
    case .allRows:
      for entity in entities { add(.rows(of: entity), isWrite, to: party) }
    case .inside where !options.hasTrespass: break
    case .inside, .line, .rows, .note, .outside: add(thing, isWrite, to: party)
    }
  }

  /// Notes what is only drawn.
  private func add(
    _ thing: String, _ isWrite: Bool, _ version: Int64?, _ values: [ToldValue], to party: Party
  ) {
    guard options.isDetailed else { return }
    let touch = Trace.Touch(
      thing: thing, isWrite: isWrite, version: version.map(Int.init),
      values: values.isEmpty ? nil : values.map { .init(name: $0.name, value: $0.text) })
    if party.step!.rows.last != touch { party.step!.rows.append(touch) }
  }

  private func add(_ thing: SharedThing, _ isWrite: Bool, to party: Party) {
    if let index = party.step!.touches.firstIndex(where: { $0.thing == thing }) {
      party.step!.touches[index].isWrite = party.step!.touches[index].isWrite || isWrite
    } else {
      party.step!.touches.append((thing, isWrite))
    }
  }

  // MARK: Queues and time

  /// A party is inside a queue; it comes there no earlier than the last one has left.
  func enter(_ queue: SerialQueue, by party: Party) {
    labels[queue.number] = queue.label
    party.queues.append(queue)
    party.clock = max(party.clock, queueClocks[queue.number] ?? 0)
    waitTimes.add(party)
    party.asked = nil
  }

  /// A party leaves the queue it entered last.
  func leave(_ queue: SerialQueue, by party: Party) {
    party.queues.removeLast()
    queueClocks[queue.number] = max(queueClocks[queue.number] ?? 0, party.clock)
  }

  /// Lets a party's time go on.
  func charge(_ nanoseconds: Int, to party: Party) { party.clock += nanoseconds }

  /// A turn of the main loop has come to its end.
  func turnEnded(after nanoseconds: Int) {
    if isRecording { turnNanoseconds.append(nanoseconds) }
  }

  /// The next number of the run's sequence.
  func random() -> UInt64 { generator.next() }

  // MARK: The end

  /// Ends the run as it stands; the step of whoever would have gone on comes before the others'.
  func end(_ ending: Ending, waits: [String] = [], in next: Party? = nil) {
    guard !isOver else { return }
    isOver = true
    self.ending = ending
    self.waits = waits
    let last = next.map { [$0] } ?? []
    for party in last + parties where party.step != nil && options.isDetailed {
      close(party, stop: .abandoned)
    }
  }
}
