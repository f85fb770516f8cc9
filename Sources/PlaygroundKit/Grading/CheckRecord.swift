/// The result of checking a learner's file, from which the page and `--json` are made.
public struct CheckRecord: Codable, Sendable, Equatable {
  /// One requirement, and whether it holds.
  public struct Finding: Codable, Sendable, Equatable {
    /// What must hold, in a few words.
    public var requirement: String
    /// Whether it does.
    public var holds: Bool
    /// What was seen.
    public var seen: String
  }

  /// The result as a whole.
  public enum Verdict: String, Codable, Sendable {
    /// Every requirement holds.
    case passed
    /// Something does not hold.
    case failed
    /// The file did not compile.
    case notBuilt
    /// A limit was hit.
    case limit
  }

  /// The exercise's number.
  public var number: Int
  /// The exercise's title.
  public var title: String
  /// The file that was checked.
  public var file: String
  /// The result as a whole.
  public var verdict: Verdict
  /// Each requirement, in order; empty when nothing could be run.
  public var findings: [Finding]
  /// The compiler's own text, or the output of the program that failed, cut in the middle if it is
  /// long; else empty.
  public var output: String

  /// The exit code that goes with the verdict.
  public var status: ExitStatus {
    switch verdict {
    case .passed: .done
    case .failed: .answerIsNo
    case .notBuilt: .build
    case .limit: .limit
    }
  }
}
