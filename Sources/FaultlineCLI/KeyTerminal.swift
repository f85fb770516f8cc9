import Foundation
import PlaygroundKit
import Synchronization

/// The terminal while it gives each key at once and does not show it.
///
///     as the shell had it ── take ──▶ ours ── giveBack ──▶ as the shell had it
///
/// It is given back when the body of `whileOurs` ends, however it ends, when a signal ends us, and
/// while Ctrl-Z has us stopped. Only SIGKILL leaves it to the shell.
final class KeyTerminal: Sendable {
  private struct State {
    /// Whether no thread has given it back; the one that waits for signals may.
    var isOurs = true
    /// What stands on the last line and waits for a key.
    var prompt = ""
  }

  private let before: termios
  private let state = Mutex(State())

  private init?() {
    var mode = termios()
    guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return nil }
    before = mode
  }

  /// Does something with the terminal; nil if standard input is none.
  static func whileOurs<R>(_ body: (KeyTerminal?) throws -> R) rethrows -> R {
    guard let terminal = KeyTerminal() else { return try body(nil) }
    return try Interruption.cleaningUp(
      after: {
        terminal.keep()
        defer { terminal.giveBack() }
        return try body(terminal)
      }, with: { terminal.giveBack() }, undo: { terminal.take() })
  }

  /// Whether the shell lets us read from the terminal: it stops a job in the background that tries.
  /// A terminal that is not the one of our session has no jobs.
  static var isForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group == getpgrp() || group < 0
  }

  /// Takes back what was given back when Ctrl-Z stopped us.
  private func take() {
    state.withLock { state in
      state.isOurs = true
      setMode()
      if !state.prompt.isEmpty { put("\r\u{1B}[K" + state.prompt) }
    }
  }

  /// Takes the terminal, and again if the shell has had it since, which does not always say so; not
  /// what was given back, because then the program is about to end.
  func keep() {
    state.withLock { if $0.isOurs { setMode() } }
  }

  private func giveBack() {
    state.withLock { state in
      state.isOurs = false
      guard Self.isForeground else { return }
      if !state.prompt.isEmpty { put("\r\u{1B}[K") }
      // Keys that nothing reads any more are not meant for the shell.
      tcflush(STDIN_FILENO, TCIFLUSH)
      var mode = before
      tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }
  }

  private func setMode() {
    guard Self.isForeground else { return }
    var mode = before
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &mode.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  /// Shows a line that waits for a key.
  func show(_ text: String) {
    state.withLock { state in
      state.prompt = text
      put("\r\u{1B}[K" + text)
    }
  }

  /// Erases that line.
  func erase() { show("") }

  private func put(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }
}
