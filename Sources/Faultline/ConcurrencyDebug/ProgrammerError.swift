import CSwiftRuntime
import Foundation

/// Stops the process for a mistake that Core Data answers with an Objective-C exception.
///
/// Linux has no exceptions, and a mistake of the programmer is no error to recover from: one
/// sentence goes to standard error and the process aborts.
enum ProgrammerError {
  /// Prints the sentence and aborts.
  static func stop(_ sentence: String) -> Never {
    StandardError.write(sentence)
    abort()
  }

  /// Stops for a state that only a mistake of ours can produce.
  static func impossible(_ state: String) -> Never {
    stop("Faultline: impossible state, which is our bug: \(state). Please report it.")
  }
}

/// Standard error, one line at a time.
enum StandardError {
  /// Writes a line.
  static func write(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}

/// Where on the stack the caller's own code stands.
enum CallSite {
  /// The symbol of the first frame outside the engine, demangled if the runtime can.
  static func outsideEngine() -> String {
    for symbol in Thread.callStackSymbols.dropFirst(2) {
      // A frame of this module carries its name, length first, at the start of the mangled symbol.
      guard let mangled = symbol.mangledName, !mangled.hasPrefix("$s9Faultline") else { continue }
      return demangled(mangled)
    }
    return "a place whose symbols are not in the executable"
  }

  private static func demangled(_ name: String) -> String {
    let pointer = name.withCString { faultline_demangle($0, name.utf8.count) }
    guard let pointer else { return name }
    defer { free(pointer) }
    return String(cString: pointer)
  }
}

extension String {
  fileprivate var mangledName: String? {
    guard let start = range(of: "$s") else { return nil }
    return String(self[start.lowerBound...].prefix { $0 != "+" && $0 != ")" && $0 != " " })
  }
}
