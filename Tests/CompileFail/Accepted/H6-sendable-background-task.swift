// H6: a background task that is marked @Sendable may be started anywhere.
// Swift 6: accepted

import CoreData

@MainActor func save(_ container: NSPersistentContainer) async throws {
  try await container.performBackgroundTask { @Sendable context in try context.save() }
}
