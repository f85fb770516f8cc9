import CoreData
import PlaygroundKit

/// Three contexts that hold all articles: the screen's and two private ones.
enum Contexts {
  /// Runs the clean-up, and notes what each context holds afterwards and what the clean-up cost.
  @MainActor static func hold(
    _ world: World,
    cleanUp:
      @escaping @Sendable (
        _ cleaner: NSManagedObjectContext, _ contexts: [NSManagedObjectContext]
      ) async throws -> Void
  ) async throws {
    let container = world.container
    let contexts = [
      container.viewContext, container.newBackgroundContext(), container.newBackgroundContext(),
    ]
    for context in contexts {
      context.automaticallyMergesChangesFromParent = true
      try await context.perform {
        context.retainsRegisteredObjects = true
        for article in try context.fetch(Article.fetchRequest()) { _ = article.views }
      }
    }
    let cleaner = container.newBackgroundContext()
    try await cleanUp(cleaner, contexts)
    var (ghosts, others): ([String], [String]) = ([], [])
    for context in contexts {
      let (read, other) = await context.perform(schedule: .enqueued) {
        let held = context.registeredObjects.compactMap { $0 as? Article }.filter { !$0.isDeleted }
        return (held.count { $0.views > 0 }, held.count { $0.views == 0 })
      }
      ghosts.append("\(read)")
      others.append("\(other)")
    }
    world.observe("objects without a row", ghosts.joined(separator: ", "))
    world.observe("other objects", others.joined(separator: ", "))
    let left = ghosts.contains { $0 != "0" } ? 1 : 0
    world.observe("on the screen", left)
    world.observe("in the index", left)
  }
}
