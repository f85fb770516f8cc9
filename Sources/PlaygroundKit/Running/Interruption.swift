import Foundation
import Synchronization

/// Ctrl-C in the middle of a run: the side's process dies, its files go, and we leave with the code
/// the shell expects.
public enum Interruption {
  private struct State {
    var child: ChildProcess?
    var workspace: Workspace?
  }

  private static let state = Mutex(State())

  /// From now on a signal that would end us cleans up first. Call it once, before any other thread
  /// exists.
  public static func cleanUpWhenInterrupted() {
    signal(SIGPIPE, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    // Held back from every thread, and taken by one that does nothing else: it may lock and use
    // Foundation.
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

  /// Names the folder that has to go; nil when it is gone.
  static func watch(_ workspace: Workspace?) {
    state.withLock { $0.workspace = workspace }
  }

  /// Names the process that has to die; nil when it is dead.
  static func watch(_ child: ChildProcess?) {
    state.withLock { $0.child = child }
  }

  private static func leave(_ code: Int32) -> Never {
    state.withLock { state in
      if let child = state.child, child.kill() {
        // The dead write no more; only then is what they wrote removed.
        var information = siginfo_t()
        while waitid(P_PID, id_t(child.id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      }
      state.workspace?.removeFiles()
      _exit(code)
    }
  }
}
