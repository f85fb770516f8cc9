import CoreData
import PlaygroundKit

/// Fills a form, queues an autosave of it, calls `saveToStore`, and kills the process.
///
/// `Scenarios/31-child-save-not-on-disk/Exercise/Forms.swift` makes the form and its parents.
@MainActor func yours(_ world: World) async throws {
  try await Forms.save(world, with: saveToStore)
}

/// After the autosave the form has nothing to save, but its parent has.
func saveToStore(_ context: NSManagedObjectContext) async throws {
  let hasChanges = try await context.perform {
    guard context.hasChanges else { return false }
    try context.save()
    return true
  }
  if hasChanges, let parent = context.parent { try await saveToStore(parent) }
}
