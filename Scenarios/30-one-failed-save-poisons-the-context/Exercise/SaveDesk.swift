import CoreData
import PlaygroundKit

/// Two editors share a context, and another saver gets in the way of the first.
///
/// `Scenarios/30-one-failed-save-poisons-the-context/Exercise/Desk.swift` is all three.
@MainActor func yours(_ world: World) async throws {
  try await Desk(world).run { desk in try save(desk) }
}

/// Saves a context, and returns the ids of the objects whose edits were taken back.
///
/// TODO: One edit is refused, and every other one waits behind it, now and at each later save.
func save(_ desk: NSManagedObjectContext) throws -> [NSManagedObjectID] {
  try? desk.save()
  return []
}
