import CoreData
import PlaygroundKit

/// Fills a form, queues an autosave of it, calls `saveToStore`, and kills the process.
///
/// `Scenarios/31-child-save-not-on-disk/Exercise/Forms.swift` makes the form and its parents.
@MainActor func yours(_ world: World) async throws {
  try await Forms.save(world, with: saveToStore)
}

/// The main thread waits for the form's queue, where the autosave waits for the main thread.
@MainActor func saveToStore(_ context: NSManagedObjectContext) async throws {
  var level: NSManagedObjectContext? = context
  while let next = level {
    try next.performAndWait { try next.save() }
    level = next.parent
  }
}
