import CoreData
import PlaygroundKit

/// A context for articles and one for shelves.
enum Contexts {
  /// Opens both; each has unsaved changes of what the other one is to be asked for.
  ///
  /// So the title is right in `articles` only, and the shelf's name in `shelves` only.
  @MainActor static func open(
    _ world: World
  ) async throws -> (articles: NSManagedObjectContext, shelves: NSManagedObjectContext) {
    let articles = world.container.newBackgroundContext()
    let shelves = world.container.newBackgroundContext()
    articles.name = "articles"
    shelves.name = "shelves"
    try await articles.perform {
      for shelf in try articles.fetch(Category.fetchRequest()) { shelf.name = "a draft" }
    }
    try await shelves.perform {
      for article in try shelves.fetch(Article.fetchRequest()) { article.name = "a draft" }
    }
    return (articles, shelves)
  }
}
