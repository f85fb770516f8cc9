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
