import Foundation

#if canImport(Runtime)
  import Runtime
#endif

/// Where on the stack the caller's own code stands.
enum CallSite {
  /// The first frame outside the engine: file and line where the debug information has them,
  /// otherwise the function's name.
  ///
  /// Taking it costs some hundred microseconds, so it is taken for a violation only.
  static func outsideEngine() -> String {
    #if canImport(Runtime)
      let backtrace = try? Backtrace.capture(limit: 48)
      for frame in backtrace?.symbolicated(with: nil)?.frames ?? [] {
        // A function of this module carries its name, length first, at the start of its symbol.
        guard let symbol = frame.symbol, !symbol.rawName.contains("9Faultline") else { continue }
        guard let place = symbol.sourceLocation, place.line > 0 else { continue }
        return "\(URL(fileURLWithPath: place.path).lastPathComponent):\(place.line)"
      }
    #endif
    return "a place that the executable has no debug information for"
  }
}
