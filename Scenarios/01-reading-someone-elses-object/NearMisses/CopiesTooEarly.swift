import CoreData
import PlaygroundKit

/// An export reads what the screen shows, while the screen is brought up to date.
///
/// `Scenarios/01-reading-someone-elses-object/Exercise/Screen.swift` has the screen and the notes.
@MainActor func yours(_ world: World) async throws {
  let shown = try await screen(world)
  let export = world.container.newBackgroundContext()

  let copies = shown.map { line(of: $0) }
  async let lines = exportedLines(of: copies, in: export)
  refresh(shown)
  note(try await lines, world)

  let headline = try await headline(in: export)
  let words = try await words(in: shown)
  world.observe("headline", "\(headline), \(words) words")
}

/// The lines are values, which may go anywhere; they were read before the screen was up to date.
func exportedLines(
  of copies: [String], in export: NSManagedObjectContext
) async throws -> [String] {
  await export.perform { copies }
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
