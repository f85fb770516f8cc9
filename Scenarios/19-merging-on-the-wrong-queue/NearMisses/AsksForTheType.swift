import CoreData
import PlaygroundKit

/// An import saves, and two contexts learn of it: the one of the screen and a private one.
///
/// `Scenarios/19-merging-on-the-wrong-queue/Exercise/Receivers.swift` is the import.
@MainActor func yours(_ world: World) async throws {
  try await Receivers.importAll(world) { save, receiver in bring(save, to: receiver) }
}

/// Hops to main for the screen, and takes the queue of the import for that of the index.
func bring(_ save: Notification, to receiver: NSManagedObjectContext) {
  guard receiver.concurrencyType == .mainQueueConcurrencyType else {
    return receiver.mergeChanges(fromContextDidSave: save)
  }
  nonisolated(unsafe) let ids = save
  DispatchQueue.main.async { receiver.mergeChanges(fromContextDidSave: ids) }
}
