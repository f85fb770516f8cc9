extension Scenario {
  /// The outcome of a run: by its ending where that alone decides, else by its observations.
  ///
  /// - Returns: its name, and its grade if it is declared.
  static func outcome(
    _ observation: Observation, side: String
  ) throws(Complaint) -> (name: String, grade: Grade?) {
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
        .ourBug, "Scenario \(card.number) cannot name the outcome of side \(side): \(error)")
    }
    return (outcome.name, outcomes.contains(outcome) ? outcome.grade : nil)
  }
}
