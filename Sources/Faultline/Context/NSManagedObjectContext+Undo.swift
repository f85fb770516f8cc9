import Foundation

/// What one event changed, kept to take it back.
///
/// It holds its objects, also those that are deleted and saved: undoing brings the same instance
/// back under the same id.
struct EventUndo {
  /// An object that the event deleted, with everything needed to make its record anew.
  struct Deletion {
    let object: NSManagedObject
    let values: [Value]
    let members: [(slot: Int, objects: [NSManagedObject])]
  }

  /// The values and memberships of one object before the event.
  struct Update {
    let object: NSManagedObject
    let values: [(slot: Int, old: Value)]
    let members: [Membership]
  }

  /// What an event changed in one membership, and the order it had, if it has one that is known.
  struct Membership {
    let slot: Int
    let added: Set<NSManagedObject>
    let removed: Set<NSManagedObject>
    let order: [NSManagedObject]?

    /// Whether there is nothing to take back.
    var isEmpty: Bool { added.isEmpty && removed.isEmpty && order == nil }
  }

  /// Objects that the event inserted.
  var inserted: [NSManagedObject] = []
  /// Objects that the event deleted.
  var deleted: [Deletion] = []
  /// Objects that the event changed, also those that it then deleted.
  var updated: [Update] = []

  /// Whether there is nothing to take back.
  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && updated.isEmpty }
}

extension NSManagedObjectContext {
  // MARK: Undo and redo

  /// Takes back the latest changes; without an undo manager nothing happens.
  public func undo() {
    check("undo()")
    undoManager?.undo()
  }

  /// Makes the changes again that `undo` took back; without an undo manager nothing happens.
  public func redo() {
    check("redo()")
    undoManager?.redo()
  }

  /// Listens for the moments at which the undo manager wants to hear of changes.
  func followUndoManager(insteadOf old: UndoManager?) {
    if undoManager === old { return }
    old?.removeAllActions(withTarget: self)
    stopFollowingUndoManager()
    guard let undoManager else { return }
    undoObserver = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: undoManager, queue: nil
    ) { [weak self] _ in self?.processPendingChanges() }
  }

  /// Stops listening to the undo manager.
  func stopFollowingUndoManager() {
    undoObserver.map(NotificationCenter.default.removeObserver)
    undoObserver = nil
  }

  /// Does something that cannot be undone; what was changed before it can.
  func withoutUndo(_ body: () -> Void) {
    guard let undoManager else { return body() }
    processPendingChanges()
    undoManager.disableUndoRegistration()
    body()
    // An observer may have rolled back, which lets the manager take registrations again.
    if !undoManager.isUndoRegistrationEnabled { undoManager.enableUndoRegistration() }
  }

  // MARK: Recording

  /// Registers what an event changed.
  func registerUndo(of event: Event, with undoManager: UndoManager) {
    guard undoManager.isUndoRegistrationEnabled else { return }
    let record = record(event)
    if !record.isEmpty { undoManager.registerUndo(withTarget: self) { $0.takeBack(record) } }
  }

  /// Keeps transient values, which no snapshot has, for the event after a save.
  func rememberTransients(of saved: Saved) {
    for object in saved.inserted + saved.updated
    where object.hasOwnTransients { object.rememberValues() }
  }

  private func record(_ event: Event) -> EventUndo {
    let deleted = event.deleted.filter { $0.isDeleted && !$0.state.contains(.inaccessible) }
    let inserted = event.inserted.filter { $0.registry === registry }
    var gone = Set(deleted)
    var record = EventUndo()
    record.inserted = inserted.filter { !gone.contains($0) }
    let fresh = Set(inserted)
    gone.subtract(fresh)
    record.deleted = deleted.filter { gone.remove($0) != nil }.map { $0.recordDeletion() }
    record.updated = event.updated.filter { !fresh.contains($0) && $0.registry === registry }
      .compactMap { $0.recordUpdate() }
    return record
  }

  // MARK: Taking back

  /// Takes one event back, as an event of its own:
  ///
  /// 1. what it deleted comes back,
  /// 2. changed properties take their old values; inverses follow,
  /// 3. what it inserted is deleted, without delete rules: it is as if it had never been.
  private func takeBack(_ record: EventUndo) {
    let revived = record.deleted.filter { bringBack($0.object, $0.values) }  // 1
    for deletion in revived { relate(deletion) }
    for update in record.updated where update.object.registry === registry {  // 2
      if update.object.isDeleted { continue }
      restore(update)
      update.object.awake(fromSnapshotEvents: .undoUpdate)
    }
    for deletion in record.deleted { deletion.object.awake(fromSnapshotEvents: .undoDeletion) }
    for object in record.inserted where object.registry === registry && !object.isDeleted {  // 3
      withdraw(object)
      object.awake(fromSnapshotEvents: .undoInsertion)
    }
    processPendingChanges()
  }

  /// Step 1 for one object; true if its record is gone, so that it had to be made anew.
  private func bringBack(_ object: NSManagedObject, _ values: [Value]) -> Bool {
    if object.isDeleted, object.registry === registry {
      undelete(object)
      return false
    }
    if object.registry === registry, object.isInserted || !object.neverSaved { return false }
    // Somebody may have asked for the record meanwhile, and holds a fault that finds no row.
    registered(object.layout, object.key)?.detach()
    object.state = object.key > 0 ? .reinserted : []
    object.changed = SlotSet()
    let own = object.ownValues()
    for slot in object.layout.slots.indices where !object.layout.slots[slot].isRelationship {
      own[slot] = values[slot]
    }
    enterInserted(object, key: object.key)
    return true
  }

  /// Takes a deletion back that is not saved; observers hear of an insertion.
  func undelete(_ object: NSManagedObject) {
    object.state.subtract([.deleted, .propagated])
    event.deleted.removeAll { $0 === object }
    event.inserted.append(object)
  }

  /// Gives a record made anew its relatives, as far as they exist.
  private func relate(_ deletion: EventUndo.Deletion) {
    let object = deletion.object
    for slot in object.layout.relationshipSlots where object.layout.slots[slot].kind == .toOne {
      object.setDestination(living(deletion.values[slot], object.layout.slots[slot]), slot)
    }
    for (slot, members) in deletion.members {
      for member in members where isLiving(member) { object.addMember(member, slot) }
    }
  }

  /// Step 2 for one object.
  private func restore(_ update: EventUndo.Update) {
    let object = update.object
    for (slot, old) in update.values {
      if object.layout.slots[slot].kind == .toOne {
        object.setDestination(living(old, object.layout.slots[slot]), slot)
      } else if object.read(slot) != old {
        object.write(old, slot)
      }
    }
    for membership in update.members {
      let slot = membership.slot
      for member in membership.added { object.removeMember(member, slot) }
      for member in membership.removed where isLiving(member) { object.addMember(member, slot) }
      if let order = membership.order { object.arrange(order, slot) }
    }
  }

  /// Step 3 for one object.
  private func withdraw(_ object: NSManagedObject) {
    object.fulfill(triggeredBy: nil)
    if object.isDeleted { return }
    for slot in object.layout.relationshipSlots {
      guard let inverse = object.layout.slots[slot].inverse else { continue }
      let others =
        object.layout.slots[slot].kind == .toMany
        ? object.members(slot) : Set(object.destination(slot).map { [$0] } ?? [])
      for other in others where !other.isDeleted { other.unlinkInverse(inverse, from: object) }
    }
    object.state.formUnion([.deleted, .propagated])
    list(object)
    event.deleted.append(object)
  }

  private func isLiving(_ object: NSManagedObject) -> Bool {
    object.registry === registry && !object.isDeleted
  }

  /// The destination that a recorded value names, unless it is deleted.
  private func living(_ value: Value, _ slot: Slot) -> NSManagedObject? {
    if value.referenceKey == nil { return nil }
    let object = destination(value, slot: slot)
    return isLiving(object) ? object : nil
  }
}

