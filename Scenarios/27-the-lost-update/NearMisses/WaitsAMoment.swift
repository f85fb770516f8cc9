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

/// A pause makes the race rarer on this machine, and no order impossible.
func addOne(in context: NSManagedObjectContext) throws {
  context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  usleep(UInt32.random(in: 1...10))
  for article in try context.fetch(Article.fetchRequest()) {
    article.views += 1
    try context.save()
  }
}
