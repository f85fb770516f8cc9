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
      let place = placeOfCaller() ?? place(in: captured()) ?? unknown
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
      return { place(in: backtraces) ?? unknown }
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

  /// Whether a function's mangled name shows that it is the engine's and holds none of the caller's
  /// code.
  ///
  /// `$s9Faultline15NSManagedObjectC4text…` is the engine's. A specialization (`Tg`) may contain
  /// the caller's closure, and `…ObjectC3AppE4text…` is an extension declared in the module `App`.
  static func isEngine(symbol: String) -> Bool {
    guard symbol.hasPrefix("$s9Faultline"), !symbol.contains("Tg") else { return false }
    var rest = symbol.dropFirst(2)
    while let digit = rest.first, digit.isNumber {
      let digits = rest.prefix { $0.isNumber }
      guard digit != "0", let length = Int(digits) else { return false }
      rest = rest.dropFirst(digits.count + length)
      if rest.first == "E" { return false }
      if let kind = rest.first, "CVOP".contains(kind) { rest = rest.dropFirst() }
    }
    return true
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

    /// The place of the first frame whose function is not the engine's by its name.
    ///
    /// A name is found at once; a line takes a tenth of a second per frame in a debug build. The
    /// checked side of scenario 01 needs three lines: 0.6 s of processor time instead of 3.3 s.
    private static func placeOfCaller() -> String? {
      let stack = try? Backtrace.capture(limit: 24, top: 0)
      let frames = stack?.symbolicated(with: nil, options: [])?.frames ?? []
      for (depth, frame) in frames.enumerated() where !isEngine(symbol: frame.symbol?.rawName ?? "")
      {
        let alone = try? Backtrace.capture(limit: 2, offset: depth, top: 0)
        if let alone, let place = place(in: [alone]) { return place }
      }
      return nil
    }

    private static func place(in backtraces: [Backtrace]) -> String? {
      for backtrace in backtraces {
        for frame in backtrace.symbolicated(with: nil)?.frames ?? [] {
          guard let place = frame.symbol?.sourceLocation, place.line > 0,
            !isEngine(place.path)
          else { continue }
          return "\(URL(fileURLWithPath: place.path).lastPathComponent):\(place.line)"
        }
      }
      return nil
    }
  #endif
}
