import CSwiftRuntime
import Dispatch
import Foundation
import Synchronization

/// A place in the engine at which a controlled scheduler may let another party go on.
package enum SwitchPoint: Sendable, Hashable {
  /// A block was put on a queue.
  case blockEnqueued
  /// A block is about to begin on its queue.
  case blockBegan
  /// A block has ended on its queue.
  case blockEnded
  /// A caller is about to enter a queue, and waits if somebody else is inside.
  case queueWait
  /// A caller owns the queue it waited for.
  case queueWake
  /// The writer connection of a coordinator was asked for.
  case coordinatorLock
  /// A save reached the named phase.
  case save(SavePhase)
  /// A fetch is about to read.
  case fetch
  /// An object's fault is about to be fulfilled.
  case fault
  /// A context or an object is about to be used outside its queue.
  case trespass
  /// A notification is about to be posted.
  case notification
  /// Changes of another context are about to be merged.
  case merge
  /// A context is about to forget its objects.
  case reset
  /// An object is about to be deleted.
  case delete
  /// Something outside the engine is about to be asked or told something: `asks for` a semaphore.
  case outside(String)
}

/// The phases of a save between which other parties may act.
package enum SavePhase: Sendable, Hashable {
  /// Before the will-save notification.
  case willSave
  /// After validation, before the transaction.
  case validated
  /// Inside the transaction, before the first row.
  case begin
  /// Before one row is written.
  case row
  /// Before the commit.
  case commit
  /// After the commit and the sharing of what it wrote, before the notifications.
  case committed
}

/// Something that more than one party can read or write through the engine.
package enum SharedThing: Sendable, Hashable {
  /// The line of those who wait for a queue, by the queue's number.
  case line(of: UInt64)
  /// What a queue guards: a context and its objects, by the queue's number.
  case inside(of: UInt64)
  /// The committed rows of an entity, and the snapshots of them that contexts share.
  case rows(of: String)
  /// The committed rows of every entity.
  case allRows
  /// One row of an entity, by its key; only told for what is drawn, since its entity is told too.
  case row(of: String, key: Int64)
  /// One object of a context, by its row and the number of the context's queue: read by a child, or
  /// changed by a child's save or a merge; only told for what is drawn, as the queue is told too.
  case object(of: String, key: Int64, in: UInt64)
  /// Something outside the engine that is kept under a name.
  case note(String)
  /// Something outside the engine that has a number: a lock, a queue of Dispatch's.
  case outside(UInt64)
}

/// What a controlled scheduler implements to take over from threads, queues and clocks.
///
/// The engine never knows who schedules it. A hook is installed before the first context exists and
/// stays for the life of the process.
package protocol SchedulingHook: AnyObject, Sendable {
  /// The running party stands at a place where another may go on; returns when it may continue.
  func reach(_ point: SwitchPoint, subject: String)
  /// Whether values are told besides what is read and written; they cost time and decide nothing.
  var wantsValues: Bool { get }
  /// The running party reads or writes something shared, before its next switch point; the values
  /// are those of a row, or of what a write changes in it.
  func touch(_ thing: SharedThing, isWrite: Bool, version: Int64?, values: [ToldValue])
  /// The running party saves a change, or a merge policy has decided what becomes of it.
  func note(_ change: ToldChange)
  /// The running party is inside a queue from now on.
  func enter(_ queue: SerialQueue)
  /// The running party leaves the queue it entered last.
  func leave(_ queue: SerialQueue)
  /// Starts a party that runs `body` for a private queue; a turn of the main loop for the main one.
  func start(_ body: @escaping @Sendable () -> Void, on queue: SerialQueue)
  /// Suspends the running party until `unpark` names the same token.
  func park(_ token: UInt64, for queue: SerialQueue)
  /// Makes the party that is parked on the token ready to go on.
  func unpark(_ token: UInt64)
  /// The engine has done something that costs time.
  func charge(_ work: EngineCounters.Name, _ amount: Int)
  /// The identity of the running party, in place of the thread's.
  var currentParty: UInt { get }
  /// What a party is called, by its identity; nil if it is none of this run's.
  func name(of party: UInt) -> String?
  /// The virtual time in nanoseconds since the run began.
  var nowNanoseconds: UInt64 { get }
  /// The next number of the run's random sequence.
  func random() -> UInt64
}

