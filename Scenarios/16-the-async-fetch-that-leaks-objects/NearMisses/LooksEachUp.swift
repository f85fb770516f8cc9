import CoreData
import PlaygroundKit

/// A list fetches its articles and shows them, while an editor publishes another revision.
///
/// `Scenarios/16-the-async-fetch-that-leaks-objects/Exercise/ListScreen.swift` has the editor.
@MainActor func yours(_ world: World) async throws {
  async let published: Void = publish(world.container)
  let ids = try await fetchIDs(from: world.container)
  let screen = world.container.viewContext
  let lines = try ids.map { id in
    // Each of these lookups sees the store at another moment.
    let article = try screen.existingObject(with: id) as? Article
    return article.map { line(of: $0) } ?? ""
  }
  try await published
  show(lines, world)
}

/// The ids of all articles.
func fetchIDs(from container: NSPersistentContainer) async throws -> [NSManagedObjectID] {
  let context = container.newBackgroundContext()

  return try await context.perform {
    try context.fetch(Article.fetchRequest()).map(\.objectID)
  }
}

/// The line of an article: its name, its revision and its shelf.
func line(of article: Article) -> String {
  "\(article.name ?? ""), \(article.views), \(article.category?.name ?? "")"
}
