import Foundation

extension NSManagedObjectContext: ConflictOwner {
  func cancelDeletion(of object: NSManagedObject) {
    object.state.subtract([.deleted, .propagated])
    event.deleted.removeAll { $0 === object }
    event.refreshed.append(object)
  }

  func acceptDeletion(of object: NSManagedObject) {
    object.state.subtract([.updated, .reinserted])
    makeInaccessible(object)
  }

  func noteMerged(_ object: NSManagedObject) {
    event.refreshed.append(object)
    object.awake(fromSnapshotEvents: .mergePolicy)
    // Its next change is its first again: another conflict of this save may bring one.
    if object.changed.isEmpty, !object.isDeleted { object.state.subtract([.updated, .noted]) }
  }

  /// Has the version of an unchanged object checked at the next save.
  public func detectConflicts(for object: NSManagedObject) {
    check("detectConflicts(for:)")
    object.fulfill(triggeredBy: nil)
    object.state.insert(.conflictChecked)
    list(object)
  }
}