extension NSManagedObject {
  /// The object as it is about to be deleted; relationships that were never read are read now,
  /// because afterwards nobody knows them.
  fileprivate func recordDeletion() -> EventUndo.Deletion {
    let members = layout.relationshipSlots.filter { layout.slots[$0].kind == .toMany }
      .map { (slot: $0, objects: memberList($0)) }
    let values = layout.slots.indices.map { slot -> Value in
      layout.slots[slot].kind == .toMany ? .null : current(slot)
    }
    return EventUndo.Deletion(object: self, values: values, members: members)
  }

  /// What the running event changed in the object, or nil if nothing differs.
  fileprivate func recordUpdate() -> EventUndo.Update? {
    guard isRealised else { return nil }
    let touched = extras?.eventChanged ?? changed
    var old: [(slot: Int, old: Value)] = []
    var members: [EventUndo.Membership] = []
    for slot in layout.slots.indices where touched.contains(slot) {
      let before =
        extras?.eventBase?[slot] ?? snapshot?[slot] ?? layout.slots[slot].initial
      let value = current(slot)
      if case .toMany(let now) = value {
        let then: ToManyStorage? = if case .toMany(let kept) = before { kept } else { nil }
        if then === now { continue }
        // What was changed unread may have changed nothing.
        if now.isChanged { _ = self.members(slot) }
        let membership = now.difference(from: then, slot)
        if !membership.isEmpty { members.append(membership) }
      } else if before != value {
        old.append((slot, before))
      }
    }
    if old.isEmpty, members.isEmpty { return nil }
    return EventUndo.Update(object: self, values: old, members: members)
  }
}

extension ToManyStorage {
  /// What was added to, and removed from, the membership since other changes of the same one.
  fileprivate func difference(
    from then: ToManyStorage?, _ slot: Int
  ) -> EventUndo.Membership {
    let change = change(since: then)
    return EventUndo.Membership(
      slot: slot, added: change.added, removed: change.removed,
      order: (self as? OrderedStorage)?.orderBefore(then as? OrderedStorage))
  }
}
