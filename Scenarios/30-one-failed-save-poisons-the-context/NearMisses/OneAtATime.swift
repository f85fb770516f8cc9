import CoreData
import PlaygroundKit

/// Two editors share a context, and another saver gets in the way of the first.
///
/// `Scenarios/30-one-failed-save-poisons-the-context/Exercise/Desk.swift` is all three.
@MainActor func yours(_ world: World) async throws {
  try await Desk(world).run { desk in try save(desk) }
}

/// Takes the first object of each list back, and tries again for the next one.
func save(_ desk: NSManagedObjectContext) throws -> [NSManagedObjectID] {
  do {
    try desk.save()
    return []
  } catch let error as CocoaError {
    let list = error.userInfo["conflictList"]
    let changed = (list as? [NSMergeConflict])?.first?.sourceObject
    let taken = (list as? [NSConstraintConflict])?.first?.conflictingObjects.first
    guard let refused = changed ?? taken else { throw error }
    let id = refused.objectID
    desk.refresh(refused, mergeChanges: false)
    return try [id] + save(desk)
  }
}
