import CoreData
import PlaygroundKit

/// Two contexts each rely on the row that the other one changes.
enum WriteSkewInMatrix: MatrixScenario {
  static let card = Card(
    102, "matrix-write-skew", "Write skew", part: .conflicts,
    claim: "Each context takes one article down because the other is up; neither stays up.",
    question: "In which set-ups can both articles be taken down?",
    why: """
      Each context changed one row and relied on the other: write skew (Adya: G2-item). No save \
      checks a row that was only read, so no merge policy is asked.
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
