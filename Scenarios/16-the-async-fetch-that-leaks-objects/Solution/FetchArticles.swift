import CoreData
import PlaygroundKit

/// A list fetches its articles and shows them, while an editor publishes another revision.
///
/// `Scenarios/16-the-async-fetch-that-leaks-objects/Exercise/ListScreen.swift` has the editor.
@MainActor func yours(_ world: World) async throws {
  async let published: Void = publish(world.container)
  let lines = try await fetchLines(from: world.container)
  try await published
  show(lines, world)
}

/// Fetches all articles, and makes a line of each.
func fetchLines(from container: NSPersistentContainer) async throws -> [String] {
  let context = container.newBackgroundContext()

  return try await context.perform {
    let fetchRequest = Article.fetchRequest()
    // Reads all articles' rows at one moment. The shelf is another row, which nothing changes.
    fetchRequest.returnsObjectsAsFaults = false
    return try context.fetch(fetchRequest).map { line(of: $0) }
  }
}

/// The line of an article: its name, its revision and its shelf.
func line(of article: Article) -> String {
  "\(article.name ?? ""), \(article.views), \(article.category?.name ?? "")"
}
