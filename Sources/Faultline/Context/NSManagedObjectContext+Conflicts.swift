import Foundation

extension NSManagedObjectContext: ConflictOwner {
  func cancelDeletion(of object: NSManagedObject) {
    object.state.subtract([.deleted, .propagated])
    event.deleted.removeAll { $0 === object }
    event.refreshed.append(object)
  }

  func acceptDeletion(of object: NSManagedObject) {
    object.state.remove(.reinserted)
    makeInaccessible(object)
    // Its relatives follow when changes are processed, after all conflicts were resolved.
    object.state.remove(.propagated)
  }

  func noteMerged(_ object: NSManagedObject) {
    event.refreshed.append(object)
    object.awake(fromSnapshotEvents: .mergePolicy)
    // Its next change is its first again: another conflict of this save may bring one.
    if object.changed.isEmpty, !object.isDeleted { object.state.subtract([.updated, .noted]) }
  }

  func catchUp(
    _ object: NSManagedObject, keeps: (_ isLocal: Bool, _ isExternal: Bool) -> Bool
  ) throws -> Bool {
    let parent = parentStore(for: "a merge")
    guard object.isLiving, !object.isInserted,
      let row = try parent.row(object.layout, key: object.key, ageMax: 0)
    else { return false }
    guard object.isRealised else {
      realise(object, row)
      return true
    }
    if object.isDirty { object.adopt(row, keeps: keeps) } else { object.takeUnchanged(row) }
    event.refreshed.append(object)
    return true
  }

  /// Empties the to-one relationships of an object whose deletion was dropped that lead to objects
  /// which are deleted all the same: their delete rules have passed it over.
  func letGoOfDeleted(_ object: NSManagedObject) {
    for slot in object.layout.relationshipSlots where object.layout.slots[slot].kind == .toOne {
      guard let inverse = object.layout.slots[slot].inverse,
        let other = object.knownRelatives(slot, registered).first, !other.isLiving
      else { continue }
      switch other.layout.slots[inverse].deleteRule {
      case .cascadeDeleteRule, .nullifyDeleteRule: object.unlinkInverse(slot, from: other)
      case .noActionDeleteRule, .denyDeleteRule: break
      }
    }
  }

  /// Has the version of an unchanged object checked at the next save.
  public func detectConflicts(for object: NSManagedObject) {
    check("detectConflicts(for:)")
    object.fulfill(triggeredBy: nil)
    object.state.insert(.conflictChecked)
    list(object)
  }
}
