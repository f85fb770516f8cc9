import Faultline
import Foundation

/// Lets one thread at a time go on; the scheduler's own, so it is none of the calls that are taken
/// over from the application.
final class Gate {
  #if os(Linux)
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
      semaphore = .allocate(capacity: 1)
      sem_init(semaphore, 0, 0)
    }

    deinit {
      sem_destroy(semaphore)
      semaphore.deallocate()
    }

    /// Lets a thread go on that waits, or the next that comes.
    func open() { sem_post(semaphore) }

    /// Waits until it is let go on.
    func wait() { while sem_wait(semaphore) != 0 {} }

    /// Waits for so long at most.
    func wait(milliseconds: Int) {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      time.tv_nsec += milliseconds * 1_000_000
      time.tv_sec += time.tv_nsec / 1_000_000_000
      time.tv_nsec %= 1_000_000_000
      while sem_timedwait(semaphore, &time) != 0, errno == EINTR {}
    }
  #else
    private let semaphore = DispatchSemaphore(value: 0)

    /// Lets a thread go on that waits, or the next that comes.
    func open() { semaphore.signal() }

    /// Waits until it is let go on.
    func wait() { semaphore.wait() }

    /// Waits for so long at most.
    func wait(milliseconds: Int) {
      _ = semaphore.wait(timeout: .now() + .milliseconds(milliseconds))
    }
  #endif
}

// Safe to share: POSIX semaphores are used from any thread.
extension Gate: @unchecked Sendable {}

/// A thread that runs one party after the other, each when it is let run.
///
/// Threads are kept from run to run, because to make one costs more than a short run.
final class PartyThread: Sendable {
  private let gate = Gate()

  /// Lets whoever waits on this thread go on.
  func wake() { gate.open() }

  /// Waits on this very thread until it is woken.
  func wait() { gate.wait() }

  /// Waits for as long as the process lives.
  func waitForEver() -> Never { while true { gate.wait() } }

  /// Starts a thread that calls `body` each time it is woken.
  static func start(_ body: @escaping @Sendable (PartyThread) -> Void) -> PartyThread {
    let made = PartyThread()
    let thread = Thread {
      while true {
        made.wait()
        body(made)
      }
    }
    thread.name = "party"
    thread.start()
    return made
  }
}
