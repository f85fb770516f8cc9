import CSwiftRuntime
import Faultline
import Foundation

/// Hands the jobs of Swift's tasks to the scheduler, those of the main actor and all others.
///
/// The runtime has pointers to functions for this, nil unless somebody sets them. Jobs that a task
/// gives to the default executor object itself, as `Task.yield` does, do not pass here; on Linux
/// they are taken over where the runtime hands them to Dispatch (`OutsideCalls+Time`).
@MainActor enum JobHooks {
  /// The executor that stands in for the main actor's.
  private final class MainLoop: SerialExecutor {
    private let scheduler: ControlledScheduler

    init(_ scheduler: ControlledScheduler) { self.scheduler = scheduler }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let executor = asUnownedSerialExecutor()
      let task = swift_task_getJobTaskId(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
      scheduler.enqueueMain(task: task) { job.runSynchronously(on: executor) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
      UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() { precondition(Thread.isMainThread, "not on the main actor") }
  }

  private typealias TakeJob =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
  private typealias GetExecutor = @convention(c) (UnsafeMutableRawPointer?) -> faultline_executor

  private static let mainLoop = MainLoop(.shared)
  nonisolated(unsafe) private static var mainReference = faultline_executor()

  /// Whether a block waits for dispatch's own main queue, which nobody serves under control.
  static var isMainQueueWaiting: Bool {
    var handle = pollfd(fd: mainQueueHandle, events: Int16(POLLIN), revents: 0)
    return poll(&handle, 1, 0) > 0
  }

  /// What a run loop waits at for dispatch's main queue.
  private static let mainQueueHandle: Int32 = {
    let name = "_dispatch_get_main_queue_port_4CF"
    guard let address = dlsym(UnsafeMutableRawPointer(bitPattern: 0), name) else {
      fatalError("this libdispatch has no \(name)")
    }
    return unsafeBitCast(address, to: (@convention(c) () -> Int32).self)()
  }()

  /// Takes the jobs of this process, for good.
  static func install(_ scheduler: ControlledScheduler) {
    mainReference = unsafeBitCast(
      mainLoop.asUnownedSerialExecutor(), to: faultline_executor.self)
    set("swift_task_getMainExecutor_hook", to: { _ in JobHooks.mainReference } as GetExecutor)
    set(
      "swift_task_enqueueGlobal_hook",
      to: { job, _ in
        nonisolated(unsafe) let job = job
        ControlledScheduler.shared.enqueueJob(of: swift_task_getJobTaskId(job)) {
          swift_job_run(job, nil, nil)
        }
      } as TakeJob)
  }

  private static func set<Function>(_ name: String, to function: Function) {
    // The pointer must be the runtime's own; a copy in our executable would never be looked at.
    guard let address = dlsym(UnsafeMutableRawPointer(bitPattern: 0), name) else {
      fatalError("this Swift runtime has no \(name)")
    }
    address.assumingMemoryBound(to: Function?.self).pointee = function
  }
}
