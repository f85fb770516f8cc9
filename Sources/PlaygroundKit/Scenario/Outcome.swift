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
  /// Words that the ending's detail must contain; nil if any detail will do.
  public let saying: String?

  /// Declares an outcome; with `when:` it is the outcome of every run that ends that way, and with
  /// `saying:` only of those whose detail contains the words.
  public init(
    _ name: String, _ grade: Grade, _ meaning: String, when: Ending.Kind? = nil,
    saying: String? = nil
  ) {
    self.name = name
    self.grade = grade
    self.meaning = meaning
    self.when = when
    self.saying = saying
  }
}

extension Outcome {
  /// Whether a run with this ending has this outcome, whatever was observed.
  func isDecided(by ending: Ending) -> Bool {
    when == ending.kind && saying.map(ending.detail.contains) ?? true
  }

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
