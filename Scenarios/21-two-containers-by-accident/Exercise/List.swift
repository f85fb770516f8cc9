import CoreData
import PlaygroundKit

/// What the user sees: one article and the number of its readers.
@MainActor final class List {
  private let world: World
  private let context: NSManagedObjectContext
  private let article: Article

  /// Shows the article of a container, in a context that merges automatically.
  init(_ container: NSPersistentContainer, _ world: World) throws {
    self.world = world
    context = container.viewContext
    context.automaticallyMergesChangesFromParent = true
    article = try context.fetch(Article.fetchRequest())[0]
    _ = article.views
  }

  /// Counts one more reader, beside those that the screen shows.
  func openArticle() async throws {
    // After the merges that the main queue holds.
    await context.perform(schedule: .enqueued) {}
    world.observe("readers on the screen", Int(article.views))
    article.views += 1
    try context.save()
  }
}
