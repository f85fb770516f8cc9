import CoreData
import PlaygroundKit

/// Two editors share a context, and another saver gets in the way of the first.
///
/// `Scenarios/30-one-failed-save-poisons-the-context/Exercise/Desk.swift` is all three.
@MainActor func yours(_ world: World) async throws {
  try await Desk(world).run { desk in try save(desk) }
}

/// Takes back every change and every new object; only the deletions stay.
func save(_ desk: NSManagedObjectContext) throws -> [NSManagedObjectID] {
  do {
    try desk.save()
    return []
  } catch {
    let ids = desk.updatedObjects.union(desk.insertedObjects).map(\.objectID)
    for object in desk.updatedObjects { desk.refresh(object, mergeChanges: false) }
    for object in desk.insertedObjects { desk.delete(object) }
    try desk.save()
    return ids
  }
}
