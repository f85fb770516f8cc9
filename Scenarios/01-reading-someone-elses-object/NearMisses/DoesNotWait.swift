import CoreData
import PlaygroundKit

/// An export reads what the screen shows, while the screen is brought up to date.
///
/// `Scenarios/01-reading-someone-elses-object/Exercise/Screen.swift` has the screen and the notes.
@MainActor func yours(_ world: World) async throws {
  let shown = try await screen(world)
  let export = world.container.newBackgroundContext()

  let ids = shown.map(\.objectID)
  async let lines = exportedLines(of: ids, in: export)
  refresh(shown)
  note(try await lines, world)

  let headline = try await headline(in: export)
  let words = try words(in: shown, world.container.viewContext)
  world.observe("headline", "\(headline), \(words) words")
}

/// One line for each article: its name and its revision.
func exportedLines(
  of ids: [NSManagedObjectID], in export: NSManagedObjectContext
) async throws -> [String] {
  try await export.perform {
    try ids.compactMap { try export.existingObject(with: $0) as? Article }.map { line(of: $0) }
  }
}

/// The headline of the export: the name of its first article.
func headline(in export: NSManagedObjectContext) async throws -> String {
  try await export.perform { try export.fetch(Article.fetchRequest()).first?.name ?? "" }
}

/// How many words the articles on the screen have; the block counts them when this has returned.
@MainActor func words(in shown: [Article], _ context: NSManagedObjectContext) throws -> Int {
  let total = Total()
  context.perform {
    total.words = shown.reduce(0) { $0 + ($1.content ?? "").split(separator: " ").count }
  }
  return total.words
}

/// What the block has counted so far.
final class Total {
  var words = 0
}

/// The line of an article.
func line(of article: Article) -> String { "\(article.name ?? ""), \(article.views)" }
