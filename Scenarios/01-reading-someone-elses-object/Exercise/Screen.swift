import CoreData
import PlaygroundKit

/// The articles on the screen, which shows revision 1; then an editor publishes a later one.
@MainActor func screen(_ world: World) async throws -> [Article] {
  let request = Article.fetchRequest()
  request.returnsObjectsAsFaults = false
  let shown = try world.container.viewContext.fetch(request)
  let editor = world.container.newBackgroundContext()
  let (revision, words) = (world["revision"], world["words"])
  try await editor.perform {
    for (index, article) in try editor.fetch(Article.fetchRequest()).enumerated() {
      article.name = "News \(index + 1), revision \(revision)"
      article.content = String(repeating: "word ", count: words)
      article.views = Int64(revision)
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

/// Notes the lines, and counts those that are of the new revision, of the old one, and of both.
@MainActor func note(_ lines: [String], _ world: World) {
  let revision = world["revision"]
  let old = lines.count { $0.hasSuffix("revision 1, 1") }
  let new = lines.count { $0.hasSuffix("revision \(revision), \(revision)") }
  world.observe("of revision \(revision)", new, of: world["articles"], section: "lines exported")
  world.observe("of revision 1, stale", old, good: old == 0, section: "lines exported")
  let torn = lines.count - old - new
  world.observe("of both, torn", torn, good: torn == 0, section: "lines exported")
  world.observe("export", lines.sorted().joined(separator: "; "))
}
