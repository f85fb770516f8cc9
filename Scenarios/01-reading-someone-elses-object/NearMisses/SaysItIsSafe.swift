import CoreData
import PlaygroundKit

/// An export reads what the screen shows, while the screen is brought up to date.
///
/// `Scenarios/01-reading-someone-elses-object/Exercise/Screen.swift` has the screen and the notes.
@MainActor func yours(_ world: World) async throws {
  let shown = try await screen(world)
  let export = world.container.newBackgroundContext()

  async let lines = exportedLines(of: Unchecked(articles: shown), in: export)
  refresh(shown)
  note(try await lines, world)

  let headline = try await headline(in: export)
  let words = try await words(in: shown)
  world.observe("headline", "\(headline), \(words) words")
}

/// The compiler believes this, and the object belongs to the view context as before.
struct Unchecked: @unchecked Sendable {
  let articles: [Article]
}

/// One line for each article: its name and its revision.
func exportedLines(
  of shown: Unchecked, in export: NSManagedObjectContext
) async throws -> [String] {
  await export.perform { shown.articles.map { line(of: $0) } }
}

/// The headline of the export: the name of its first article.
func headline(in export: NSManagedObjectContext) async throws -> String {
  try await export.perform { try export.fetch(Article.fetchRequest()).first?.name ?? "" }
}

/// How many words the articles on the screen have.
@MainActor func words(in shown: [Article]) async throws -> Int {
  shown.reduce(0) { $0 + ($1.content ?? "").split(separator: " ").count }
}

/// The line of an article.
func line(of article: Article) -> String { "\(article.name ?? ""), \(article.views)" }
