import CoreData
import PlaygroundKit

/// Fills a form, queues an autosave of it, calls `saveToStore`, and kills the process.
///
/// `Scenarios/31-child-save-not-on-disk/Exercise/Forms.swift` makes the form and its parents.
@MainActor func yours(_ world: World) async throws {
  try await Forms.save(world, with: saveToStore)
}

/// A child's save seems to reach no file, and so to have no error; but it validates.
func saveToStore(_ context: NSManagedObjectContext) async throws {
  var level: NSManagedObjectContext? = context
  while let next = level {
    level = next.parent
    if level == nil {
      try await next.perform { try next.save() }
    } else {
      await next.perform { try? next.save() }
    }
  }
}
