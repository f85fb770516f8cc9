import CoreData
import PlaygroundKit

/// Two editors share a context, and another saver gets in the way of the first.
///
/// `Scenarios/30-one-failed-save-poisons-the-context/Exercise/Desk.swift` is all three.
@MainActor func yours(_ world: World) async throws {
  try await Desk(world).run { desk in try save(desk) }
}

/// Takes back what was refused, and keeps it to itself.
func save(_ desk: NSManagedObjectContext) throws -> [NSManagedObjectID] {
  do {
    try desk.save()
  } catch let error as CocoaError {
    let list = error.userInfo["conflictList"]
    for conflict in list as? [NSMergeConflict] ?? [] {
      desk.refresh(conflict.sourceObject, mergeChanges: false)
    }
    for conflict in list as? [NSConstraintConflict] ?? [] {
      conflict.conflictingObjects.forEach(desk.delete)
    }
    try desk.save()
  }
  return []
}
