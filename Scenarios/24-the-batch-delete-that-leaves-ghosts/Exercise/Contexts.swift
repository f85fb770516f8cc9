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
    var read: Set<NSManagedObjectID> = []
    for context in contexts {
      read = try await context.perform {
        context.automaticallyMergesChangesFromParent = true
        context.retainsRegisteredObjects = true
        return Set(
          try context.fetch(Article.fetchRequest()).filter { $0.views > 0 }.map(\.objectID))
      }
    }
    let cleaner = container.newBackgroundContext()
    // The screen's activity indicator.
    let spinner = Task { @MainActor in cleaner.performAndWait { cleaner.hasChanges } }
    try await cleanUp(cleaner, contexts)
    _ = await spinner.value
    var (ghosts, others): ([String], [String]) = ([], [])
    for context in contexts {
      let (ghost, other) = await context.perform(schedule: .enqueued) { [read] in
        // A deletion that is not saved is none.
        context.rollback()
        let held = context.registeredObjects.filter { !$0.isDeleted }
        let others = held.filter { !read.contains($0.objectID) }
        return (held.count - others.count, others.count { !$0.isFault })
      }
      ghosts.append("\(ghost)")
      others.append("\(other)")
    }
    world.observe("objects without a row", ghosts.joined(separator: ", "))
    world.observe("other objects", others.joined(separator: ", "))
    let left = ghosts.contains { $0 != "0" } ? 1 : 0
    world.observe("on the screen", left)
    world.observe("in the index", left)
  }
}
