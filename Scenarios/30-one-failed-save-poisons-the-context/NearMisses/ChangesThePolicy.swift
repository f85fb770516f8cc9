import CoreData
import PlaygroundKit

/// Two editors share a context, and another saver gets in the way of the first.
///
/// `Scenarios/30-one-failed-save-poisons-the-context/Exercise/Desk.swift` is all three.
@MainActor func yours(_ world: World) async throws {
  try await Desk(world).run { desk in try save(desk) }
}

/// Lets the rows in the file win field by field: what only the first editor changed is saved.
func save(_ desk: NSManagedObjectContext) throws -> [NSManagedObjectID] {
  do {
    try desk.save()
    return []
  } catch let error as CocoaError {
    let list = error.userInfo["conflictList"]
    let changed = (list as? [NSMergeConflict] ?? []).map(\.sourceObject)
    let taken = (list as? [NSConstraintConflict] ?? []).flatMap(\.conflictingObjects)
    let ids = (changed + taken).map(\.objectID)
    desk.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    defer { desk.mergePolicy = NSMergePolicy.error }
    try desk.save()
    return ids
  }
}
