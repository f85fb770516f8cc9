import Dispatch
import Synchronization

extension SerialQueue {
  /// A block that a party wants run inside a queue, and waits for.
  ///
  ///     open ──the party's turn has come──▶ closed
  ///       └──a party inside runs the block──▶ closed
  ///
  /// Normally the block waits for its turn. The exception removes a deadlock: the engine puts jobs
  /// of its own on queues, a merge above all, and the application cannot know of them. If a
  /// cycle of waits goes through such a job, then a party in it that waits in the application's
  /// call (`performAndWait`) answers the request that it holds up. It may: code of the application
  /// that calls `performAndWait` is prepared for changes by the block that it waits for.
  package final class Request: Sendable {
    /// The queue inside which the block is to run.
    let queue: SerialQueue
    /// The party that waits.
    let party = Scheduling.currentParty
    /// Whether the party waits in a call of the application's, and so may answer other requests.
    let isApplications: Bool
    /// Whether the party runs a job that the engine put on a queue.
    let isEngines = SerialQueue.engineJob.value != nil
    fileprivate let waiter = Waiter()
    private let block: Lock<UncheckedBox<() -> Void>?>

    /// Makes the request of the running party.
    init(_ queue: SerialQueue, isApplications: Bool = false, _ block: @escaping () -> Void) {
      self.queue = queue
      self.isApplications = isApplications
      self.block = Lock(UncheckedBox(block))
    }

    /// Whether the block may still be run by another party.
    var isOpen: Bool { block.withLock { $0 != nil } }

    /// Puts the party into the line of a private queue; true if its way in is free.
    func join() -> Bool { queue.join(.waiter(waiter)) }

    /// Stops the party until its turn has come or its block has run; meanwhile it answers those
    /// requests of others that it holds up.
    func wait() {
      while true {
        if let other = WaitGraph.begin(self) {
          other.answer()
          continue
        }
        waiter.wait(subject: queue)
        guard let other = WaitGraph.end(party) else { break }
        other.answer()
      }
      close()
    }

    /// Wakes the party, which waits.
    func wake() { waiter.wake() }

    /// Runs the block for the party, inside the queue, and lets the party go on; does nothing if
    /// the request is closed.
    func answer() {
      guard isOpen else { return }
      Scheduling.touch(.line(of: queue.number), isWrite: true)
      if queue.kind == .private { queue.line.withLock { $0.remove(waiter) } }
      WaitGraph.serve(party)
      runBlock()
      // Before the party knows of it: it holds up nothing from here on.
      _ = WaitGraph.end(party)
      waiter.wake()
    }

    /// Not inlined, so that nothing keeps the block when the party goes on, to which it belongs.
    @inline(never)
    private func runBlock() { close()?() }

    @discardableResult
    private func close() -> (() -> Void)? { block.withLock { $0.take() }?.value }
  }

  /// A party that stands in line for the queue.
  final class Waiter: Sendable {
    private static let tokens = Atomic<UInt64>(1)
    private let token = Waiter.tokens.wrappingAdd(1, ordering: .relaxed).oldValue
    private let semaphore = DispatchSemaphore(value: 0)
    /// Under control: whether the party was woken before it stood still.
    private let isAwake = Atomic(false)

    /// Stops here until the party is woken.
    func wait(subject: SerialQueue) {
      if let hook = Scheduling.hook {
        if !isAwake.load(ordering: .relaxed) { hook.park(token, for: subject) }
        isAwake.store(false, ordering: .relaxed)
      } else {
        semaphore.wait()
      }
    }

    /// Wakes the party.
    func wake() {
      if let hook = Scheduling.hook {
        isAwake.store(true, ordering: .relaxed)
        hook.unpark(token)
      } else {
        semaphore.signal()
      }
    }
  }
}
