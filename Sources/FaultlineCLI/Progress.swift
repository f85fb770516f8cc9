import Dispatch
import Foundation
import PlaygroundKit
import Synchronization

/// One line on standard error that says where a run stands, once it has taken more than a second.
final class ProgressLine: Sendable {
  private struct State {
    var line = ""
    var shown = ""
    var isOpen = true
  }

  private let state = Mutex(State())
  private let isTerminal = Terminal.isErrors
  private let timer = DispatchSource.makeTimerSource(queue: .global())

  /// Shows progress on a terminal, or anywhere when it is asked for.
  init(verbose: Bool, quiet: Bool) {
    let isWanted = !quiet && (isTerminal || verbose)
    timer.setEventHandler { [weak self] in self?.show() }
    timer.schedule(deadline: isWanted ? .now() + 1 : .distantFuture, repeating: 1)
    timer.resume()
  }

  /// Notes where the run stands.
  func tell(_ step: Runner.Step) {
    state.withLock { state in
      state.line =
        "\(step.scenario): \(step.side), repeat \(step.trial) of \(step.repeats) … Ctrl-C stops"
    }
  }

  /// Takes the line away.
  func finish() {
    timer.cancel()
    state.withLock { state in
      state.isOpen = false
      if isTerminal, !state.shown.isEmpty { write("\r\u{1B}[K") }
    }
  }

  private func show() {
    state.withLock { state in
      guard state.isOpen, state.line != state.shown else { return }
      state.shown = state.line
      write(isTerminal ? "\r\u{1B}[K\(state.line)" : "\(state.line)\n")
    }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
