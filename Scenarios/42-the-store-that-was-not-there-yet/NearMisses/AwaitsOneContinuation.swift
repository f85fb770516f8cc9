import CoreData
import PlaygroundKit

/// An app is launched with both of its stores, and again with one of them missing.
///
/// `Scenarios/42-the-store-that-was-not-there-yet/Exercise/Launches.swift` has the app.
@MainActor func yours(_ world: World) async throws {
  try await App.launchTwice(world) { try await openStores($0) }
}

/// A container in which each of these stores is loaded.
///
/// - Throws: the error of a store that cannot be opened.
@MainActor func openStores(
  _ descriptions: [NSPersistentStoreDescription]
) async throws -> NSPersistentContainer {
  let container = NSPersistentContainer(name: "App", managedObjectModel: Library.model)
  container.persistentStoreDescriptions = descriptions
  try await load(container)
  return container
}

/// Loads the stores of a container.
func load(_ container: NSPersistentContainer) async throws {
  try await withCheckedThrowingContinuation { (loaded: CheckedContinuation<Void, any Error>) in
    container.loadPersistentStores { _, error in
      if let error { loaded.resume(throwing: error) } else { loaded.resume() }
    }
  }
}
