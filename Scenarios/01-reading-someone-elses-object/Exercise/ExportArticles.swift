import CoreData
import PlaygroundKit

/// An export reads what the screen shows, while the screen is brought up to date.
///
/// `Scenarios/01-reading-someone-elses-object/Exercise/Screen.swift` has the screen and the notes.
@MainActor func yours(_ world: World) async throws {
  let shown = try await screen(world)
  let export = world.container.newBackgroundContext()

  async let lines = exportedLines(of: shown, in: export)
  refresh(shown)
  note(try await lines, world)

  let first = try await firstArticle(in: export)
  let headline = first?.name ?? ""
  let words = try await words(in: shown)
  world.observe("headline", "\(headline), \(words) words")
}

/// One line for each article: its name and its revision.
///
/// TODO: These are the view context's objects, and the block runs on the export's queue.
func exportedLines(
  of shown: [Article], in export: NSManagedObjectContext
) async throws -> [String] {
  await export.perform { shown.map { line(of: $0) } }
}

/// The first article of the export, whose name is its headline.
///
/// TODO: This is an object of the export's context, and its caller is on the main thread.
func firstArticle(in export: NSManagedObjectContext) async throws -> Article? {
  try await export.perform { try export.fetch(Article.fetchRequest()).first }
}

/// How many words the articles on the screen have.
///
/// TODO: Only `@MainActor` or a block of the view context runs on the main thread. This function
/// is neither, although its caller is on the main thread.
func words(in shown: [Article]) async throws -> Int {
  shown.reduce(0) { $0 + ($1.content ?? "").split(separator: " ").count }
}

/// The line of an article.
func line(of article: Article) -> String { "\(article.name ?? ""), \(article.views)" }
