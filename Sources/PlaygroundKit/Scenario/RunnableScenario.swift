/// What pages, options and ids need of a scenario; it can be sent from the program that has it.
public struct ScenarioDescription: Sendable, Codable {
  /// What the catalogue, the page and the guide say about it.
  public let card: Card
  /// The numbers a learner may change with `--set`.
  public let parameters: [Parameter]
  /// All possible outcomes of a run, graded before anything runs.
  public let outcomes: [Outcome]
  /// The columns of the page, in order.
  public let sides: [Side.Description]
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
}

/// A scenario that can be run, explored and replayed: its description, the program that has its
/// sides, and what names the outcome of a run.
@dynamicMemberLookup
public struct RunnableScenario: Sendable {
  /// What pages, options and ids need of it.
  public let description: ScenarioDescription
  /// The path of a program that calls `SideProcess.runIfAsked` and `ControlledProcess.runIfAsked`.
  public let executable: String
  private let observed: @Sendable (Observation) throws -> Outcome

  /// A scenario of this program; its sides are run by another one if that is named.
  public init(_ scenario: any Scenario.Type, executable: String = Runner.thisExecutable) {
    description = ScenarioDescription(scenario)
    observed = { try scenario.observed($0) }
    self.executable = executable
  }

  /// What the description says.
  public subscript<Value>(dynamicMember path: KeyPath<ScenarioDescription, Value>) -> Value {
    description[keyPath: path]
  }

  /// The outcome of a run: by its ending where that alone decides, else by its observations.
  ///
  /// - Returns: its name, and its grade if it is declared.
  func outcome(
    _ observation: Observation, side: String
  ) throws(Complaint) -> (name: String, grade: Grade?) {
    let outcomes = description.outcomes
    let kind = observation.ending.kind
    let byEnding = outcomes + [Outcome.violation]
    if let outcome = byEnding.first(where: { $0.when == kind }) {
      return (outcome.name, outcome.grade)
    }
    guard kind == .finished || kind == .killed else { return (kind.undeclaredName, nil) }
    let outcome: Outcome
    do {
      outcome = try observed(observation)
    } catch {
      throw Complaint(
        .ourBug,
        "Scenario \(description.card.number) cannot name the outcome of side \(side): \(error)")
    }
    return (outcome.name, outcomes.contains(outcome) ? outcome.grade : nil)
  }
}
