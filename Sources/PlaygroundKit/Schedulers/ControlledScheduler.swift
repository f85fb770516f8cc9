import Faultline
import Foundation
import Synchronization

#if os(Linux)
  import CInterposition
#endif

/// The scheduler that lets one party run at a time and decides at every switch point which.
///
/// The main loop runs on the process's main thread, every other party on a thread of its own, so
/// that code finds itself where it would be on real threads. All of them stand still but one; it
/// holds the baton, and it alone touches the run.
///
/// On Linux it also stands for Dispatch, for locks, threads and sleeps (`OutsideCalls`). What comes
/// to the engine from a thread that it did not start ends the run as uncontrolled.
final class ControlledScheduler: SchedulingHook {
  /// The one of this process.
  static let shared = ControlledScheduler()

  /// The running process is about to answer for a run that its main thread cannot return from.
  typealias Abandoned = (ControlledRun) -> Never

  private let currentKey = ThreadLocal<Party>()
  private let mainThread = PartyThread()
  /// Whether a thread of the application's own has come to its end, in any run.
  nonisolated(unsafe) private(set) var hasEndedThreads = false
  /// How many threads of the application's own were made.
  nonisolated(unsafe) private var threadCount = 0
  private let identities = Atomic<UInt>(1 << 32)
  private let foreign = Lock<String?>(nil)
  private let foreignCame = Gate()

  /// The run that is being made.
  nonisolated(unsafe) private(set) var run: ControlledRun?
  nonisolated(unsafe) private var pool: [PartyThread] = []
  /// How many threads were made for parties.
  nonisolated(unsafe) var threadsMade = 0
  nonisolated(unsafe) private var jobs: [ObjectIdentifier: Party] = [:]
  nonisolated(unsafe) private var abandoned: Abandoned?

  /// Takes over queues, tasks and clocks of this process, for good.
  @MainActor func takeOver(whenAbandoned: @escaping Abandoned) {
    abandoned = whenAbandoned
    // The first thread of a process may bring others along, a sanitizer's for one: they shall be
    // there before anybody counts the threads.
    pool.append(makeThread())
    Scheduling.install(self)
    JobHooks.install(self)
    #if os(Linux)
      Interposition.install()
    #endif
  }

  /// The party whose thread this is.
  var current: Party? { currentKey.value }

  /// An identity that no party has had.
  var nextIdentity: UInt { identities.wrappingAdd(1, ordering: .relaxed).oldValue }

  // MARK: A run

  /// Runs a body on the main actor under control; the answer is the run, which is over.
  ///
  /// If the main thread cannot come back, because it waits for something that will never come,
  /// this does not return: `whenAbandoned` is called instead.
  @MainActor func perform(
    _ chooser: any Chooser, _ options: ControlledRun.Options, answer: AnswerMemory? = nil,
    _ body: @escaping @MainActor (ControlledRun) async throws -> Void
  ) -> ControlledRun {
    WaitGraph.forget()
    NSManagedObjectContext.forgetEarlierRuns()
    _ = foreign.withLock { $0.take() }
    let run = ControlledRun(chooser, options, answer: answer, identity: nextIdentity)
    run.parties[0].thread = mainThread
    self.run = run
    currentKey.value = run.parties[0]
    Task { @MainActor in
      let main = run.parties[0]
      do {
        try await body(run)
        run.bodyEnding = Ending(.finished)
      } catch {
        run.bodyEnding = Ending(
          DiskSpace.isMissing(error) ? .diskFull : .threw, SideProcess.describe(error))
      }
      run.bodyClock = main.clock
    }
    loop(run)
    currentKey.value = nil
    self.run = nil
    return run
  }

  @MainActor private func loop(_ run: ControlledRun) {
    let main = run.parties[0]
    while !run.isOver {
      if run.turns.isEmpty {
        run.isMainIdle = true
        run.isMainAtLoop = true
        goOn(after: run.leave(main, .ended), instead: main)
        run.isMainAtLoop = false
        continue
      }
      let next = run.nextTurn()
      let since = next.task != nil ? max(next.clock, run.tasksEnd) : next.clock
      main.clock = max(main.clock, since + CostTable.hop)
      let start = main.clock
      run.touch(.line(of: SerialQueue.main.number), isWrite: true, version: nil, by: main)
      run.asker = next.isAwaited ? next.party : nil
      run.unsuspended = next.task
      Self.asApplication { next.body() }
      run.turnEnded(after: main.clock - start)
    }
  }

  /// Hands the baton on, and waits until this party gets it back.
  func goOn(after next: Party?, instead party: Party) {
    guard let run else { return }
    guard let next else {
      finish(run)
      return stop(party)
    }
    if next === party { return }
    letRun(next)
    waitForTurn(party)
  }

  /// Runs code of the application, whose calls of Dispatch and of the C library come here.
  private static func asApplication(_ body: () -> Void) {
    #if os(Linux)
      faultline_set_scheduled(true)
      defer { faultline_set_scheduled(false) }
    #endif
    body()
  }

