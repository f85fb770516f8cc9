import CoreData
import PlaygroundKit

/// Several tasks count the same article in one context.
///
/// `Scenarios/02-writing-from-the-wrong-queue/Exercise/Tasks.swift` has the tasks.
@MainActor func yours(_ world: World) async throws {
  try await Tasks.count(world) { try addOne(to: $0, in: $1) }
}

/// A context that nothing is stored in: its queue is a lock.
nonisolated(unsafe) private let gate = NSManagedObjectContext(
  concurrencyType: .privateQueueConcurrencyType)

/// Adds one to the views of an article, and returns the new number.
func addOne(to id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> Int64 {
  try gate.performAndWait {
    let views = try context.performAndWait {
      (try context.existingObject(with: id) as? Article)?.views ?? 0
    }
    try context.performAndWait {
      (try context.existingObject(with: id) as? Article)?.views = views + 1
    }
    return views + 1
  }
}
