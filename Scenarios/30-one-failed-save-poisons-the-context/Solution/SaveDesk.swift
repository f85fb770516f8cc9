import CoreData
import PlaygroundKit

/// Two editors share a context, and another saver gets in the way of the first.
///
/// `Scenarios/30-one-failed-save-poisons-the-context/Exercise/Desk.swift` is all three.
@MainActor func yours(_ world: World) async throws {
  try await Desk(world).run { desk in try save(desk) }
}

/// Saves a context, and returns the ids of the objects whose edits were taken back.
func save(_ desk: NSManagedObjectContext) throws -> [NSManagedObjectID] {
  do {
    try desk.save()
    return []
  } catch let error as CocoaError {
    let refused = objects(in: error)
    guard !refused.isEmpty else { throw error }
    let ids = refused.map(\.objectID)
    for object in refused {
      if object.isInserted {
        desk.delete(object)
      } else {
        desk.refresh(object, mergeChanges: false)
      }
    }
    return try ids + save(desk)
  }
}

/// The objects that a refused save names, but for the first of several new ones that want one name.
func objects(in error: CocoaError) -> [NSManagedObject] {
  let list = error.userInfo["conflictList"]
  let changed = list as? [NSMergeConflict] ?? []
  let taken = list as? [NSConstraintConflict] ?? []
  return changed.map(\.sourceObject)
    + taken.flatMap { $0.conflictingObjects.dropFirst($0.databaseObject == nil ? 1 : 0) }
}
