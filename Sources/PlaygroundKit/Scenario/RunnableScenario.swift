import Foundation

/// What pages, options and ids need of a scenario; it can be sent from the program that has it.
public struct ScenarioDescription: Sendable, Codable {
  /// What the catalogue, the page and the guide say about it.
  public internal(set) var card: Card
  /// The learner's folder, if it is there.
  public internal(set) var folder: String?
  /// The numbers a learner may change with `--set`.
  public internal(set) var parameters: [Parameter]
  /// All possible outcomes of a run, graded before anything runs.
  public let outcomes: [Outcome]
  /// The columns of the page, in order.
  public internal(set) var sides: [Side.Description]
  /// How many times each side runs by default.
  public let repeats: Int
  /// How long one run of one side may take, in nanoseconds.
  public let limitNanoseconds: Int

  /// Describes a scenario of this program.
  public init(_ scenario: any Scenario.Type) {
    card = scenario.card
    parameters = scenario.parameters
    outcomes = scenario.outcomes
    sides = scenario.sides.map(\.description)
    repeats = scenario.repeats
    limitNanoseconds = scenario.limit.nanoseconds
  }

  /// Why its sides cannot be told apart, and what to write instead; nil if each has its own name.
  var twins: String? {
    for (index, side) in sides.enumerated()
    where sides[..<index].contains(where: { $0.name == side.name }) {
      let heading = side.kind == .column ? "" : "\"\(side.heading)\", name: "
      return "two sides are named “\(side.name)”: give each a name of its own, as in"
        + " `.\(side.kind.rawValue)(\(heading)\"\(side.name)2\", …)`"
    }
    return nil
  }

  /// The word that names it on the command line: a number, or the learner's folder.
  public var word: String { folder.map(\.quotedForShell) ?? card.name }

  /// What sentences call it: `scenario 27`, or the learner's folder.
  public var name: String { folder ?? "scenario \(card.name)" }
}

/// A scenario that can be run, explored and replayed: its description, the programs that have its
/// sides, and what names the outcome of a run.
@dynamicMemberLookup
public struct RunnableScenario: Sendable {
  /// What pages, options and ids need of it.
  public let description: ScenarioDescription
  /// What names the outcome of a run.
  let rule: OutcomeRule
  /// Where each side is found, in the order of the sides.
  private let origins: [SideOrigin]

  /// A scenario of this program; its sides are run by another one if that is named.
  public init(_ scenario: any Scenario.Type, executable: String = Runner.thisExecutable) {
    description = ScenarioDescription(scenario)
    if let twins = description.twins { fatalError("scenario \(description.card.name): \(twins)") }
    rule = OutcomeRule(scenario)
    let subject = ScheduleID.Subject(of: description.card)
    origins = scenario.sides.indices.map { place in
      SideOrigin(executable: executable, subject: subject, place: place)
    }
  }

  /// A scenario with an origin for each of its sides.
  init(_ description: ScenarioDescription, _ rule: OutcomeRule, _ origins: [SideOrigin]) {
    precondition(origins.count == description.sides.count)
    (self.description, self.rule, self.origins) = (description, rule, origins)
  }

  /// What the description says.
  public subscript<Value>(dynamicMember path: KeyPath<ScenarioDescription, Value>) -> Value {
    description[keyPath: path]
  }

  /// Where a side is found.
  func origin(of side: Side.Description) -> SideOrigin {
    origins[description.sides.firstIndex { $0.name == side.name } ?? 0]
  }

  /// The side of an id, if the id is one of this scenario and of this code.
  func side(of id: ScheduleID) -> Side.Description? {
    let place = origins.firstIndex { $0.subject == id.subject && $0.place == id.side }
    return place.map { description.sides[$0] }
  }

  /// Whose schedules its ids may name.
  var subjects: Set<ScheduleID.Subject> { Set(origins.map(\.subject)) }
}

/// Where a side is found: the program that has it, and how ids name it.
struct SideOrigin: Sendable {
  /// The path of a program that calls `SideProcess.runIfAsked` and `ControlledProcess.runIfAsked`.
  var executable: String
  /// Whose schedules its ids name.
  var subject: ScheduleID.Subject
  /// The place of the side in its ids.
  var place: Int
  /// Makes the filled store that the side gets, if its program does not fill one itself and does
  /// not name outcomes: a learner's side of a scenario of ours.
  var given: GivenStore?
  /// Whether the code is ours; other code gets limits.
  var isOurs = true

  /// The environment of its processes, which write into a folder.
  func environment(_ environment: [String: String], at folder: URL) -> [String: String] {
    isOurs ? environment : Self.strangers(environment, at: folder)
  }

  /// The environment of code that is not ours: the same on every machine, and for every user.
  static func strangers(
    _ environment: [String: String], at folder: URL
  ) -> [String: String] {
    let kept = environment.filter { name, _ in
      [
        "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SWIFT_BACKTRACE", "TSAN_OPTIONS",
        "FAULTLINE_CONCURRENCY_DEBUG",
      ].contains(name) || name.hasPrefix("SWIFT_DETERMINISTIC") || name.hasPrefix("MALLOC_")
    }
    return kept.merging(
      ["HOME": folder.path, "TMPDIR": folder.path, "TZ": "UTC", "LC_ALL": "C.UTF-8"]
    ) { $1 }
  }

  /// What its processes may use, for so long.
  func limits(seconds: Double? = nil) -> ChildProcess.Limits {
    isOurs ? .trusted(seconds: seconds) : .init(seconds: seconds)
  }
}

extension ScheduleID.Subject {
  /// Whose schedules the ids of a scenario of this program name.
  init(of card: Card) {
    self = card.number.map { .scenario($0) } ?? .init(ofSource: card.slug)
  }
}
