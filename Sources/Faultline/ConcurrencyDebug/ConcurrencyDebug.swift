import Foundation
import Synchronization

/// The checker of the queue rule: a context and its objects are used only inside their queue.
///
/// It also reports threads that wait for each other in a cycle. In the mode that records and
/// continues, the threads of a deadlock keep waiting: none of them could continue without breaking
/// what the others rely on, so only a time limit ends the process. Without the checker the program
/// hangs.
///
/// It is switched on, as on Apple's systems, by the launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1`, or by the environment variable
/// `FAULTLINE_CONCURRENCY_DEBUG` (`1` stops, `record` records and continues).
public enum ConcurrencyDebug {
  /// What the checker does.
  package enum Mode: Int, Sendable {
    /// Nothing is checked.
    case off = 0
    /// A violation is recorded and the program continues.
    case record = 1
    /// A violation stops the process with a report.
    case stop = 2
    /// Under a controlled scheduler: a violation is a switch point, and nothing is written down.
    case watch = 3
  }

  /// The mode, or -1 before anybody asked: a constant, so that a look at it asks for no set-up.
  private static let modeStorage = Atomic<Int>(-1)
  private static let firstMode: Mode = {
    let mode = initialMode
    watch(in: mode)
    return mode
  }()
  private static let recorded = Lock<[Violation]>([])
  private static let deadlocks = Lock<[Deadlock]>([])

  /// What the checker does from now on.
  package static var mode: Mode {
    get { Mode(rawValue: modeStorage.load(ordering: .relaxed)) ?? begin() }
    set {
      begin()
      modeStorage.store(newValue.rawValue, ordering: .relaxed)
      watch(in: newValue)
    }
  }

  @discardableResult
  private static func begin() -> Mode {
    let exchange = modeStorage.compareExchange(
      expected: -1, desired: firstMode.rawValue, ordering: .relaxed)
    return exchange.exchanged ? firstMode : Mode(rawValue: exchange.original) ?? .off
  }

  private static func watch(in mode: Mode) {
    WaitGraph.watcher = mode == .off || mode == .watch ? nil : DeadlockWatcher()
  }

  /// The violations recorded since the last call, oldest first.
  package static func takeViolations() -> [Violation] {
    recorded.withLock { violations in
      defer { violations.removeAll() }
      return violations
    }
  }

  /// The deadlocks recorded since the last call, oldest first.
  package static func takeDeadlocks() -> [Deadlock] {
    deadlocks.withLock { deadlocks in
      defer { deadlocks.removeAll() }
      return deadlocks
    }
  }

  private static var initialMode: Mode {
    let variable = ProcessInfo.processInfo.environment["FAULTLINE_CONCURRENCY_DEBUG"]
    if variable == "record" { return .record }
    if variable == "1" { return announced(.stop) }
    let arguments = UserDefaults.standard.volatileDomain(forName: UserDefaults.argumentDomain)
    let value = arguments["com.apple.CoreData.ConcurrencyDebug"].map { "\($0)" }
    return value == "1" || value == "true" || value == "YES" ? announced(.stop) : .off
  }

  private static func announced(_ mode: Mode) -> Mode {
    StandardError.write("CoreData: annotation: Core Data multi-threading assertions enabled.")
    return mode
  }

  /// Whether anything is checked at all: one relaxed load, so that it costs next to nothing when
  /// off.
  @inline(__always)
  static var isOn: Bool {
    modeStorage.load(ordering: .relaxed) != Mode.off.rawValue && mode != .off
  }

  /// Checks that the caller is inside the queue; the report's words are only made if it is not.
  @inline(__always)
  static func check(
    _ queue: SerialQueue, _ operation: @autoclosure () -> String,
    object: @autoclosure () -> String? = nil, context: @autoclosure () -> String
  ) {
    if isOn, !queue.isCurrent {
      violate(queue, operation: operation(), object: object(), context: context())
    }
  }

  /// A scheduler makes the same run again and again; a run on threads tells the place.
  static var isRepeated: Bool { mode == .record && Scheduling.hook != nil }

  private static func violate(
    _ queue: SerialQueue, operation: String, object: String?, context: String
  ) {
    Scheduling.reach(.trespass, operation)
    Scheduling.touch(.inside(of: queue.number), isWrite: true)
    if mode == .watch { return }
    EngineCounters.add(.violations)
    let owner = queue.kind == .main ? "the main queue" : "the private queue \"\(queue.label)\""
    let violation = Violation(
      operation: operation, object: object ?? "none", context: context, ownerQueue: owner,
      callerQueue: SerialQueue.current.map { "\"\($0.label)\"" } ?? "no context's queue",
      callerThread: Scheduling.threadName,
      location: isRepeated ? CallSite.notLookedUp : CallSite.outsideEngine(),
      fix: "Do this inside that context's perform or performAndWait, and pass objectID, "
        + "not the object, to get there.")
    switch mode {
    case .off, .watch: break
    case .record: recorded.withLock { $0.append(violation) }
    case .stop: ProgrammerError.stop(violation.report)
    }
  }

  /// Writes a deadlock down, or stops with its report.
  static func report(_ deadlock: Deadlock) {
    switch mode {
    case .off, .watch: break
    case .record: deadlocks.withLock { $0.append(deadlock) }
    case .stop: ProgrammerError.stop(deadlock.report)
    }
  }
}
