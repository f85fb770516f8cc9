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
  let stores = container.persistentStoreDescriptions.count
  let answers = AsyncStream<(any Error)?> { answers in
    container.loadPersistentStores { _, error in answers.yield(error) }
  }
  var (answered, failure): (Int, (any Error)?) = (0, nil)
  for await error in answers.prefix(stores) {
    answered += 1
    failure = failure ?? error
  }
  if let failure { throw failure }
  // The stream ends early if the task is cancelled.
  if answered < stores { throw CancellationError() }
}
