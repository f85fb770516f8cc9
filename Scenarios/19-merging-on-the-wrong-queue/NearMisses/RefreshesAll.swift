import CoreData
import PlaygroundKit

/// An import saves, and two contexts learn of it: the one of the screen and a private one.
///
/// `Scenarios/19-merging-on-the-wrong-queue/Exercise/Receivers.swift` is the import.
@MainActor func yours(_ world: World) async throws {
  try await Receivers.importAll(world) { save, receiver in bring(save, to: receiver) }
}

/// The right queue, where everything is read again instead of what has changed.
func bring(_ save: Notification, to receiver: NSManagedObjectContext) {
  receiver.perform { receiver.refreshAllObjects() }
}
