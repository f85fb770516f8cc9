import CoreData
import PlaygroundKit

/// Imports save in the background while a list is on the screen.
///
/// `Scenarios/18-the-save-that-was-not-heard/Exercise/Imports.swift` runs them.
@MainActor func yours(_ world: World) async throws {
  try await Imports(world).run(ShownList(world.container.viewContext))
}

/// What the screen shows: every article.
///
/// Knows by its name which article no import touches.
@MainActor final class ShownList {
  private let screen: NSManagedObjectContext
  private var articles: [Article] = []

  init(_ screen: NSManagedObjectContext) { self.screen = screen }

  /// The rows at this moment; it is called before the first import and after each save.
  func rows() throws -> [Article] {
    for article in try screen.fetch(Article.fetchRequest()) where article.name != "left" {
      screen.refresh(article, mergeChanges: true)
    }
    articles = try screen.fetch(Article.fetchRequest())
    return articles
  }
}
