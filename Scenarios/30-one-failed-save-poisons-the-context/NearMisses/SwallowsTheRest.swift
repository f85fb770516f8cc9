import CoreData
import PlaygroundKit

/// Two editors share a context, and another saver gets in the way of the first.
///
/// `Scenarios/30-one-failed-save-poisons-the-context/Exercise/Desk.swift` is all three.
@MainActor func yours(_ world: World) async throws {
  try await Desk(world).run { desk in try save(desk) }
}

/// Takes back what was refused, and says nothing of an error that is no conflict.
func save(_ desk: NSManagedObjectContext) throws -> [NSManagedObjectID] {
  do {
    try desk.save()
    return []
  } catch let error as CocoaError {
    let list = error.userInfo["conflictList"]
    let changed = (list as? [NSMergeConflict] ?? []).map(\.sourceObject)
    let taken = (list as? [NSConstraintConflict] ?? []).flatMap(\.conflictingObjects)
    if (changed + taken).isEmpty { return [] }
    let ids = (changed + taken).map(\.objectID)
    for object in changed { desk.refresh(object, mergeChanges: false) }
    for object in taken { desk.delete(object) }
    try desk.save()
    return ids
  }
}
