import CoreData
import PlaygroundKit

/// Fills a form, queues an autosave of it, calls `saveToStore`, and kills the process.
///
/// `Scenarios/31-child-save-not-on-disk/Exercise/Forms.swift` makes the form and its parents.
@MainActor func yours(_ world: World) async throws {
  try await Forms.save(world, with: saveToStore)
}

/// The parent is asked to save, and nothing waits until it has.
func saveToStore(_ context: NSManagedObjectContext) async throws {
  try await context.perform {
    try context.save()
    saveParent(of: context)
  }
}

/// Saves the context above, some time later.
func saveParent(of context: NSManagedObjectContext) {
  guard let parent = context.parent else { return }
  parent.perform {
    try? parent.save()
    saveParent(of: parent)
  }
}
