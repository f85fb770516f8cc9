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
      let stack = Array(Thread.callStackReturnAddresses.prefix(32))
      if let place = known.withLock({ $0[stack] }) { return place }
      let place = place(in: captured()) ?? unknown
      known.withLock { $0[stack] = place }
      return place
    #else
      return unknown
    #endif
  }

  /// Notes the running thread's stack; the answer is the first frame outside the engine.
  static func noted() -> @Sendable () -> String {
    #if canImport(Runtime)
      let frames = captured()
      return { place(in: frames) ?? unknown }
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
  /// The engine's are `$s9Faultline15NSManagedObjectC4text…` and, since it extends types of the
  /// standard library, `$sSS9FaultlineE5write…`. A specialization (`Tg`) may contain the caller's
  /// closure, and `…ObjectC3AppE4text…` is an extension declared in the module `App`.
  static func isEngine(symbol: String) -> Bool {
    guard symbol.hasPrefix("$s"), !symbol.contains("Tg") else { return false }
    var rest = symbol.dropFirst(2).drop { !$0.isNumber }
    guard rest.hasPrefix("9Faultline") else { return false }
    rest = rest.dropFirst("9Faultline".count)
    if rest.first == "E" { return true }
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
    /// Where each library lies in memory: reading it again would cost 0.3 ms for each capture.
    private static let images = ImageMap.capture()

    /// The running thread's stack, each frame by itself, since its line is looked up by itself.
    private static func captured() -> [Backtrace] {
      var frames: [Backtrace] = []
      for depth in 0..<32 {
        // The first of two frames, and a mark that more follow.
        let frame = try? Backtrace.capture(limit: 2, offset: depth, top: 0, images: images)
        if let frame { frames.append(frame) }
      }
      return frames
    }

    /// The place of the first frame outside the engine.
    ///
    /// A name is found at once; a line takes a tenth of a second in a debug build, so that it is
    /// looked up only for what is not the engine's by its name. A frame of the caller's may begin
    /// with functions of the engine that the compiler inlined.
    private static func place(in frames: [Backtrace]) -> String? {
      for frame in frames {
        let function = frame.symbolicated(options: [.useSymbolCache])?.frames.first?.symbol
        guard let function, !isEngine(symbol: function.rawName) else { continue }
        for inlined in frame.symbolicated()?.frames ?? [] {
          guard let place = inlined.symbol?.sourceLocation, place.line > 0, !isEngine(place.path)
          else { continue }
          return "\(URL(fileURLWithPath: place.path).lastPathComponent):\(place.line)"
        }
      }
      return nil
    }
  #endif
}
