import CoreData
import PlaygroundKit

/// One context changes a price, the other orders at the price that it holds.
enum StaleReadInMatrix: MatrixScenario {
  static let card = Card(
    103, "matrix-stale-read", "Stale read", part: .merging,
    claim: "A context acts on a value after another context has saved a newer one.",
    question: "In which set-ups can an order be made at an old price?",
    why: """
      A context keeps the values that it has read until it merges or refreshes, whatever its merge \
      policy is. Only main is never behind its own child, which saves into main's own objects.
      """,
    given:
      "both contexts hold an article that costs 5; one sets 6, the other orders at its own price",
    guide: "05-conflicts.md",
    next: [.matrix("stale-read")])

  private static let stale = Outcome("STALE", .forbidden, "ordered for 5 when the file said 6")
  private static let refused = Outcome("REFUSED", .accepted, "the order was refused")
  private static let current = Outcome(
    "CURRENT", .accepted, "ordered at the price in the file, or at a newer one")

  static let outcomes = [stale, refused, current]

  @MainActor static func given(_ world: World) async throws {
    Article(context: world.container.viewContext).views = 5
    try world.container.viewContext.save()
  }

  @MainActor static func program(_ world: World, _ pair: Pair) async throws {
    let (first, second) = (pair.first, pair.second)
    for context in [first, second] { try await context.perform { try context.hold() } }
    try await pair.both(
      first: {
        await first.save("first", world) {
          for article in first.heldArticles { article.views = 6 }
        }
      },
      second: {
        await second.save("second", world) {
          let saved = try world.stored("SELECT ZVIEWS FROM ZARTICLE").first?.first
          guard let held = second.heldArticles.first?.views else { return }
          Category(context: second).name = saved == "6" && held == 5 ? "stale" : "current"
        }
      })
  }

  static func observed(_ run: Observation) throws -> Outcome {
    if try run.stored("SELECT ZNAME FROM ZCATEGORY").first == ["stale"] { return stale }
    return try run.refusals() == 0 ? current : refused
  }
}
