/// The result of checking a learner's folder, from which the page and `--json` are made.
public struct CheckRecord: Codable, Sendable, Equatable {
  /// Whether a requirement holds.
  public enum Status: String, Codable, Sendable {
    case pass, fail
    /// There is no answer, and the message says why.
    case error
  }

  /// What a finding rests on.
  public enum Basis: String, Codable, Sendable {
    /// The databases that schedules left, looked at outside the learner's process.
    case databases
    /// What the learner's process counted or noted itself.
    case counts
    /// The text of the file.
    case text
    /// Answers in words, held against runs of ours.
    case answers
  }

  /// One requirement, and whether it holds.
  public struct Finding: Codable, Sendable, Equatable {
    /// Its name, for `--only`.
    public var name: String
    /// What must hold, in a few words.
    public var what: String
    /// Whether it does.
    public var status: Status
    /// What it got, and the most it can get.
    public var points: Int
    public var pointsMax: Int
    /// Whether it counts on top.
    public var isBonus: Bool
    /// What the learner is told.
    public var message: String
    /// The schedule that shows it, if one does and the learner may see it.
    public var replay: String?
    /// What it rests on.
    public var basis: Basis
  }

  /// The exercise's number.
  public var number: Int
  /// The exercise's title.
  public var title: String
  /// The folder that was checked.
  public var folder: String
  /// Whether the folder can be explored, as a side of the scenario.
  public var isSide: Bool
  /// Each requirement, in order.
  public var findings: [Finding]
  /// How many schedules were run, each twice.
  public var schedules: Int
  /// How many of them were run with values that the learner does not see.
  public var schedulesHidden: Int
  /// The limit that a run hit, in words; absent if none did.
  public var limit: String?
  /// What kept the learner's program to its own folder: `bubblewrap`, or `none`; absent if no
  /// program of theirs ran.
  public var sandbox: String?

  /// The points; a bonus never lifts them above the most there are.
  public var points: Int
  /// The most points, without a bonus.
  public var pointsMax: Int
  /// Whether every requirement holds; a bonus need not.
  public var isPassed: Bool

  /// Sums up what was found.
  init(
    number: Int, title: String, folder: String, isSide: Bool, findings: [Finding],
    schedules: Int, schedulesHidden: Int = 0, limit: String?, sandbox: String? = nil
  ) {
    self.number = number
    self.title = title
    self.folder = folder
    self.isSide = isSide
    self.findings = findings
    self.schedules = schedules
    self.schedulesHidden = schedulesHidden
    self.limit = limit
    self.sandbox = sandbox
    pointsMax = findings.filter { !$0.isBonus }.reduce(0) { $0 + $1.pointsMax }
    points = min(findings.reduce(0) { $0 + $1.points }, pointsMax)
    isPassed = findings.allSatisfy { $0.isBonus || $0.status == .pass }
  }

  /// The exit code that goes with it.
  public var status: ExitStatus {
    if isPassed { return .done }
    if limit != nil { return .limit }
    return findings.contains { $0.status == .fail } ? .answerIsNo : .inconclusive
  }
}
