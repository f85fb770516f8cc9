import CoreData
import PlaygroundKit

/// Fills a form, queues an autosave of it, calls `saveToStore`, and kills the process.
///
/// `Scenarios/31-child-save-not-on-disk/Exercise/Forms.swift` makes the form and its parents.
@MainActor func yours(_ world: World) async throws {
  try await Forms.save(world, with: saveToStore)
}

/// Returns when everything that was unsaved in the context is in the store.
func saveToStore(_ context: NSManagedObjectContext) async throws {
  // TODO: This hands the changes to the parent. The parent may have a parent too, and each of them
  // has a queue of its own, private or main.
  try await context.perform { try context.save() }
}