  private func letRun(_ party: Party) {
    if let thread = party.thread { return thread.wake() }
    let thread = pool.popLast() ?? makeThread()
    party.thread = thread
    jobs[ObjectIdentifier(thread)] = party
    thread.wake()
  }

  private func makeThread() -> PartyThread {
    threadsMade += 1
    #if os(Linux)
      let wasScheduled = faultline_is_scheduled()
      faultline_set_scheduled(false)
      defer { faultline_set_scheduled(wasScheduled) }
    #endif
    return PartyThread.start { thread in self.runParty(on: thread) }
  }

  private func waitForTurn(_ party: Party) {
    party.thread!.wait()
    if run?.isOver ?? true { stop(party) }
  }

  /// The body of a thread: one party, from its beginning to its end.
  private func runParty(on thread: PartyThread) {
    guard let party = jobs.removeValue(forKey: ObjectIdentifier(thread)), let run else { return }
    runWhole(party, of: run, { party.body!() }, andThen: { pool.append(thread) })
  }

  /// Runs a party on this thread to its end.
  ///
  /// - Parameter andThen: what happens before the next party is let run, which may begin before
  ///   this returns.
  private func runWhole(
    _ party: Party, of run: ControlledRun, _ body: () -> Void, andThen: () -> Void
  ) {
    currentKey.value = party
    Self.asApplication(body)
    if party.lane == ControlledRun.tasks { run.tasksEnd = max(run.tasksEnd, party.clock) }
    currentKey.value = nil
    let next = run.leave(party, .ended)
    andThen()
    if let next {
      letRun(next)
    } else {
      finish(run)
      wakeMain(run)
    }
  }

  /// Makes a party that a thread of the application's own runs; the thread calls `body` at its
  /// beginning, and goes on when the party has come to its end.
  func addThread(by parent: Party) -> (party: Party, body: (@escaping () -> Void) -> Void)? {
    guard let run else { return nil }
    let thread = PartyThread()
    threadsMade += 1
    threadCount += 1
    let name = "thread \(threadCount)"
    let party = addParty(name: name, lane: name, by: parent) {}
    party.thread = thread
    return (
      party,
      { body in
        self.waitForTurn(party)
        self.runWhole(party, of: run, body) {
          self.threadsMade -= 1
          self.hasEndedThreads = true
        }
      }
    )
  }

  /// Makes a party that can go on from the start.
  func addParty(
    name: String, lane: String, by parent: Party, _ body: @escaping @Sendable () -> Void
  ) -> Party {
    run!.add(identity: nextIdentity, name: name, lane: lane, by: parent, body)
  }

  /// A party whose run is over: it stands still for good, unless it is the main loop.
  private func stop(_ party: Party) {
    guard let run else { party.thread!.waitForEver() }
    if party.number > 0 {
      wakeMain(run)
      party.thread!.waitForEver()
    }
    // A main loop between two turns returns to whoever performed the run.
    if run.isMainAtLoop { return }
    self.run = nil
    currentKey.value = nil
    #if os(Linux)
      faultline_set_scheduled(false)
    #endif
    abandoned!(run)
  }

  private func wakeMain(_ run: ControlledRun) { mainThread.wake() }

  /// Nobody goes on: says what that means, unless the run was given up.
  private func finish(_ run: ControlledRun) {
    if run.isOver { return }
    let stuck = run.parties.contains { $0.token != nil }
    if let ending = run.bodyEnding, !stuck, run.outsideCycle == nil { return run.end(ending) }
    if let cycle = WaitGraph.cycle() {
      // The checker does not look up places here; a trace has its own.
      let sentences = cycle.map { wait in
        var wait = wait
        wait.place = nil
        return wait.sentence
      }
      return run.end(Ending(.deadlock, sentences.joined(separator: "; ")), waits: sentences)
    }
    if let sentences = run.outsideCycle {
      return run.end(Ending(.deadlock, sentences.joined(separator: "; ")), waits: sentences)
    }
    // Whoever was not ours may still come back.
    foreignCame.wait(milliseconds: 200)
    if let place = foreign.withLock({ $0 }) { return run.end(Ending(.uncontrolled, place)) }
    run.end(
      Ending(
        .hung, run.endlessWait ?? "no thread or task can run, and the side has not ended"))
  }

  // MARK: What the kit tells

  /// Ends the run here and now, as the running party asks.
  func end(_ ending: Ending) -> Never {
    guard let run, let party = currentKey.value else { fatalError("no run to end") }
    run.end(ending)
    stop(party)
    fatalError("a run that is over went on")
  }

  /// Something outside the engine is read or written.
  func touch(_ name: String, isWrite: Bool, words: String? = nil) {
    touch(.note(name), isWrite: isWrite, version: nil, values: [])
    if let words, let run, let party = currentKey.value { run.note(words, by: party) }
  }

