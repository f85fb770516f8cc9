/// What the exit code of the command line says.
public enum ExitStatus: Int32, Sendable {
  /// It did what was asked; every outcome was a declared one.
  case done = 0
  /// It ran, and the answer is no.
  case answerIsNo = 1
  /// It was called in a way that has no meaning.
  case usage = 2
  /// Something it was given cannot be used.
  case input = 3
  /// The learner's code did not build.
  case build = 4
  /// A limit was hit: time, memory, output, disk.
  case limit = 5
  /// The budget ended before there was an answer.
  case inconclusive = 6
  /// Our own bug.
  case ourBug = 70
  /// Interrupted with Ctrl-C.
  case interrupted = 130
}

/// What cannot be done: one sentence that says what to do instead, and the exit code that goes with
/// it.
public struct Complaint: Error, Equatable, CustomStringConvertible {
  /// The exit code.
  public let status: ExitStatus
  /// The sentence.
  public let description: String

  /// Makes a complaint.
  public init(_ status: ExitStatus, _ sentence: String) {
    self.status = status
    self.description = sentence
  }
}
