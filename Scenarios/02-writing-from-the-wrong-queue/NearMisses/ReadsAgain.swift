import CoreData
import PlaygroundKit

/// Several tasks count the same article in one context.
///
/// `Scenarios/02-writing-from-the-wrong-queue/Exercise/Tasks.swift` has the tasks.
@MainActor func yours(_ world: World) async throws {
  try await Tasks.count(world) { try addOne(to: $0, in: $1) }
}

/// Adds one to the views of an article, and returns the number that it has a moment later.
func addOne(to id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> Int64 {
  try context.performAndWait {
    (try context.existingObject(with: id) as? Article)?.views += 1
  }
  return try context.performAndWait {
    (try context.existingObject(with: id) as? Article)?.views ?? 0
  }
}
