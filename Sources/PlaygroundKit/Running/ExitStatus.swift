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
  /// A limit was hit: time, memory, output, disk, steps.
  case limit = 5
  /// The budget ended before there was an answer.
  case inconclusive = 6
  /// Our own bug.
  case ourBug = 70
  /// Interrupted with Ctrl-C.
  case interrupted = 130
}

extension ExitStatus {
  /// What a run under control says: its outcome's grade, which is nil if nobody declared it, and
  /// how it ended.
  ///
  /// A wrong side may end in every way that was declared, and any other as a run may that passes.
  /// Where a limit kept it from that there is no answer, unless the limit is what was forbidden.
  init(grade: Grade?, ending: Ending.Kind?, on kind: Side.Kind) {
    if grade != nil, kind == .wrong || !Verdict.isBad(grade, ending) {
      self = .done
    } else {
      let isLimit = ending == .limit || ending == .diskFull
      self = isLimit && grade != .forbidden ? .limit : .answerIsNo
    }
  }

  /// The status of several things together: a clear no before a limit, that before what was left
  /// open.
  public static func gravest(_ statuses: [ExitStatus]) -> ExitStatus {
    [.answerIsNo, .limit, .inconclusive].first(where: statuses.contains) ?? .done
  }
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
