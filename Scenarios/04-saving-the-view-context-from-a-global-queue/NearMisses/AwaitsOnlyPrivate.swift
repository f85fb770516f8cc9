import CoreData
import PlaygroundKit

/// Contexts are saved from the main thread, from global queues, from blocks and from tasks.
///
/// `Scenarios/04-saving-the-view-context-from-a-global-queue/Exercise/Callers.swift` calls both.
@MainActor func yours(_ world: World) async throws {
  try await Callers.callAll(world, { try saveSafely($0) }, { try await saveSafely($0) })
}

/// Saves a context from any thread that its queue does not wait for, and returns when it is saved.
func saveSafely(_ context: NSManagedObjectContext) throws {
  try context.performAndWait { try context.save() }
}

/// The same for callers that can await it.
func saveSafely(_ context: NSManagedObjectContext) async throws {
  // The view context is main's, and this function is not on main.
  if context.concurrencyType == .mainQueueConcurrencyType { return try context.save() }
  try await context.perform { try context.save() }
}