/// The one door to queues, threads, clocks and random numbers.
package enum Scheduling {
  /// The installed hook; nil means real threads.
  ///
  /// Safe to share because it is written once, before any context exists, and only read afterwards.
  nonisolated(unsafe) private static var installedHook: (any SchedulingHook)?
  private static let isControlled = Atomic<Bool>(false)

  /// The hook that controls this process, or nil under real threads.
  @inline(__always)
  package static var hook: (any SchedulingHook)? {
    isControlled.load(ordering: .relaxed) ? installedHook : nil
  }

  /// Gives the process to a controlled scheduler; call it before the first context is made.
  package static func install(_ hook: any SchedulingHook) {
    installedHook = hook
    isControlled.store(true, ordering: .sequentiallyConsistent)
  }

  /// Tells a controlled scheduler that the running party stands at a switch point.
  @inline(__always)
  package static func reach(_ point: SwitchPoint, _ subject: @autoclosure () -> String = "") {
    if let hook { hook.reach(point, subject: subject()) }
  }

  /// Tells a controlled scheduler that the running party reads or writes something shared.
  @inline(__always)
  package static func touch(
    _ thing: @autoclosure () -> SharedThing, isWrite: Bool = false, version: Int64? = nil,
    values: @autoclosure () -> [ToldValue] = []
  ) {
    guard let hook else { return }
    hook.touch(
      thing(), isWrite: isWrite, version: version, values: hook.wantsValues ? values() : [])
  }

  /// Whether a controlled scheduler wants to be told values.
  @inline(__always)
  package static var wantsValues: Bool { hook?.wantsValues ?? false }

  /// The identity of the running thread or party; never zero.
  @inline(__always)
  package static var currentParty: UInt {
    if let hook { return hook.currentParty }
    // The type is a pointer on Apple's systems and a number on Linux.
    #if canImport(Darwin)
      return UInt(bitPattern: pthread_self())
    #else
      return pthread_self()
    #endif
  }

  /// Monotonic time in nanoseconds.
  package static var nowNanoseconds: UInt64 {
    hook?.nowNanoseconds ?? DispatchTime.now().uptimeNanoseconds
  }

  /// The wall-clock date, or under control the start of 2026 plus the virtual time.
  package static var date: Date {
    guard let hook else { return Date() }
    return Date(timeIntervalSinceReferenceDate: 788_918_400 + Double(hook.nowNanoseconds) / 1e9)
  }

  /// A new random UUID, repeatable under control.
  package static func uuid() -> UUID {
    guard let hook else { return UUID() }
    let (high, low) = (hook.random(), hook.random())
    return withUnsafeBytes(of: (high, low)) { bytes in
      UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
  }

  /// The name of the running thread for reports: `main` or `thread` with its number.
  package static var threadName: String {
    MainThread.isCurrent ? "main" : name(of: currentParty)
  }

  /// The name of a thread or party for reports.
  static func name(of party: UInt) -> String {
    hook?.name(of: party) ?? "thread \(String(party, radix: 16))"
  }
}

/// The main thread, and whoever drains the main dispatch queue in its place.
package enum MainThread {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main thread, inside a block of the main dispatch queue or on
  /// the main actor.
  ///
  /// Under an asynchronous `main`, Linux drains the main queue on a worker thread; that worker
  /// counts as main, because main-queue work is serial wherever it runs. Inside another queue's
  /// `sync` only the main actor tells that it still is one.
  package static var isCurrent: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
      || swift_task_getCurrentExecutor().identity == swift_task_getMainExecutor().identity
  }
}
