import Faultline
import Foundation

/// Ctrl-C in the middle of something: removes what must not stay behind, and ends with the code
/// that the shell expects.
public enum Interruption {
  private struct State {
    var nextID = 0
    var cleanUps: [(id: Int, action: @Sendable () -> Void)] = []
  }

  private static let state = Lock(State())

  /// From now on a signal that would end us cleans up first.
  ///
  /// Call it once, before any other thread exists.
  public static func cleanUpWhenInterrupted() {
    signal(SIGPIPE, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] where !isIgnored(signal) {
      sigaddset(&signals, signal)
    }
    // Held back from every thread, and taken by one that does nothing else: so it may lock and use
    // Foundation, which a signal handler may not.
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let held = signals
    let thread = Thread {
      var waitedFor = held
      var number: Int32 = 0
      while sigwait(&waitedFor, &number) != 0 {}
      leave(128 + number)
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
  public static func cleaningUp<R>(
    after body: () throws -> R, with cleanUp: @escaping @Sendable () -> Void
  ) rethrows -> R {
    let id = state.withLock { state in
      state.nextID += 1
      state.cleanUps.append((state.nextID, cleanUp))
      return state.nextID
    }
    defer { state.withLock { state in state.cleanUps.removeAll { $0.id == id } } }
    return try body()
  }

  /// Cleans up under the lock and never gives it back, so that no other thread can end a body
  /// while its files are removed.
  private static func leave(_ code: Int32) -> Never {
    state.withLock { state in
      for (_, action) in state.cleanUps.reversed() { action() }
      _exit(code)
    }
  }
}
