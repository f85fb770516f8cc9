import Dispatch
import Foundation
import PlaygroundKit
import Synchronization

/// One line on standard error that shows how far a run is, once it has taken more than a second.
final class ProgressLine: Sendable {
  private struct State {
    var line = ""
    var shown = ""
    var isOpen = true
  }

  private let state = Mutex(State())
  private let isTerminal = Terminal.isErrors

  /// Shows progress on a terminal, or anywhere when it is asked for.
  init(verbose: Bool, quiet: Bool) {
    let isWanted = !quiet && (isTerminal || verbose)
    if isWanted { showInASecond() }
  }

  /// Notes how far the run is.
  func tell(_ step: Runner.Step) {
    tell("\(step.scenario): \(step.side), repeat \(step.trial) of \(step.repeats)")
  }

  /// Notes how far an exploration is.
  func tell(_ step: Explorer.Step) {
    tell("\(step.scenario): \(step.orders) schedules run")
  }

  private func tell(_ words: String) {
    state.withLock { $0.line = "\(words.visible) … Ctrl-C stops" }
  }

  /// Erases the line.
  func finish() {
    state.withLock { state in
      state.isOpen = false
      if isTerminal, !state.shown.isEmpty { write("\r\u{1B}[K") }
    }
  }

  private func showInASecond() {
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in
      if let self, show() { showInASecond() }
    }
  }

  /// Shows the line if it is a new one; returns whether there may be more to show.
  private func show() -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      if state.line != state.shown {
        state.shown = state.line
        write(isTerminal ? "\r\u{1B}[K\(state.line)" : "\(state.line)\n")
      }
      return true
    }
  }

  private func write(_ text: String) { StandardStreams.complain(text) }
}
