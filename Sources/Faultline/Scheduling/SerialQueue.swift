import Dispatch
import Synchronization

/// The queue of a context or coordinator: one party inside at a time, first come, first served.
///
/// It is our own rather than a dispatch queue because the engine must know who is inside (the
/// checker), who waits for whom (the report of a deadlock) and must be able to hand every decision
/// to a controlled scheduler. A synchronous caller runs on its own thread, as `performAndWait`
/// does.
package final class SerialQueue: Sendable {
  /// Whether blocks run on the main thread or on a worker of the queue's own.
  package enum Kind: Sendable {
    case main
    case `private`
  }

  /// The queue that all main-queue contexts share.
  package static let main = SerialQueue(label: "main", kind: .main)
  private static let currentQueue = ThreadLocal<SerialQueue>()
  private static let serialNumber = Atomic<UInt64>(1)

  /// Where blocks run.
  package let kind: Kind
  /// A number no other queue of the process has.
  package let number: UInt64
  /// The way to whom alone the queue serves, if anybody; set before anybody else knows the queue.
  package nonisolated(unsafe) var client: WeakLink?
  private let labelStorage: Lock<String>
  private let door = Atomic(Door.idle)
  /// What stands in line for a private queue.
  let line = Lock(Line())
  /// Where the worker of a private queue runs: a serial queue of dispatch's, because that gets a
  /// thread though all others wait, as a context's does in Core Data.
  private let worker: DispatchQueue?
  private let owner = Atomic<UInt>(0)
  /// What whoever is inside a private queue keeps until it leaves; used inside only.
  @exclusivity(unchecked) package nonisolated(unsafe) var keepsake: AnyObject?

  /// Makes a queue; the label is for reports.
  package init(label: String, kind: Kind) {
    self.kind = kind
    worker = kind == .private ? DispatchQueue(label: label) : nil
    labelStorage = Lock(label)
    number = Self.serialNumber.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  /// The name of the queue in reports.
  package var label: String {
    get { labelStorage.withLock { $0 } }
    set { labelStorage.withLock { $0 = newValue } }
  }

  /// The queue whose block this thread is running, if any.
  package static var current: SerialQueue? { currentQueue.value }

  /// Whether the caller is inside this queue.
  @inline(__always)
  package var isCurrent: Bool {
    switch kind {
    case .private: return owner.load(ordering: .relaxed) == Scheduling.currentParty
    case .main: return MainThread.isCurrent
    }
  }

  /// The party inside the queue, for reports; zero if nobody is.
  package var holder: UInt { owner.load(ordering: .relaxed) }

  /// Runs a block inside the queue and returns what it returns; runs it at once if already inside.
  ///
  /// - Parameter isApplications: whether the application calls, which has every context in a state
  ///   that others may change; then the caller may answer requests while it waits (`Request`).
  package func sync<T>(isApplications: Bool = false, _ body: () throws -> T) rethrows -> T {
    switch kind {
    case .main:
      if MainThread.isCurrent { return try run(body) }
      return try withoutActuallyEscaping(body) { body in
        try syncOnMain(isApplications, body).get()
      }
    case .private:
      let party = Scheduling.currentParty
      if owner.load(ordering: .relaxed) == party { return try run(body) }
      if !enterAtOnce() {
        let answer = try withoutActuallyEscaping(body) { body in
          try waitInLine(isApplications, body)?.get()
        }
        if let answer { return answer }
      }
      owner.store(party, ordering: .relaxed)
      defer { leavePrivate() }
      return try run(body)
    }
  }

  /// The main loop runs the block in its turn, and the caller waits for it.
  private func syncOnMain<T>(
    _ isApplications: Bool, _ body: @escaping () throws -> T
  ) -> Result<T, any Error> {
    let answer = Lock<UncheckedBox<Result<T, any Error>>?>(nil)
    Scheduling.reach(.queueWait, label)
    Scheduling.touch(.line(of: number), isWrite: true)
    let request = Request(self, isApplications: isApplications) {
      let result = UncheckedBox(Result { try self.run(body) })
      answer.withLock { $0 = result }
    }
    startTurn { request.answer() }
    request.wait()
    return answer.withLock { $0! }.value
  }

  /// Has the main loop run a block in a turn of its own.
  private func startTurn(_ block: @escaping @Sendable () -> Void) {
    if let hook = Scheduling.hook {
      hook.start(block, on: self)
    } else {
      DispatchQueue.main.async(execute: block)
    }
  }

  /// The queue whose job of the engine's own this thread is running, if any.
  static let engineJob = ThreadLocal<SerialQueue>()

  /// Puts a job of the engine's own at the end of the queue: one that the application does not know
  /// of, so that a wait for the queue must not be a deadlock because of it (`Request`).
  package func asyncOfEngine(_ job: @escaping @Sendable () -> Void) {
    async {
      let outer = Self.engineJob.value
      Self.engineJob.value = self
      defer { Self.engineJob.value = outer }
      job()
    }
  }

  /// Puts a block at the end of the queue and returns.
  package func async(_ job: @escaping @Sendable () -> Void) {
    Scheduling.reach(.blockEnqueued, label)
    Scheduling.touch(.line(of: number), isWrite: true)
    switch kind {
    case .main: startTurn { self.run(job) }
    case .private:
      if join(.job(job)) { startWorker() }
    }
  }

  /// Puts a block at the end of the queue and suspends the caller until it has run.
  nonisolated(nonsending) package func awaiting<T, Failure: Error>(
    _ block: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    let result: UncheckedBox<Result<T, Failure>> = await withCheckedContinuation { continuation in
      async {
        let result: Result<T, Failure>
        do throws(Failure) { result = .success(try block()) } catch { result = .failure(error) }
        continuation.resume(returning: UncheckedBox(result))
      }
    }
    return try result.value.get()
  }

  private func run<T>(_ body: () throws -> T) rethrows -> T {
    let outer = Self.currentQueue.value
    Self.currentQueue.value = self
    defer { Self.currentQueue.value = outer }
    guard let hook = Scheduling.hook else { return try body() }
    hook.enter(self)
    hook.reach(.blockBegan, subject: label)
    defer {
      hook.reach(.blockEnded, subject: label)
      hook.leave(self)
    }
    return try body()
  }

  /// Enters a private queue if it is idle.
  @inline(__always)
  private func enterAtOnce() -> Bool {
    if let hook = Scheduling.hook {
      hook.reach(.queueWait, subject: label)
      hook.touch(.line(of: number), isWrite: true, version: nil, values: [])
    }
    return door.compareExchange(
      expected: .idle, desired: .held, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  /// Waits for the way in; the answer is what the block returned if a party inside has run it.
  @inline(never)
  private func waitInLine<T>(
    _ isApplications: Bool, _ body: @escaping () throws -> T
  ) -> Result<T, any Error>? {
    let answer = Lock<UncheckedBox<Result<T, any Error>?>>(UncheckedBox(nil))
    let request = Request(self, isApplications: isApplications) {
      let result = UncheckedBox(Result { try self.run(body) } as Result<T, any Error>?)
      answer.withLock { $0 = result }
    }
    if request.join() { return nil }
    request.wait()
    let result = answer.withLock { $0 }.value
    if result == nil { Scheduling.reach(.queueWake, label) }
    return result
  }

  /// Something arrives in line; the answer is whether its way in is free.
  ///
  /// A waiter for which it is does not stay in line; a job does, for the worker to be started.
  func join(_ entry: Line.Entry) -> Bool {
    line.withLock { line in
      let isFree = door.exchange(.lined, ordering: .acquiringAndReleasing) == .idle
      if isFree, case .waiter = entry { return true }
      line.append(entry)
      return isFree
    }
  }

  /// Asks the line whom to let in; the queue is idle if nobody is.
  private func ask<Answer>(_ question: (inout Line) -> Answer?) -> Answer? {
    line.withLock { line in
      let answer = question(&line)
      if answer == nil { door.store(.idle, ordering: .releasing) }
      return answer
    }
  }

  private func leavePrivate() {
    if keepsake != nil { keepsake = nil }
    owner.store(0, ordering: .relaxed)
    Scheduling.touch(.line(of: number), isWrite: true)
    if door.compareExchange(
      expected: .held, desired: .idle, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged {
      return
    }
    switch ask({ $0.successor() }) {
    case nil: break
    case .waiter(let waiter): waiter.wake()
    case .worker: startWorker(isSentFor: true)
    }
  }

  private func startWorker(isSentFor: Bool = false) {
    if let hook = Scheduling.hook {
      hook.start({ self.drain(isSentFor: isSentFor) }, on: self)
    } else {
      worker?.async { self.drain(isSentFor: isSentFor) }
    }
  }

  /// Runs one job after the other until none is next; each goes while the queue is still held,
  /// because what it captured may use the queue when it goes.
  ///
  /// - Parameter isSentFor: whether somebody who left has found the first job next in line; then
  ///   to take it is no event of its own.
  private func drain(isSentFor: Bool) {
    var isSentFor = isSentFor
    while true {
      if keepsake != nil { keepsake = nil }
      owner.store(0, ordering: .relaxed)
      if !isSentFor { Scheduling.touch(.line(of: number), isWrite: true) }
      isSentFor = false
      switch ask({ $0.next() }) {
      case nil: return
      case .waiter(let waiter): return waiter.wake()
      case .job(let job):
        owner.store(Scheduling.currentParty, ordering: .relaxed)
        run(job)
      }
    }
  }
}
