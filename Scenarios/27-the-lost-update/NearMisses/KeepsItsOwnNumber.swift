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

/// The refusal is caught, but a refresh that merges keeps the number that was computed from the old
/// one.
func addOne(in context: NSManagedObjectContext) throws {
  context.mergePolicy = NSMergePolicy.error
  for article in try context.fetch(Article.fetchRequest()) {
    article.views += 1
    do {
      try context.save()
    } catch let error as CocoaError where error.code == .managedObjectMerge {
      context.refresh(article, mergeChanges: true)
      try context.save()
    }
  }
}
