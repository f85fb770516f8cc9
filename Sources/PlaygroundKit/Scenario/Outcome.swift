/// A named result of a run, graded before anything runs.
public struct Outcome: Sendable, Codable, Equatable {
  /// The name in capitals, as the page prints it.
  public let name: String
  /// Its grade.
  public let grade: Grade
  /// What it means for the run, in one sentence.
  public let meaning: String
  /// The ending that means this outcome, where the ending alone decides.
  public let when: Ending.Kind?

  /// Declares an outcome; with `when:` it is the outcome of every run that ends that way.
  public init(_ name: String, _ grade: Grade, _ meaning: String, when: Ending.Kind? = nil) {
    self.name = name
    self.grade = grade
    self.meaning = meaning
    self.when = when
  }
}

extension Outcome {
  /// The outcome of a broken queue rule under `--debug`; it counts as declared in every scenario.
  static let violation = Outcome(
    "VIOLATION", .forbidden, "the concurrency checker stopped the process with its report",
    when: .stopped)
}

/// How good an outcome is.
public enum Grade: String, Sendable, Codable {
  /// What correct code does.
  case accepted
  /// Worth a look, and not wrong.
  case interesting
  /// What must not happen.
  case forbidden
}
