import CoreData
import PlaygroundKit

/// A list fetches its articles and shows them, while an editor publishes another revision.
///
/// `Scenarios/16-the-async-fetch-that-leaks-objects/Exercise/ListScreen.swift` has the editor.
@MainActor func yours(_ world: World) async throws {
  async let published: Void = publish(world.container)
  let context = world.container.newBackgroundContext()
  let articles = try await fetchArticles(in: context)
  let lines = articles.map { line(of: $0) }
  withExtendedLifetime(context) {}
  try await published
  show(lines, world)
}

/// Fetches all articles, in a context that the caller keeps.
func fetchArticles(in context: NSManagedObjectContext) async throws -> [Article] {
  try await context.perform {
    let fetchRequest = Article.fetchRequest()
    fetchRequest.returnsObjectsAsFaults = false
    return try context.fetch(fetchRequest)
  }
}

/// The line of an article: its name, its revision and its shelf.
func line(of article: Article) -> String {
  "\(article.name ?? ""), \(article.views), \(article.category?.name ?? "")"
}
