/// An exercise: what a learner changes, what must hold, and what proves that the check is fair.
///
/// It stands beside its scenario, in four places of the scenario's folder: the declaration
/// (`TheLostUpdate+Exercise.swift`), what the learner starts from (`Exercise`), a file with full
/// points (`Solution`), and plausible wrong repairs (`NearMisses`).
public struct Exercise: Sendable {
  /// A mode of the compiler; a wrong starter must compile.
  public enum LanguageMode: String, Sendable, Codable {
    case five = "5"
    case six = "6"
  }

  /// The scenario it belongs to.
  public let scenario: any Scenario.Type
  /// What to do, in a few sentences.
  public let task: String
  /// How long it takes, in minutes.
  public let minutes: Int
  /// The Swift file with the function `yours`; nil where there is nothing to write in Swift.
  public let file: String?
  /// Files beside the starter that are compiled with the learner's file and stay ours.
  public let support: [String]
  /// What a run is given, if it is not what the scenario's card says.
  public let given: String?
  /// Parameters that its scenario does not have.
  public let parameters: [Parameter]
  /// Why the learner's file is no side of the scenario, in one sentence; nil if it is one.
  public let notASide: String?
  /// What is answered in words, in `answers.txt`.
  public let questions: [Question]
  /// The mode in which it is compiled.
  public let languageMode: LanguageMode
  /// What a run does when the learner's file uses a context or an object off its queue.
  public let checker: Side.Checker
  /// What is explored, as the task says it.
  public let shown: Sizes
  /// What is explored for requirements that are hidden; as `shown` where no code is run.
  public let hidden: Sizes
  /// What must hold, in the order of the page.
  public let requirements: [Requirement]
  /// Three hints, each saying more than the one before.
  public let hints: [String]
  /// Plausible wrong repairs, with what they must get.
  public let nearMisses: [NearMiss]

  /// Declares the exercise of a scenario.
  public init(
    of scenario: any Scenario.Type, task: String, minutes: Int, file: String?,
    support: [String] = [], given: String? = nil, parameters: [Parameter] = [],
    notASide: String? = nil,
    questions: [Question] = [],
    languageMode: LanguageMode = .six, checker: Side.Checker = .off, shown: Sizes,
    hidden: Sizes? = nil, requirements: [Requirement],
    hints: [String], nearMisses: [NearMiss]
  ) {
    self.scenario = scenario
    self.task = task
    self.minutes = minutes
    self.file = file
    self.support = support
    self.given = given
    self.parameters = parameters
    self.notASide = notASide
    self.questions = questions
    self.languageMode = languageMode
    self.checker = checker
    self.shown = shown
    self.hidden = hidden ?? shown
    self.requirements = requirements
    self.hints = hints
    self.nearMisses = nearMisses
  }

  /// What is explored: values of parameters, and the most switches of a schedule.
  public struct Sizes: Sendable, Equatable {
    /// The values; where none is given, the scenario's own for exploring.
    public let values: [String: Int]
    /// The most switches.
    public let bound: Int

    /// Every schedule with at most so many switches, with these values.
    public init(_ values: [String: Int] = [:], bound: Int = 2) {
      (self.values, self.bound) = (values, bound)
    }
  }

  /// A plausible wrong repair.
  public struct NearMiss: Sendable {
    /// Its files in the folder `NearMisses`, without an extension: a Swift file, a text file with
    /// answers, or both. What is not there is as in the solution.
    public let name: String
    /// The points it gets.
    public let points: Int
    /// The requirements it does not meet, by their names.
    public let misses: Set<String>

    /// Declares what a wrong repair must get.
    public init(_ name: String, points: Int, misses: Set<String>) {
      (self.name, self.points, self.misses) = (name, points, misses)
    }
  }
}

extension Exercise {
  /// The card of its scenario.
  public var card: Card { scenario.card }
  /// The folder of its scenario, and of the learner's copy.
  public var folder: String { card.folderName }
  /// The scenario's name in a task.
  var slug: String { card.slug }
  /// The most points, without a bonus.
  public var pointsMax: Int { requirements.filter { !$0.isBonus }.reduce(0) { $0 + $1.points } }

  /// The learner's side as a scenario that can be run, with sides of ours beside it.
  func scenario(
    _ program: String, of folder: LearnerFolder, beside names: [String],
    sizes: Sizes? = nil
  ) throws(Complaint) -> RunnableScenario {
    let ours = RunnableScenario(scenario)
    var description = ours.description
    let beside = names.isEmpty ? [] : try Runner.sides(names, of: ours)
    description.folder = folder.path
    description.card.next = []
    description.card.given = given ?? description.card.given
    description.card.file = folder.files.first?.path ?? ""
    description.parameters = (description.parameters + parameters).map { parameter in
      parameter.explored(with: (sizes ?? shown).values[parameter.name] ?? parameter.explored)
    }
    description.sides = [Side.yours(checker: checker) { _ in }.description] + beside
    let given = GivenStore(
      executable: Supervisor.executable, scenario: slug, side: ours.sides[0].name)
    let yours = SideOrigin(
      executable: program, subject: folder.subject, place: 0, given: given, isOurs: false)
    return RunnableScenario(
      description, OutcomeRule(scenario, isOfExercise: true),
      [yours] + beside.map { ours.origin(of: $0) })
  }
}

extension Exercise {
  /// What there is to do.
  public enum Work: String, Sendable, Codable, CaseIterable {
    /// Say what a run does, before it is run.
    case predict
    /// Find a schedule that goes wrong.
    case `break`
    /// Put code right, or write it.
    case repair
    /// Write a test that tells right programs from wrong ones.
    case test
    /// Declare types so that wrong callers do not compile.
    case compile
    /// Choose what keeps two or more limits on measured figures at the same time.
    case measure
  }

  /// What there is to do here, in the order of the cases.
  public var works: [Work] {
    let ids = requirements.compactMap { requirement in
      if case .answer(let key, _, _, _, _) = requirement.kind { key } else { nil }
    }
    let found: Set<Work> = Set(
      (questions.contains { !ids.contains($0.key) } ? [.predict] : [])
        + (ids.isEmpty ? [] : [.break]) + (file == nil ? [] : [coding]))
    return Work.allCases.filter(found.contains)
  }

  /// What the learner's file is for, by the requirements it is held to.
  private var coding: Work {
    let found: [Work] = requirements.compactMap { requirement in
      switch requirement.kind {
      case .mutants: .test
      case .refuses: .compile
      case .budget, .growth: .measure
      default: nil
      }
    }
    if found.contains(.test) { return .test }
    if found.contains(.compile) { return .compile }
    return found.count >= 2 ? .measure : .repair
  }
}
