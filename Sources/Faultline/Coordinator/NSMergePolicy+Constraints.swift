import Foundation

/// What the five policies do about records that a uniqueness constraint keeps apart.
///
/// One object stays: the one whose row has the values already or else the oldest, a stored one
/// before a new one. Each of the others gives way:
///
/// 1. Rollback: a new object goes, a stored one returns to its row. What it had changed in its
///    relationships is taken back at both ends.
/// 2. Otherwise the object that stays takes its values: none under store trump, all of a new
///    object or those that changed in a stored one under object trump and overwrite.
/// 3. Its to-many members, and whoever else points to it, point to the object that stays. Under
///    overwrite the members of a new object replace those of the row.
/// 4. It is deleted.
extension NSMergePolicy {
  /// The error of a save that would violate uniqueness constraints.
  ///
  /// - Parameter isUnresolved: whether a policy was asked and has left the conflict as it was; then
  ///   the objects are plainly not valid, which is error 1551 rather than 133021.
  static func constraintError(
    _ list: [NSConstraintConflict], isUnresolved: Bool = false
  ) -> CocoaError {
    let first = list.first
    let names = list.prefix(3).map(\.description).joined(separator: "; ")
    var info: [String: Any] = [
      NSPersistentStoreSaveConflictsErrorKey: list,
      NSLocalizedDescriptionKey: isUnresolved
        ? "Uniqueness constraints are violated after the merge policy has decided: \(names)."
        : "Could not merge changes: records would share values that must be unique: \(names).",
    ]
    guard isUnresolved else {
      return CocoaError(
        CocoaError.Code(rawValue: NSManagedObjectConstraintMergeError), userInfo: info)
    }
    info[NSValidationObjectErrorKey] = first?.conflictingObjects.first
    info[NSValidationKeyErrorKey] = first?.constraint.joined(separator: ", ")
    info[NSValidationValueErrorKey] = first?.constraintValues
    return CocoaError(
      CocoaError.Code(rawValue: NSManagedObjectConstraintValidationError), userInfo: info)
  }

  /// Resolves conflicts of uniqueness one after the other; what an earlier one settled is left.
  func resolveDuplicates(_ list: [NSConstraintConflict]) {
    guard let owner = list.first?.conflictingObjects.first?.registry?.owner as? any ConflictOwner
    else { return }
    let pointing = owner.changes.filter { $0.layout.hasOneWayRelationships }
    for conflict in list {
      let parties = conflict.parties
      guard let survivor = parties.first else { continue }
      for loser in parties.dropFirst() {
        if mergeType == .rollbackMergePolicyType {
          giveUp(loser, pointing, owner)
        } else {
          let isNew = conflict.databaseObject != nil && loser.isInserted
          unite(loser, with: survivor, replacing: isNew && mergeType == .overwriteMergePolicyType)
          for object in pointing { object.redirect(from: loser, to: survivor) }
          owner.noteMerged(survivor)
          owner.delete(loser)
        }
      }
    }
  }

  /// Rollback: the object's changes are dropped, and so is the object if it is nothing else.
  private func giveUp(
    _ loser: NSManagedObject, _ pointing: [NSManagedObject], _ owner: any ConflictOwner
  ) {
    loser.undoRelationshipChanges()
    if let row = loser.snapshot {
      loser.adopt(row) { _, _ in false }
      return owner.noteMerged(loser)
    }
    for object in pointing { object.redirect(from: loser, to: nil) }
    owner.delete(loser)
  }

  /// Moves values and relationships from one object to another of the same entity or family.
  private func unite(
    _ loser: NSManagedObject, with survivor: NSManagedObject, replacing isReplacing: Bool
  ) {
    let shared = loser.layout.slots.indices.prefix(survivor.layout.slots.count).filter {
      let slot = loser.layout.slots[$0]
      return slot.property === survivor.layout.slots[$0].property && !slot.isTransient
    }
    let taken = Set(shared.filter { isTaken($0, from: loser) })
    for slot in shared {
      switch loser.layout.slots[slot].kind {
      case .attribute: if taken.contains(slot) { survivor.write(loser.read(slot), slot) }
      case .toOne: survivor.takeDestination(of: loser, slot, isTaken: taken.contains(slot))
      case .toMany:
        let isOwn = loser.layout.slots[slot].inverse == nil
        if isOwn, !taken.contains(slot) { continue }
        survivor.takeMembers(of: loser, slot, isReplacing: isReplacing)
      }
    }
  }

