#if os(macOS)
  import CoreData
#else
  import Faultline
#endif

/// The code of a scenario, which its description cannot carry: what the processes of its sides run.
struct ScenarioCode: Sendable {
  /// The scenario's name in a task.
  let slug: String
  /// Its sides.
  let sides: [Side]
  /// The model of every store.
  let model: @MainActor @Sendable () -> NSManagedObjectModel
  /// Fills the store before the clock starts.
  let given: @MainActor @Sendable (World) async throws -> Void
  /// What names an outcome; nil where the tool does it, from what the run left.
  let rule: OutcomeRule?

  /// The code of a scenario of this program.
  init(_ scenario: any Scenario.Type) {
    slug = scenario.card.slug
    sides = scenario.sides
    model = { scenario.model }
    given = { try await scenario.given($0) }
    rule = OutcomeRule(scenario)
  }

  /// A learner's side of a scenario whose store and outcomes are the tool's business.
  init(
    of slug: String, yours: @escaping Side.Body,
    model: @escaping @MainActor @Sendable () -> NSManagedObjectModel
  ) {
    self.slug = slug
    sides = [.yours(yours)]
    self.model = model
    given = { _ in }
    rule = nil
  }
}

extension [ScenarioCode] {
  /// The code that a task names.
  func code(of slug: String, side name: String) throws(Complaint) -> (ScenarioCode, Side) {
    guard let code = first(where: { $0.slug == slug }),
      let side = code.sides.first(where: { $0.name == name })
    else { throw Complaint(.ourBug, "no side \(name) of \(slug)") }
    return (code, side)
  }
}
