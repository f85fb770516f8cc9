import CoreData
import PlaygroundKit

/// Contexts are saved from the main thread, from global queues, from blocks and from tasks.
///
/// `Scenarios/04-saving-the-view-context-from-a-global-queue/Exercise/Callers.swift` calls both.
@MainActor func yours(_ world: World) async throws {
  try await Callers.callAll(world, { try saveSafely($0) }, { try await saveSafely($0) })
}

/// Saves a context from any thread.
func saveSafely(_ context: NSManagedObjectContext) throws {
  try context.performAndWait { try context.save() }
}

/// Starts to save it, and returns.
func saveSafely(_ context: NSManagedObjectContext) async throws {
  let start = { context.perform { try? context.save() } }
  start()
}
