import CoreData
import PlaygroundKit

/// Fills a form, queues an autosave of it, calls `saveToStore`, and kills the process.
///
/// `Scenarios/31-child-save-not-on-disk/Exercise/Forms.swift` makes the form and its parents.
@MainActor func yours(_ world: World) async throws {
  try await Forms.save(world, with: saveToStore)
}

/// If the store refuses a save, the caller believes that everything is stored.
func saveToStore(_ context: NSManagedObjectContext) async throws {
  var level: NSManagedObjectContext? = context
  while let next = level {
    await next.perform { try? next.save() }
    level = next.parent
  }
}
