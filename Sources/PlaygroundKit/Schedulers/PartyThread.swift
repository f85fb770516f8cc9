import Faultline
import Foundation

/// A thread that runs one party after the other, each when it is let run.
///
/// Threads are kept from run to run, because to make one costs more than a short run.
final class PartyThread: Sendable {
  private let signal = DispatchSemaphore(value: 0)

  /// Lets whoever waits on this thread go on.
  func wake() { signal.signal() }

  /// Waits on this very thread until it is woken.
  func wait() { signal.wait() }

  /// Waits for as long as the process lives.
  func waitForEver() -> Never { while true { signal.wait() } }

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
