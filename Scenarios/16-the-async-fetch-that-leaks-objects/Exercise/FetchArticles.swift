import CoreData
import PlaygroundKit

/// A list fetches its articles and shows them, while an editor publishes another revision.
///
/// `Scenarios/16-the-async-fetch-that-leaks-objects/Exercise/ListScreen.swift` has the editor.
@MainActor func yours(_ world: World) async throws {
  async let published: Void = publish(world.container)
  let articles = try await fetchArticles(from: world.container)
  let lines = articles.map { line(of: $0) }
  try await published
  show(lines, world)
}

/// Fetches all articles.
///
/// TODO: This function is in a guide that many people follow. What does it return?
func fetchArticles(from container: NSPersistentContainer) async throws -> [Article] {
  let context = container.newBackgroundContext()

  return try await context.perform {
    let fetchRequest = Article.fetchRequest()
    return try context.fetch(fetchRequest)
  }
}

/// The line of an article: its name, its revision and its shelf.
func line(of article: Article) -> String {
  "\(article.name ?? ""), \(article.views), \(article.category?.name ?? "")"
}
