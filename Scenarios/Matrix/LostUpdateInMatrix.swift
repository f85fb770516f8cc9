import CoreData
import PlaygroundKit

/// Two contexts add one to the same number.
enum LostUpdateInMatrix: MatrixScenario {
  static let card = Card(
    101, "matrix-lost-update", "Lost update", part: .conflicts,
    claim: "Two contexts add one to a number, both saves succeed, and one increment is missing.",
    question: "In which set-ups can an increment be lost?",
    why: """
      A save to the store compares versions. On a conflict, error throws 133020 \
      (.managedObjectMerge), and every other built-in policy picks one of two values. A child's \
      save to its parent compares no versions, so no merge policy is asked.
      """,
    given: "one article with 0 views; two contexts each run views += 1",
    guide: "05-conflicts.md#27",
    next: [.matrix("lost-update")])

  private static let lost = Outcome(
    "LOST", .forbidden, "an increment is missing, and its save reported no error")
  private static let refused = Outcome(
    "REFUSED", .accepted, "an increment is missing, and its save was refused")
  private static let kept = Outcome("KEPT", .accepted, "both increments are there")

  static let outcomes = [lost, refused, kept]

  @MainActor static func given(_ world: World) async throws {
    Article(context: world.container.viewContext).name = "Counted"
    try world.container.viewContext.save()
  }

  @MainActor static func program(_ world: World, _ pair: Pair) async throws {
    try await pair.both(
      world, first: { try increment(pair.first) }, second: { try increment(pair.second) })
  }

  private static func increment(_ context: NSManagedObjectContext) throws {
    for article in try context.articles() { article.views += 1 }
  }

  static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.stored("SELECT ZVIEWS FROM ZARTICLE").first?.first.flatMap { Int($0) } ?? 0
    let refused = try run.refusals()
    if stored + refused < 2 { return lost }
    return refused > 0 ? Self.refused : kept
  }
}
