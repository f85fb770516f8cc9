/// The exit codes of the command line.
public enum ExitStatus: Int32, Sendable {
  /// The command did its work, and every outcome was declared.
  case done = 0
  /// The command ran, and the answer is no.
  case answerIsNo = 1
  /// The arguments have no meaning.
  case usage = 2
  /// A file, a folder, an id or the toolchain cannot be used.
  case input = 3
  /// The learner's code did not build.
  case build = 4
  /// A limit was hit: time, memory, output, disk, steps.
  case limit = 5
  /// The budget ended before there was an answer.
  case inconclusive = 6
  /// Our own bug.
  case ourBug = 70
  /// Interrupted with Ctrl-C; `Interruption` adds 128 to the number of any other signal.
  case interrupted = 130
}

extension ExitStatus {
  /// The status of a controlled run, from the grade of its outcome, which is nil if the outcome is
  /// undeclared, and from how it ended.
  ///
  /// A wrong side may end in every declared way; any other side must pass. If a limit stopped the
  /// run, there is no answer, unless the limit itself is forbidden.
  init(grade: Grade?, ending: Ending.Kind?, on kind: Side.Kind) {
    if grade != nil, kind == .wrong || !Verdict.isBad(grade, ending) {
      self = .done
    } else {
      let isLimit = ending == .limit || ending == .diskFull
      self = isLimit && grade != .forbidden ? .limit : .answerIsNo
    }
  }

  /// The status of several results together: a clear no comes before a limit, and a limit before an
  /// open question.
  public static func gravest(_ statuses: [ExitStatus]) -> ExitStatus {
    [.answerIsNo, .limit, .inconclusive].first(where: statuses.contains) ?? .done
  }
}

/// A refusal: one sentence that says what to do instead, and its exit code.
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
