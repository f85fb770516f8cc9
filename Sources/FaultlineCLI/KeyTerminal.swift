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
  private let before: termios
  /// What stands on the last line and waits for a key.
  private let prompt = Mutex("")

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
        terminal.take()
        defer { terminal.giveBack() }
        return try body(terminal)
      },
      with: { terminal.giveBack() },
      undo: {
        terminal.take()
        terminal.put("\r\u{1B}[K" + terminal.prompt.withLock { $0 })
      })
  }

  /// Whether the shell lets us read from the terminal: it stops a job in the background that tries.
  static var isForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Takes the terminal, unless another job has it.
  func take() {
    guard Self.isForeground else { return }
    var mode = before
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &mode.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  private func giveBack() {
    guard Self.isForeground else { return }
    put(prompt.withLock { $0.isEmpty } ? "" : "\r\u{1B}[K")
    // Keys that nothing reads any more are not meant for the shell.
    tcflush(STDIN_FILENO, TCIFLUSH)
    var mode = before
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  /// Shows a line that waits for a key.
  func show(_ text: String) {
    prompt.withLock { $0 = text }
    put("\r\u{1B}[K" + text)
  }

  /// Erases that line.
  func erase() {
    prompt.withLock { $0 = "" }
    put("\r\u{1B}[K")
  }

  private func put(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }
}
