import CoreData
import PlaygroundKit

/// Several writers add to the views of one article, one block at a time in one context.
@MainActor func yours(_ world: World) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    let context = world.container.newBackgroundContext()
    for increments in shares(of: world) {
      group.addTask {
        for _ in 1...increments {
          try await context.perform { try addOne(in: context) }
        }
      }
    }
    try await group.waitForAll()
  }
}

/// Nothing is lost, because a queue runs one block at a time; and no two writers work at the same
/// time.
func addOne(in context: NSManagedObjectContext) throws {
  for article in try context.fetch(Article.fetchRequest()) {
    article.views += 1
    try context.save()
  }
}
