import Faultline
import Foundation

/// Ctrl-C in the middle of something: removes what must not stay behind, and ends with the code
/// that the shell expects. Ctrl-Z: gives back what the shell needs, and takes it again afterwards.
public enum Interruption {
  private struct State {
    var nextID = 0
    var cleanUps: [CleanUp] = []
  }

  private struct CleanUp {
    var id: Int
    var action: @Sendable () -> Void
    var undo: (@Sendable () -> Void)?
  }

  private static let state = Lock(State())

  /// From now on a signal that would end us cleans up first.
  ///
  /// Call it once, before any other thread exists.
  public static func cleanUpWhenInterrupted() {
    signal(SIGPIPE, SIG_IGN)
    // A file that grows over a limit is an error like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT] where !isIgnored(signal) {
      sigaddset(&signals, signal)
    }
    // Held back from every thread, and taken by one that does nothing else: so it may lock and use
    // Foundation, which a signal handler may not.
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let held = signals
    let thread = Thread {
      var waitedFor = held
      var number: Int32 = 0
      while true {
        guard sigwait(&waitedFor, &number) == 0 else { continue }
        switch number {
        case SIGTSTP: stop()
        case SIGCONT: goOn()
        default: leave(128 + number)
        }
      }
    }
    thread.name = "interruption"
    thread.start()
  }

  /// Whether the process was started with this signal ignored, as `nohup` does. A blocked signal
  /// would be delivered all the same.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    #if os(Linux)
      let handler = action.__sigaction_handler.sa_handler
    #else
      let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Does something; if we are interrupted meanwhile, cleans up after it, the latest first.
  ///
  /// - Parameter undo: undoes the cleaning up; if there is one, we clean up before Ctrl-Z stops us
  ///   too, and undo it when we go on.
  public static func cleaningUp<R>(
    after body: () throws -> R, with cleanUp: @escaping @Sendable () -> Void,
    undo: (@Sendable () -> Void)? = nil
  ) rethrows -> R {
    let id = state.withLock { state in
      state.nextID += 1
      state.cleanUps.append(CleanUp(id: state.nextID, action: cleanUp, undo: undo))
      return state.nextID
    }
    defer { state.withLock { state in state.cleanUps.removeAll { $0.id == id } } }
    return try body()
  }

  /// Cleans up under the lock and never gives it back, so that no other thread can end a body
  /// while its files are removed.
  private static func leave(_ code: Int32) -> Never {
    state.withLock { state in
      for cleanUp in state.cleanUps.reversed() { cleanUp.action() }
      _exit(code)
    }
  }

  /// Lets Ctrl-Z stop the process, as it would without us; `goOn` follows with SIGCONT.
  private static func stop() {
    state.withLock { state in
      for cleanUp in state.cleanUps.reversed() where cleanUp.undo != nil { cleanUp.action() }
    }
    var stop = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    raise(SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, nil)
    pthread_sigmask(SIG_BLOCK, &stop, nil)
    // The system stops no process that nothing could continue; then there is no SIGCONT.
    var waiting = sigset_t()
    sigpending(&waiting)
    if sigismember(&waiting, SIGCONT) != 1 { goOn() }
  }

  private static func goOn() {
    state.withLock { state in for cleanUp in state.cleanUps { cleanUp.undo?() } }
  }
}
