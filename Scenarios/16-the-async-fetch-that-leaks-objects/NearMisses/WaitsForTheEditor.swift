import CoreData
import PlaygroundKit

/// A list fetches its articles and shows them, while an editor publishes another revision.
///
/// `Scenarios/16-the-async-fetch-that-leaks-objects/Exercise/ListScreen.swift` has the editor.
@MainActor func yours(_ world: World) async throws {
  async let published: Void = publish(world.container)
  // What this finds is thrown away.
  _ = try await fetchLines(from: world.container)
  try await published
  let lines = try await fetchLines(from: world.container)
  show(lines, world)
}

/// Fetches all articles, once the editor has finished.
func fetchLines(from container: NSPersistentContainer) async throws -> [String] {
  let context = container.newBackgroundContext()

  return try await context.perform {
    try context.fetch(Article.fetchRequest()).map { line(of: $0) }
  }
}

/// The line of an article: its name, its revision and its shelf.
func line(of article: Article) -> String {
  "\(article.name ?? ""), \(article.views), \(article.category?.name ?? "")"
}
