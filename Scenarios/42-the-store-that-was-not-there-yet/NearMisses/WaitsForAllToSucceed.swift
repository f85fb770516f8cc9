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

/// Resumes when every store is there.
func load(_ container: NSPersistentContainer) async throws {
  await withCheckedContinuation { (loaded: CheckedContinuation<Void, Never>) in
    var left = container.persistentStoreDescriptions.count
    container.loadPersistentStores { _, error in
      if error == nil { left -= 1 }
      if left == 0 { loaded.resume() }
    }
  }
}
