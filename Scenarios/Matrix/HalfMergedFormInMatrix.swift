import CoreData
import PlaygroundKit

/// A form is edited field by field while another context saves the same row, and merges by itself.
enum HalfMergedFormInMatrix: MatrixScenario {
  static let card = Card(
    106, "matrix-half-merged-form", "Half-merged form", part: .merging,
    claim:
      "A form is saved with some fields as its user saw them, and some that arrived meanwhile.",
    question: "In which set-ups can a row have fields of two saves?",
    why: """
      A merge keeps the fields that were edited, takes the others, and takes the new version with \
      them: the save then finds no conflict that a policy could settle. A child hands its parent \
      single fields.
      """,
    given: "one article; the first context saves three fields, the second is a form that merges",
    guide: "05-conflicts.md",
    next: [.matrix("half-merged-form")])

  private static let half = Outcome(
    "HALF", .forbidden, "the row has fields of both saves, and nobody was told")
  private static let refused = Outcome("REFUSED", .accepted, "one of both was refused")
  private static let whole = Outcome("WHOLE", .accepted, "the row is as one of both saw it")

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
