import CoreData
import PlaygroundKit

/// A list fetches its articles and shows them, while an editor publishes another revision.
///
/// `Scenarios/16-the-async-fetch-that-leaks-objects/Exercise/ListScreen.swift` has the editor.
@MainActor func yours(_ world: World) async throws {
  async let published: Void = publish(world.container)
  let articles = try await fetchArticles(from: world.container)
  let lines = articles.all.map { line(of: $0) }
  try await published
  show(lines, world)
}

/// The compiler believes this, and the objects stay where they were.
struct Articles: @unchecked Sendable {
  let all: [Article]
  let context: NSManagedObjectContext
}

/// Fetches all articles.
func fetchArticles(from container: NSPersistentContainer) async throws -> Articles {
  let context = container.newBackgroundContext()

  return try await context.perform {
    let fetchRequest = Article.fetchRequest()
    fetchRequest.returnsObjectsAsFaults = false
    return Articles(all: try context.fetch(fetchRequest), context: context)
  }
}

/// The line of an article: its name, its revision and its shelf.
func line(of article: Article) -> String {
  "\(article.name ?? ""), \(article.views), \(article.category?.name ?? "")"
}
