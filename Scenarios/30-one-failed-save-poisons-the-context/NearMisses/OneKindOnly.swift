import CoreData
import PlaygroundKit

/// Two editors share a context, and another saver gets in the way of the first.
///
/// `Scenarios/30-one-failed-save-poisons-the-context/Exercise/Desk.swift` is all three.
@MainActor func yours(_ world: World) async throws {
  try await Desk(world).run { desk in try save(desk) }
}

/// Takes back changed articles only; a name that is taken stays in the way.
func save(_ desk: NSManagedObjectContext) throws -> [NSManagedObjectID] {
  do {
    try desk.save()
    return []
  } catch let error as CocoaError where error.code == .managedObjectMerge {
    let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict] ?? []
    for conflict in conflicts { desk.refresh(conflict.sourceObject, mergeChanges: false) }
    try desk.save()
    return conflicts.map(\.sourceObject.objectID)
  }
}
