import Foundation

#if canImport(Runtime)
  import Runtime
#endif

/// Where on the stack the caller's own code stands.
enum CallSite {
  /// What each stack was found to be; reading debug information takes tens of milliseconds, and
  /// a loop breaks the same rule at the same place a thousand times.
  private static let known = Lock<[[NSNumber]: String]>([:])

  /// The first frame outside the engine: file and line, where the debug information has them.
  static func outsideEngine() -> String {
    #if canImport(Runtime)
      let stack = Array(Thread.callStackReturnAddresses.prefix(24))
      if let place = known.withLock({ $0[stack] }) { return place }
      let place = place(in: captured())
      known.withLock { $0[stack] = place }
      return place
    #else
      return unknown
    #endif
  }

  /// Notes the running thread's stack; the answer is the first frame outside the engine.
  static func noted() -> @Sendable () -> String {
    #if canImport(Runtime)
      let backtraces = captured()
      return { place(in: backtraces) }
    #else
      return { unknown }
    #endif
  }

  /// The folder of the engine's sources, from the top of the disk.
  private static let engine =
    URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().path + "/"

  /// Whether a path of the debug information is one of the engine's: whole, or from the top of the
  /// package.
  static func isEngine(_ path: String) -> Bool {
    path.hasPrefix(engine) || path.hasPrefix("Sources/Faultline/")
  }

  /// Stands for a place that nobody needed.
  static let notLookedUp = "a place that was not looked up"

  private static let unknown = "a place that the executable has no debug information for"

  #if canImport(Runtime)
    /// The running thread's stack, first a few frames of it and then many.
    ///
    /// To find the lines of one frame takes tens of milliseconds and more on a busy machine, and
    /// the caller most often stands among the first.
    private static func captured() -> [Backtrace] {
      [8, 48].compactMap { try? Backtrace.capture(limit: $0, top: 0) }
    }

    private static func place(in backtraces: [Backtrace]) -> String {
      for backtrace in backtraces {
        for frame in backtrace.symbolicated(with: nil)?.frames ?? [] {
          guard let place = frame.symbol?.sourceLocation, place.line > 0,
            !isEngine(place.path)
          else { continue }
          return "\(URL(fileURLWithPath: place.path).lastPathComponent):\(place.line)"
        }
      }
      return unknown
    }
  #endif
}