  private func isTaken(_ slot: Int, from loser: NSManagedObject) -> Bool {
    switch mergeType {
    case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
      return loser.isInserted || loser.isChanged(slot)
    case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
      .errorMergePolicyType:
      return false
    }
  }
}

extension EntityLayout {
  /// Whether some relationship has no inverse by which its source could be found.
  fileprivate var hasOneWayRelationships: Bool {
    relationshipSlots.contains { slots[$0].inverse == nil }
  }
}

extension NSManagedObject {
  /// Takes another object's destination, or takes it only over where it would be left behind.
  fileprivate func takeDestination(of loser: NSManagedObject, _ slot: Int, isTaken: Bool) {
    let target = loser.destination(slot)
    let isLeftBehind =
      target != nil && layout.slots[slot].inverse != nil && destination(slot) == nil
    guard isTaken || isLeftBehind else { return }
    // Let go first: the deletion that follows must not reach what moved away.
    loser.setDestination(nil, slot)
    setDestination(target === loser ? self : target, slot)
  }

  /// Takes another object's members beside, or in place of, its own.
  fileprivate func takeMembers(of loser: NSManagedObject, _ slot: Int, isReplacing: Bool) {
    let members = loser.memberList(slot).filter { !$0.isDeleted }
    for object in members { loser.removeMember(object, slot) }
    let moved = members.map { $0 === loser ? self : $0 }
    if isReplacing {
      setMemberList(moved, slot)
    } else {
      for object in moved { addMember(object, slot) }
    }
  }

  /// Makes relationships without inverse that lead to one object lead to another, or back.
  fileprivate func redirect(from loser: NSManagedObject, to survivor: NSManagedObject?) {
    if self === loser || isDeleted { return }
    for slot in layout.relationshipSlots where layout.slots[slot].inverse == nil {
      if layout.slots[slot].kind == .toOne {
        guard destination(slot) === loser else { continue }
        setDestination(survivor ?? committedDestination(slot), slot)
      } else if case .toMany(let storage)? = own?[slot], storage.added.contains(loser) {
        setMemberList(memberList(slot).compactMap { $0 === loser ? survivor : $0 }, slot)
      }
    }
  }

  /// The destination that the store has, unless it is being deleted.
  private func committedDestination(_ slot: Int) -> NSManagedObject? {
    guard let committed = snapshot?[slot], !committed.isNull else { return nil }
    let object = registry?.owner?.destination(committed, slot: layout.slots[slot])
    return object?.isDeleted == true ? nil : object
  }

  /// Lets a to-one relationship lead where the store has it lead.
  private func restoreDestination(_ slot: Int) {
    let (now, former) = (destination(slot), committedDestination(slot))
    for end in [now, former] { end?.readMembers(layout.slots[slot].inverse) }
    setDestination(former, slot)
  }

  /// Reads the members of a relationship that was changed, because only among those that are known
  /// can a change be taken back.
  private func readMembers(_ slot: Int?) {
    guard let slot, layout.slots[slot].kind == .toMany, toMany(slot).isChanged else { return }
    _ = members(slot)
  }

  /// Takes back what this context changed in the object's relationships, at both ends.
  func undoRelationshipChanges() {
    for slot in layout.relationshipSlots {
      if layout.slots[slot].kind == .toOne {
        if isChanged(slot) { restoreDestination(slot) }
        continue
      }
      guard case .toMany(let storage)? = own?[slot] else { continue }
      let inverse = layout.slots[slot].inverse
      readMembers(slot)
      for object in storage.added.union(storage.removed) where object.registry != nil {
        object.readMembers(inverse)
      }
      for object in storage.added where object.registry != nil {
        if let inverse, object.layout.slots[inverse].kind == .toOne {
          object.restoreDestination(inverse)
        } else {
          removeMember(object, slot)
        }
      }
      for object in storage.removed where object.registry != nil { addMember(object, slot) }
      // Whoever was added or removed without being affected left a change that is none.
      storage.commit()
      (storage as? OrderedStorage)?.forget()
    }
  }
}
