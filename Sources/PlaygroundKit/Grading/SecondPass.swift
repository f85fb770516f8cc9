import Faultline
import Foundation

/// Runs the schedules of a search once more, in another process and in another order, while the
/// search goes on.
///
///     search   ── 1 2 3 … 16 ─┐── 17 18 … 32 ─┐──
///     again    ── 1 ──────────└── 16 15 … 1 ──└── 32 31 … 17 ──
///
/// What a run leaves in a variable of the program, the next one finds there. So no schedule is run
/// after the same ones as in the search, and the first is run once beforehand.
final class SecondPass: Sendable {
  private typealias Run = GradedRuns.Run

  private struct State {
    var blocks: [[Run]] = []
    var isComplete = false
    /// Rises when everything run so far is to be forgotten.
    var era = 0
    var different: Run?
    var error: (any Error)?
  }

  private static let blockSize = 16

  private let state = Lock(State())
  private let news = DispatchSemaphore(value: 0)
  private let end = DispatchSemaphore(value: 0)
  private let next = Lock<[Run]>([])

  /// Starts a thread that runs schedules; `run` makes one run, and knows whether what queues guard
  /// is shared.
  init(_ run: @escaping @Sendable (Schedule, _ hasTrespass: Bool) throws -> GradedRuns.Run) {
    let thread = Thread { [self] in
      do {
        _ = try run(Schedule(), false)
        try ProcessUse.onOneProcessor { try work(run) }
      } catch {
        state.withLock { $0.error = error }
      }
      end.signal()
    }
    thread.name = "second pass"
    thread.start()
  }

  /// Takes a schedule that the search has run; false if a difference was found, so that the search
  /// can end.
  func add(_ run: GradedRuns.Run) -> Bool {
    let block = next.withLock { next -> [Run]? in
      next.append(run)
      guard next.count == Self.blockSize else { return nil }
      defer { next = [] }
      return next
    }
    if let block { push(block) }
    return state.withLock { $0.different == nil && $0.error == nil }
  }

  /// The search begins anew, because what queues guard is shared.
  func restart() {
    next.withLock { $0 = [] }
    state.withLock { state in
      state.era += 1
      state.blocks = []
      state.different = nil
    }
  }

  /// Waits for the rest.
  ///
  /// - Returns: a schedule whose two runs differ; nil if there is none.
  func finish() throws -> Schedule? {
    push(next.withLock { $0 })
    state.withLock { $0.isComplete = true }
    news.signal()
    end.wait()
    return try state.withLock { state in
      if let error = state.error { throw error }
      return state.different?.schedule
    }
  }

  private func push(_ block: [Run]) {
    state.withLock { $0.blocks.append(block) }
    news.signal()
  }

  private func work(
    _ run: (Schedule, _ hasTrespass: Bool) throws -> GradedRuns.Run
  ) throws {
    while true {
      news.wait()
      let (block, era) = state.withLock { state in
        (state.blocks.isEmpty ? nil : state.blocks.removeFirst(), state.era)
      }
      guard let block else {
        if state.withLock({ $0.isComplete }) { return }
        continue
      }
      for known in block.reversed() {
        let again = try run(known.schedule, era > 0)
        let goesOn = state.withLock { state in
          guard state.era == era else { return false }
          if !known.isSame(as: again) { state.different = known }
          return state.different == nil
        }
        guard goesOn else { break }
      }
      if state.withLock({ $0.different != nil }) { return }
    }
  }
}
