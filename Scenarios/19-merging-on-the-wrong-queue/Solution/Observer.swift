import CoreData
import PlaygroundKit

/// An import saves, and two contexts learn of it: the one of the screen and a private one.
///
/// `Scenarios/19-merging-on-the-wrong-queue/Exercise/Receivers.swift` is the import.
@MainActor func yours(_ world: World) async throws {
  try await Receivers.importAll(world) { save, receiver in bring(save, to: receiver) }
}

/// Brings a save to a context. It is called inside the save, for each context that must learn it.
func bring(_ save: Notification, to receiver: NSManagedObjectContext) {
  nonisolated(unsafe) let ids = save
  receiver.perform { receiver.mergeChanges(fromContextDidSave: ids) }
}
