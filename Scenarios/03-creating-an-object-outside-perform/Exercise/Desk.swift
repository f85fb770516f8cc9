import CoreData
import Foundation
import PlaygroundKit

/// A desk at which a note is taken down.
enum Desk {
  /// Takes down a note, and notes in which context and on which thread it was created and saved.
  @MainActor static func watch(
    _ world: World, _ takeNote: @MainActor (World) async throws -> Void
  ) async throws {
    let names: [Notification.Name] = [
      .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { change in
        let inserted = change.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
        guard inserted?.contains(where: { $0 is Article }) == true else { return }
        let context = change.object as? NSManagedObjectContext
        let isBackground = context?.concurrencyType == .privateQueueConcurrencyType
        // A context that merges a save reports it as a change.
        guard isBackground || name == .NSManagedObjectContextDidSave else { return }
        if Thread.isMainThread || !isBackground {
          world.observe("the note on the main thread", 1, good: false)
        }
      }
    }
    defer { tokens.forEach(NotificationCenter.default.removeObserver) }
    world.observe("the note on the main thread", 0)
    try await takeNote(world)
  }
}
