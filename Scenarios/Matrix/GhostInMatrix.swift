import CoreData
import PlaygroundKit

/// One context runs a batch delete, and the other edits an object whose row it removes.
enum GhostInMatrix: MatrixScenario {
  static let card = Card(
    104, "matrix-ghost", "Ghost after batch delete", part: .memory,
    claim: "A context edits and saves an object whose row a batch delete has removed.",
    question: "In which set-ups does that save succeed?",
    why: """
      A batch delete changes the file but no context. A later save to the store finds the row \
      missing. The error policy refuses the save; object trump and overwrite insert the row again \
      (Apple does not document this); store trump and rollback drop the edit and the object \
      without an error. A child's save does not look for the row, and the child never learns what \
      its parent's save finds.
      """,
    given: "one article; the first context batch-deletes its row, the second holds and edits it",
    guide: "05-conflicts.md",
    next: [.matrix("ghost")])

  private static let ghost = Outcome(
    "GHOST", .forbidden,
    "the edit's save succeeded and its object is still shown, but there is no row")
  private static let revived = Outcome(
    "REVIVED", .forbidden, "the edit was saved and brought the row back")
  private static let dropped = Outcome(
    "DROPPED", .forbidden, "the edit's save succeeded, but edit and object were dropped")
  private static let stuck = Outcome(
    "STUCK", .forbidden, "the edit's save succeeded, but a parent's save of the edit was refused")
  private static let refused = Outcome("REFUSED", .accepted, "the edit's save was refused")
  private static let gone = Outcome("GONE", .accepted, "nothing was edited after the delete")

  static let outcomes = [ghost, stuck, revived, dropped, refused, gone]

  @MainActor static func given(_ world: World) async throws {
    Article(context: world.container.viewContext).name = "Held"
    try world.container.viewContext.save()
  }

  @MainActor static func program(_ world: World, _ pair: Pair) async throws {
    let (first, second) = (pair.first, pair.second)
    try await second.perform { try second.hold() }
    try await pair.both(
      first: {
        _ = try await first.perform {
          try first.execute(NSBatchDeleteRequest(fetchRequest: Article.fetchRequest()))
        }
      },
      second: {
        await second.save("second", world) {
          let rows = try world.storedRows(of: "Article")
          for held in second.heldArticles {
            world.observe("edited", rows == 0 ? "after" : "before")
            held.views += 1
          }
        }
        await second.perform {
          let isShown = second.heldArticles.contains { !$0.isDeleted && $0.name == "Held" }
          world.observe("shown", isShown ? "yes" : "no")
        }
      })
  }

  static func observed(_ run: Observation) throws -> Outcome {
    if try run.storedRows(of: "Article") > 0 { return revived }
    if try run.refusals() > 0 { return refused }
    if run.text("later") == "refused" { return stuck }
    if run.text("edited") != "after" { return gone }
    return run.text("shown") == "yes" ? ghost : dropped
  }
}
