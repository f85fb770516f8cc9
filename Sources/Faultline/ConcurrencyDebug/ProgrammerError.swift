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

/// Standard error.
package enum StandardError {
  /// Writes a line.
  static func write(_ line: String) { put(line + "\n") }

  /// Writes a text as far as it can be written; there is no other place to report a failure.
  package static func put(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count)
      }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}
