import CoreData
import PlaygroundKit

/// Two contexts rely on each other's row, and each changes its own.
enum WriteSkewInMatrix: MatrixScenario {
  static let card = Card(
    102, "matrix-write-skew", "Write skew", part: .conflicts,
    claim: "Each takes one of two articles down because the other is up, and both are down.",
    question: "In which set-ups can both articles be taken down?",
    why: """
      Each wrote a row that nobody else wrote, and relied on one that somebody did. No save \
      compares what was only read, so no policy is asked.
      """,
    given: "two articles, of which one must stay up; two contexts take one down each",
    guide: "05-conflicts.md#28",
    next: [.matrix("write-skew")])

  private static let bothDown = Outcome("BOTH DOWN", .forbidden, "both articles are down")
  private static let oneUp = Outcome("ONE UP", .accepted, "one article is still up")

  static let outcomes = [bothDown, oneUp]

  @MainActor static func given(_ world: World) async throws {
    for name in ["first", "second"] {
      let article = Article(context: world.container.viewContext)
      article.name = name
      article.views = 1
    }
    try world.container.viewContext.save()
  }

  @MainActor static func program(_ world: World, _ pair: Pair) async throws {
    try await pair.both(
      world, first: { try takeDown("first", pair.first) },
      second: { try takeDown("second", pair.second) })
  }

  private static func takeDown(_ name: String, _ context: NSManagedObjectContext) throws {
    let up = try context.articles().filter { $0.views == 1 }
    if up.count == 2 { up.first { $0.name == name }?.views = 0 }
  }

  static func observed(_ run: Observation) throws -> Outcome {
    try run.stored("SELECT 1 FROM ZARTICLE WHERE ZVIEWS = 1").isEmpty ? bothDown : oneUp
  }
}
