import CoreData
import PlaygroundKit

/// A form that merges automatically is edited while another context saves the same row.
enum HalfMergedFormInMatrix: MatrixScenario {
  static let card = Card(
    106, "matrix-half-merged-form", "Half-merged form", part: .merging,
    claim: "A form saves some fields as its user saw them, and some that another save changed.",
    question: "In which set-ups can a row have fields of two saves?",
    why: """
      A merge keeps the edited fields and takes the other fields and the new version from the \
      file. The form's save then finds no conflict for a policy to decide. A child's save \
      passes only the changed fields to its parent.
      """,
    given: "one article; the first context saves three fields, the second is a form that merges it",
    guide: "05-conflicts.md",
    next: [.matrix("half-merged-form")])

  private static let half = Outcome(
    "HALF", .forbidden, "the row has fields of both saves, and no save reported an error")
  private static let refused = Outcome("REFUSED", .accepted, "one of the two saves was refused")
  private static let whole = Outcome(
    "WHOLE", .accepted, "the row is as one of the two contexts saw it")

  static let outcomes = [half, refused, whole]

  @MainActor static func given(_ world: World) async throws {
    let article = Article(context: world.container.viewContext)
    (article.name, article.content) = ("old", "old")
    try world.container.viewContext.save()
  }

  @MainActor static func program(_ world: World, _ pair: Pair) async throws {
    let (first, form) = (pair.first, pair.second)
    form.automaticallyMergesChangesFromParent = true
    try await pair.both(
      first: {
        await first.save("first", world) {
          for article in try first.articles() {
            (article.name, article.content, article.views) = ("import", "import", 1)
          }
        }
      },
      second: {
        try await form.perform {
          try form.hold()
          for article in form.heldArticles {
            world.observe("seen", Int(article.views))
            article.name = "form"
          }
        }
        await form.save("second", world) {
          for article in form.heldArticles { article.content = "form" }
        }
      })
  }

  static func observed(_ run: Observation) throws -> Outcome {
    let row = try run.stored("SELECT ZNAME, ZCONTENT, ZVIEWS FROM ZARTICLE").first ?? []
    let seen = run.number("seen") ?? 0
    if row != ["import", "import", "1"], row != ["form", "form", "\(seen)"] { return half }
    return try run.refusals() == 0 ? whole : refused
  }
}
