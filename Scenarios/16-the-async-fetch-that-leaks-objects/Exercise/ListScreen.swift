import CoreData
import PlaygroundKit

/// Publishes revision 2 of all articles, in a context of its own.
func publish(_ container: NSPersistentContainer) async throws {
  let editor = container.newBackgroundContext()
  try await editor.perform {
    for article in try editor.fetch(Article.fetchRequest()) {
      (article.name, article.views) = ("Revision 2", 2)
    }
    try editor.save()
  }
}

/// Notes what the list shows.
@MainActor func show(_ lines: [String], _ world: World) {
  world.observe("list", lines.sorted().joined(separator: "; "))
  world.observe("of revision 1", lines.count { $0 == "Revision 1, 1, Shelf" })
  world.observe("of revision 2", lines.count { $0 == "Revision 2, 2, Shelf" })
  world.observe("the objects were read", "in their queue")
}
