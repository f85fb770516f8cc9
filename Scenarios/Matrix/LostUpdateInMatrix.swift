import CoreData
import PlaygroundKit

/// Two contexts add one to the same number.
enum LostUpdateInMatrix: MatrixScenario {
  static let card = Card(
    101, "matrix-lost-update", "Lost update", part: .conflicts,
    claim: "Both add one to a number, both are told that it is saved, and one of them has not.",
    question: "In which set-ups can an increment be lost?",
    why: """
      A save to the store compares versions: error then refuses, and every other policy chooses \
      one of two values. A child's save to its parent compares nothing, so no policy is asked.
      """,
    given: "one article with no readers; two contexts count one each", guide: "05-conflicts.md#27",
    next: [.matrix("lost-update")])

  private static let lost = Outcome(
    "LOST", .forbidden, "an increment is missing, and nobody was told")
  private static let refused = Outcome(
    "REFUSED", .accepted, "an increment is missing, and who made it was told")
  private static let kept = Outcome("KEPT", .accepted, "both increments are there")

  static let outcomes = [lost, refused, kept]

  @MainActor static func given(_ world: World) async throws {
    Article(context: world.container.viewContext).name = "Counted"
    try world.container.viewContext.save()
  }

  @MainActor static func program(_ world: World, _ pair: Pair) async throws {
    try await pair.both(
      world, first: { try count(pair.first) }, second: { try count(pair.second) })
  }

  private static func count(_ context: NSManagedObjectContext) throws {
    for article in try context.articles() { article.views += 1 }
  }

  static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.stored("SELECT ZVIEWS FROM ZARTICLE").first?.first.flatMap { Int($0) } ?? 0
    let refused = try run.refusals()
    if stored + refused < 2 { return lost }
    return refused > 0 ? Self.refused : kept
  }
}