  /// A block, or a job of a task on the main actor, is to run in a turn of the main loop.
  func enqueueMain(task: UInt64? = nil, _ turn: @escaping () -> Void) {
    guard let run, !run.isOver else { return }
    guard let party = currentKey.value else { return noteForeign("a job of the main actor") }
    run.touch(.line(of: SerialQueue.main.number), isWrite: true, version: nil, by: party)
    // A task that puts itself there yields.
    if party.number == 0, task == run.unsuspended { run.unsuspended = nil }
    run.turns.append(.init(clock: party.clock, party: party.number, task: task, body: turn))
    guard run.isMainIdle else { return }
    run.isMainIdle = false
    run.makeReady(run.parties[0], at: party.clock)
  }

  /// A job of a task is to run anywhere.
  func enqueueJob(of task: UInt64, _ job: @escaping @Sendable () -> Void) {
    guard let run, !run.isOver else { return }
    guard let party = currentKey.value else { return noteForeign("a job of a task") }
    // A task that the main thread itself puts there goes on elsewhere; what it awaits puts it there
    // from another thread.
    if party.number == 0, task == run.unsuspended { run.unsuspended = nil }
    run.addTask(identity: nextIdentity, by: party, job)
  }

  /// Does something that only whoever runs may do; does nothing on a thread that nobody schedules.
  func withBaton(_ body: () -> Void) { if currentKey.value != nil { body() } }

  /// Something came from a thread that is not a party's.
  private func noteForeign(_ what: String) {
    foreign.withLock { $0 = $0 ?? "\(what) came from a thread that is not scheduled" }
    foreignCame.open()
  }

  private var isForeign: Bool { run != nil && currentKey.value == nil }

  // MARK: What the engine tells

  func reach(_ point: SwitchPoint, subject: String) {
    guard let run else { return }
    guard let party = currentKey.value else {
      noteForeign("\(point.title) \(subject)")
      PartyThread().waitForEver()
    }
    if point == .save(.row) { run.charge(CostTable.rowWritten, to: party) }
    if let place = foreign.withLock({ $0 }) { end(Ending(.uncontrolled, place)) }
    let next = run.reach(point, subject, by: party) { StackNote.taken() }
    goOn(after: next, instead: party)
  }

  var wantsValues: Bool { run.map { $0.options.isDetailed && $0.isRecording } ?? false }

  func touch(_ thing: SharedThing, isWrite: Bool, version: Int64?, values: [ToldValue]) {
    guard let run, let party = currentKey.value else { return }
    run.touch(thing, isWrite: isWrite, version: version, values: values, by: party)
  }

  func note(_ change: ToldChange) {
    guard let run, let party = currentKey.value else { return }
    run.note(change, by: party)
  }

  func enter(_ queue: SerialQueue) {
    guard let run, let party = currentKey.value else { return }
    run.enter(queue, by: party)
  }

  func leave(_ queue: SerialQueue) {
    guard let run, let party = currentKey.value else { return }
    run.leave(queue, by: party)
  }

  func start(_ body: @escaping @Sendable () -> Void, on queue: SerialQueue) {
    switch queue.kind {
    case .main: enqueueMain(body)
    case .private:
      guard let run, !run.isOver else { return }
      guard let party = currentKey.value else { return noteForeign("a block of \(queue.label)") }
      run.add(
        identity: nextIdentity, name: "a block of \"\(queue.label)\"",
        lane: "queue \"\(queue.label)\"", by: party, body)
    }
  }

  func park(_ token: UInt64, for queue: SerialQueue) {
    guard let run, let party = currentKey.value else { PartyThread().waitForEver() }
    party.token = token
    if queue.kind == .main { run.markAwaited(by: party) }
    goOn(after: run.leave(party, .waits(queue: queue.label)), instead: party)
  }

  func unpark(_ token: UInt64) {
    guard let run, let party = currentKey.value,
      let parked = run.parties.first(where: { $0.token == token })
    else { return }
    run.makeReady(parked, at: party.clock)
  }

  func charge(_ work: EngineCounters.Name, _ amount: Int) {
    guard let run, let party = currentKey.value else { return }
    run.charge(CostTable.cost(of: work, amount), to: party)
  }

  var currentParty: UInt {
    if let party = currentKey.value { return party.identity }
    return UInt(bitPattern: Unmanaged.passUnretained(Thread.current).toOpaque())
  }

  func name(of party: UInt) -> String? {
    run?.parties.first { $0.identity == party }?.name
  }

  var nowNanoseconds: UInt64 { UInt64(currentKey.value?.clock ?? 0) }

  func random() -> UInt64 {
    touch(.note("random numbers"), isWrite: true, version: nil, values: [])
    return run?.random() ?? 0
  }
}

// Safe to share: `run`, `pool`, `threadsMade`, `jobs` and `abandoned` are touched by whoever holds
// the baton, and the baton passes with a semaphore; `foreign` is a lock.
extension ControlledScheduler: @unchecked Sendable {}
