/// What names the outcome of a run: its ending where that alone decides, else its observations.
struct OutcomeRule: Sendable {
  /// What sentences call the scenario.
  private let name: String
  /// The declared outcomes.
  private let outcomes: [Outcome]
  private let observed: @Sendable (Observation) throws -> Outcome
  /// Whether it names the outcomes of a learner's side: none of ours explains a trap of their own.
  private let isOfExercise: Bool

  /// The rule of a scenario of this program.
  init(_ scenario: any Scenario.Type, isOfExercise: Bool = false) {
    self.init(ScenarioDescription(scenario), isOfExercise) { try scenario.observed($0) }
  }

  /// The rule of a scenario whose `observed` is somewhere else.
  init(
    _ scenario: ScenarioDescription, _ isOfExercise: Bool = false,
    observed: @escaping @Sendable (Observation) throws -> Outcome
  ) {
    (name, outcomes, self.observed) = (scenario.name, scenario.outcomes, observed)
    self.isOfExercise = isOfExercise
  }

  /// Names the outcome of a run.
  ///
  /// - Returns: its name, and its grade if it is declared.
  func outcome(
    of observation: Observation, side: String
  ) throws(Complaint) -> (name: String, grade: Grade?) {
    let kind = observation.ending.kind
    let isExplained = !(isOfExercise && observation.ending.isTrapOfLearner)
    let byEnding = isExplained ? outcomes + [Outcome.violation] : []
    if let outcome = byEnding.first(where: { $0.isDecided(by: observation.ending) }) {
      return (outcome.name, outcome.grade)
    }
    guard kind == .finished || kind == .killed else { return (kind.undeclaredName, nil) }
    let outcome: Outcome
    do {
      outcome = try observed(observation)
    } catch let complaint as Complaint {
      throw complaint
    } catch {
      throw Complaint(
        .ourBug, "The outcome of side \(side) of \(name) cannot be named: \(error)")
    }
    return (outcome.name, outcomes.contains(outcome) ? outcome.grade : nil)
  }
}
