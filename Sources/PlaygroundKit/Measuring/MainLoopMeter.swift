import Faultline
import Foundation

/// Ticks the main run loop at 60 Hz and remembers when each tick came: a tick that misses its turn
/// is a dropped frame.
///
/// The tick is a repeating timer, as a display link would be: while the main thread is busy no tick
/// comes, and those that were missed are never made up for.
final class MainLoopMeter: Sendable {
  /// One frame at 60 Hz.
  static let frameNanoseconds = 16_666_667

  /// The figures of one run.
  struct Reading: Equatable {
    var frames: Int
    var dropped: Int
    var longestStallNanoseconds: Int
    /// One number for each frame: 0 came in its turn, 1 was dropped.
    var series: [Double]
  }

  private struct Ticks {
    var times: [Int] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let ticks = Lock(Ticks())
  private let clock = ContinuousClock()
  private let origin = ContinuousClock.now

  /// Starts to tick and returns once the loop is known to turn.
  @MainActor func start() async {
    let timer = Timer(timeInterval: Double(Self.frameNanoseconds) / 1e9, repeats: true) {
      [self] _ in
      let waiters = ticks.withLock { ticks in
        ticks.times.append(now())
        defer { ticks.waiters = [] }
        return ticks.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
    RunLoop.main.add(timer, forMode: .common)
    await nextTick()
    ticks.withLock { $0.times.removeFirst($0.times.count - 1) }
  }

  /// Returns after the next tick.
  @MainActor func nextTick() async {
    await withCheckedContinuation { continuation in
      ticks.withLock { $0.waiters.append(continuation) }
    }
  }

  /// What was seen so far; the time since the last tick counts only once a frame is overdue.
  func reading() -> Reading? {
    let (times, end) = ticks.withLock { ($0.times, now()) }
    guard let last = times.last else { return nil }
    return Self.reading(of: end - last > Self.frameNanoseconds ? times + [end] : times)
  }

  /// Counts the frames between the first tick and the last.
  ///
  /// A tick belongs to the frame it came in; a quarter of a frame is allowed for a first tick that
  /// came late.
  static func reading(of times: [Int]) -> Reading {
    guard let first = times.first, let last = times.last else {
      return Reading(frames: 0, dropped: 0, longestStallNanoseconds: 0, series: [])
    }
    func frame(_ time: Int) -> Int { (time - first + frameNanoseconds / 4) / frameNanoseconds }
    let came = Set(times.map(frame))
    let frames = frame(last)
    let series = (0...frames).dropFirst().map { came.contains($0) ? 0.0 : 1.0 }
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 - frameNanoseconds }
    return Reading(
      frames: frames, dropped: series.count { $0 == 1 },
      longestStallNanoseconds: max(0, gaps.max() ?? 0), series: series)
  }

  private func now() -> Int { (clock.now - origin).nanoseconds }
}

extension Duration {
  /// The whole duration in nanoseconds.
  var nanoseconds: Int {
    Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
  }
}
