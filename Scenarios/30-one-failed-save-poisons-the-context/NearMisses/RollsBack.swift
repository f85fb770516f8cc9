import CoreData
import PlaygroundKit

/// Two editors share a context, and another saver gets in the way of the first.
///
/// `Scenarios/30-one-failed-save-poisons-the-context/Exercise/Desk.swift` is all three.
@MainActor func yours(_ world: World) async throws {
  try await Desk(world).run { desk in try save(desk) }
}

/// Throws everything away, the edits of the second editor too.
func save(_ desk: NSManagedObjectContext) throws -> [NSManagedObjectID] {
  do {
    try desk.save()
    return []
  } catch let error as CocoaError {
    let list = error.userInfo["conflictList"]
    let changed = (list as? [NSMergeConflict] ?? []).map(\.sourceObject)
    let taken = (list as? [NSConstraintConflict] ?? []).flatMap(\.conflictingObjects)
    let ids = (changed + taken).map(\.objectID)
    guard !ids.isEmpty else { throw error }
    desk.rollback()
    return ids
  }
}
