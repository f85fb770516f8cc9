import CoreData
import PlaygroundKit

/// An export reads what the screen shows, while the screen is brought up to date.
@MainActor func yours(_ world: World) async throws {
  let shown = try await screen(world)
  let export = world.container.newBackgroundContext()

  let ids = shown.map(\.objectID)
  async let lines = exportedLines(of: ids, in: export)
  refresh(shown)
  note(try await lines, world)

  let headline = try await headline(in: export)
  let words = try await words(in: shown)
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

/// How many words the articles on the screen have.
@MainActor func words(in shown: [Article]) async throws -> Int {
  shown.reduce(0) { $0 + ($1.content ?? "").split(separator: " ").count }
}

/// The line of an article.
func line(of article: Article) -> String { "\(article.name ?? ""), \(article.views)" }

// MARK: The screen, the editor and the notes belong to the exercise: leave them as they are.

/// The articles on the screen, which shows revision 1; then an editor publishes revision 2.
@MainActor func screen(_ world: World) async throws -> [Article] {
  let request = Article.fetchRequest()
  request.returnsObjectsAsFaults = false
  let shown = try world.container.viewContext.fetch(request)
  let editor = world.container.newBackgroundContext()
  let words = world["words"]
  try await editor.perform {
    for article in try editor.fetch(Article.fetchRequest()) {
      article.name = "An article of many words, revision 2"
      article.content = String(repeating: "word ", count: words)
      article.views = 2
    }
    try editor.save()
  }
  return shown
}

/// Brings the articles on the screen up to date, one after the other.
@MainActor func refresh(_ shown: [Article]) {
  for article in shown {
    article.managedObjectContext?.refresh(article, mergeChanges: false)
    _ = article.name
  }
}

/// Counts the lines that are of the new revision, of the old one, and of both.
@MainActor func note(_ lines: [String], _ world: World) {
  let old = lines.count { $0.hasSuffix("revision 1, 1") }
  let new = lines.count { $0.hasSuffix("revision 2, 2") }
  world.observe("of revision 2", new, of: world["articles"], section: "lines exported")
  world.observe("of revision 1, stale", old, good: old == 0, section: "lines exported")
  let torn = lines.count - old - new
  world.observe("of both, torn", torn, good: torn == 0, section: "lines exported")
}
