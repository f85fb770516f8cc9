import CoreData
import PlaygroundKit

/// Fills a form, queues an autosave of it, calls `saveToStore`, and kills the process.
///
/// `Scenarios/31-child-save-not-on-disk/Exercise/Forms.swift` makes the form and its parents.
@MainActor func yours(_ world: World) async throws {
  try await Forms.save(world, with: saveToStore)
}

/// The form, the context of the screen, the context that writes: and what if there is one more?
func saveToStore(_ context: NSManagedObjectContext) async throws {
  try await context.perform { try context.save() }
  guard let screen = context.parent else { return }
  try await screen.perform { try screen.save() }
  guard let writer = screen.parent else { return }
  try await writer.perform { try writer.save() }
}
