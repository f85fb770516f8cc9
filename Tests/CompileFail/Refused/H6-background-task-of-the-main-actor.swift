// H6: on the main actor the same block belongs to that actor, unless it is marked @Sendable.
// Swift 6: error: sending value of non-Sendable type '(NSManagedObjectContext) throws -> ()'
// Swift 5: accepted

import CoreData

@MainActor func save(_ container: NSPersistentContainer) async throws {
  try await container.performBackgroundTask { context in try context.save() }
}
