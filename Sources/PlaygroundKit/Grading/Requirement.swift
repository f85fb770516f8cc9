/// One thing that must hold for a learner's code, and what it is worth.
///
/// What a requirement says depends on schedules, counts and virtual time, never on how fast the
/// machine is.
public struct Requirement: Sendable {
  /// What is looked at.
  public enum Kind: Sendable {
    /// No schedule ends in one of these outcomes, by their names; without names, in any that may
    /// not be.
    case never([String])
    /// Some schedule ends in the outcome of this name, and there what was observed is as it should
    /// be, if that is asked.
    case reach(String, where: (@Sendable (Observation) throws -> Bool)? = nil)
    /// There are at least so many schedules: the work is still done at the same time.
    case schedules(atLeast: Int)
    /// In each schedule a figure is within a range.
    case budget(String, ClosedRange<Int>)
    /// The database that each schedule left, and what was observed on it, is as it should be.
    case store(@Sendable (Observation) throws -> Bool)
    /// What the code notes under a name is this text, in each schedule.
    case golden(String, @Sendable (Observation) throws -> String)
    /// From one value of a parameter to the next, a figure grows by no more than the percentage by
    /// which the parameter grows, times this percentage.
    case growth(String, over: String, values: [Int], percentMax: Int)
    /// The schedule that is the answer to a question leads a side of ours to this outcome; the
    /// shortest one has no more switches than any other that does, and with a number given it has
    /// that many.
    case answer(
      String, side: String, outcome: String, isShortest: Bool = false, switches: Int? = nil)
    /// The answers to a question are those that the exploration of our sides gives.
    case predict(String, @Sendable (Exploration) -> Set<String>)
    /// The answers to a question are those that one schedule of a side of ours gives, the smallest
    /// that ends in this outcome, or without an outcome the first.
    case traced(String, side: String, outcome: String?, @Sendable (Trace) -> Set<String>)
    /// No schedule uses a context or an object outside its queue; the checker must record.
    case confined
    /// The code is a test. For each of these values of a parameter it gets another program, and
    /// notes under a name `right` or `wrong`; the closure says what is wrong with the program.
    case mutants(
      String, values: [Int], note: String,
      whatIsWrong: @Sendable ([String: Int]) -> String?)
    /// Code that uses the learner's file compiles.
    case accepts(String)
    /// Code that uses the learner's file does not compile, and the compiler says these words.
    case refuses(String, saying: String)
    /// The code contains none of these words; comments and the insides of strings do not count.
    case free(of: Set<String>)
  }

  /// With which values it is checked.
  public enum Data: Sendable {
    /// Those that the task names.
    case shown
    /// Those that a learner does not see.
    case hidden
    /// Both, so that code made for the shown ones alone gets nothing.
    case both
  }

  /// How much of the points is given where not everything holds.
  public enum Credit: Sendable {
    /// All or nothing.
    case all
    /// The share of the schedules in which it holds, of the broken programs that are seen, or of
    /// the answers that are right, minus those that are wrong.
    case fraction
    /// For a budget: all up to the end of its range, none from this value on, linear between.
    case curve(none: Int)
  }

  /// What is said of the result; `{seen}` is what was seen, `{replay}` the command for a schedule
  /// that shows it.
  public struct Say: Sendable {
    /// When it holds.
    public let pass: String
    /// When it does not.
    public let fail: String
    /// When it does not, for data that a learner does not see.
    public let hidden: String

    /// Words for all three.
    public init(pass: String, fail: String, hidden: String) {
      (self.pass, self.fail, self.hidden) = (pass, fail, hidden)
    }
  }

  /// Its name, for `--only`.
  public let name: String
  /// What must hold, in a few words.
  public let what: String
  /// What is looked at.
  public let kind: Kind
  /// What it is worth.
  public let points: Int
  /// How much of that is given for a part.
  public let credit: Credit
  /// Whether it counts on top, up to the most points of the exercise.
  public let isBonus: Bool
  /// With which values it is checked.
  public let data: Data
  /// The requirement without which this one is worth nothing, if there is one: a file
  /// that was not changed does not sleep either.
  public let needs: String?
  /// What is said of the result.
  public let say: Say

  /// Declares a requirement.
  public init(
    _ name: String, _ what: String, _ kind: Kind, points: Int, credit: Credit = .all,
    isBonus: Bool = false, data: Data? = nil, needs: String? = nil, say: Say
  ) {
    self.name = name
    self.what = what
    self.kind = kind
    self.points = points
    self.credit = credit
    self.isBonus = isBonus
    self.data = data ?? kind.data
    self.needs = needs
    self.say = say
  }

  /// The code has no lock of its own, and does not take the coordinator for one.
  public static func noLock(points: Int, needs: String? = nil) -> Requirement {
    Requirement(
      "no-lock", "no lock",
      .free(of: [
        "NSLock", "NSRecursiveLock", "NSCondition", "NSConditionLock", "Mutex", "DispatchQueue",
        "DispatchSemaphore", "OperationQueue", "pthread_mutex_t", "pthread_mutex_lock",
        "os_unfair_lock", "persistentStoreCoordinator",
      ]), points: points, needs: needs,
      say: Say(
        pass: "No thread waits at a lock of yours.",
        fail: "The code has a lock ({seen}): other code, or another process, does not ask for it.",
        hidden: "The code has a lock."))
  }

  /// The code does not wait for time to pass.
  public static func noSleep(points: Int, needs: String? = nil) -> Requirement {
    Requirement(
      "no-sleep", "no sleep",
      .free(of: ["sleep", "usleep", "nanosleep", "asyncAfter", "sleepForTimeInterval"]),
      points: points, needs: needs,
      say: Say(
        pass: "The code does not wait for time to pass.",
        fail: "The code waits for time to pass ({seen}): on another machine it waits too short.",
        hidden: "The code waits for time to pass."))
  }
}

extension Requirement.Kind {
  /// With which values it is checked unless a requirement says otherwise.
  fileprivate var data: Requirement.Data {
    switch self {
    case .never, .budget, .store, .golden, .confined, .mutants: .both
    case .reach, .schedules, .growth, .answer, .predict, .traced, .accepts, .refuses, .free:
      .shown
    }
  }
}
