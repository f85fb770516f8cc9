import CoreData
import PlaygroundKit

/// Fills a form, queues an autosave of it, calls `saveToStore`, and kills the process.
///
/// `Scenarios/31-child-save-not-on-disk/Exercise/Forms.swift` makes the form and its parents.
@MainActor func yours(_ world: World) async throws {
  try await Forms.save(world, with: saveToStore)
}

/// The parents are saved inside the queue of the child, which is not theirs.
func saveToStore(_ context: NSManagedObjectContext) async throws {
  try await context.perform {
    var level: NSManagedObjectContext? = context
    while let next = level {
      try next.save()
      level = next.parent
    }
  }
}
