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
/// Merges each save at once, on the queue that saves.
@MainActor final class ShownList {
  private let screen: NSManagedObjectContext
  private var articles: [Article] = []
  nonisolated(unsafe) private let token: any NSObjectProtocol

  init(_ screen: NSManagedObjectContext) {
    self.screen = screen
    // The block runs where the import saves, which is not the queue of the screen's context.
    token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil, queue: nil
    ) { save in screen.mergeChanges(fromContextDidSave: save) }
  }

  deinit { NotificationCenter.default.removeObserver(token) }

  /// The rows at this moment; it is called before the first import and after each save.
  func rows() throws -> [Article] {
    articles = try screen.fetch(Article.fetchRequest())
    return articles
  }
}
