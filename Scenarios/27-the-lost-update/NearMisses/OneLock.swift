import CoreData
import PlaygroundKit

/// Several writers add to the views of one article, each in its own context.
///
/// `Scenarios/27-the-lost-update/Exercise/Shares.swift` says how often each of them adds one.
@MainActor func yours(_ world: World) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for increments in shares(of: world) {
      let context = world.container.newBackgroundContext()
      group.addTask {
        for _ in 1...increments {
          try await context.perform { try addOne(in: context) }
        }
      }
    }
    try await group.waitForAll()
  }
}

private let lock = NSLock()

/// No two writers of this process are between the fetch and the save at once; another process knows
/// nothing of the lock.
func addOne(in context: NSManagedObjectContext) throws {
  lock.lock()
  defer { lock.unlock() }
  context.reset()
  for article in try context.fetch(Article.fetchRequest()) {
    article.views += 1
    try context.save()
  }
}
