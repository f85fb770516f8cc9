import Foundation

extension NSManagedObjectContext {
  /// Turns an object into a fault, or reloads it and puts its unsaved changes back on top.
  ///
  /// The insertion of an object that was never saved is an unsaved change too. Without merging it
  /// is lost, and the fault finds no row.
  public func refresh(_ object: NSManagedObject, mergeChanges: Bool) {
    check("refresh(_:mergeChanges:)")
    guard object.registry === registry else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: an object of another context cannot be refreshed: "
          + "\(object.shortDescription).")
    }
    let isInsert = object.neverSaved && object.isInserted
    if isInsert, mergeChanges { return }
    endEventWithTurn()
    if mergeChanges {
      reload(object)
    } else if !isInsert || takeBackInsertion(of: object) {
      turnIntoFault(object)
      event.refreshed.append(object)
    }
  }

  /// Takes back the insertion of an object, which stays registered under its id. False if no event
  /// has announced the insertion: the object is a fault then, and there is nothing to announce.
  private func takeBackInsertion(of object: NSManagedObject) -> Bool {
    let isNews = event.inserted.contains { $0 === object }
    object.state.remove(.inserted)
    assignments[object.key] = nil
    for list in [\Event.inserted, \.updated, \.deleted] {
      event[keyPath: list].removeAll { $0 === object }
    }
    if isNews { turnIntoFault(object) }
    return !isNews
  }

  /// Reloads every registered object and keeps its unsaved changes.
  public func refreshAllObjects() {
    check("refreshAllObjects")
    endEventWithTurn()
    for object in registry.objects.members() where !(object.neverSaved && object.isInserted) {
      if object.hasChanges {
        reload(object)
      } else if object.isRealised {
        turnIntoFault(object)
        event.refreshed.append(object)
      }
    }
  }

  /// Discards an object's values and unsaved changes; the row stays in the row cache while it is
  /// held.
  func turnIntoFault(_ object: NSManagedObject) {
    guard object.isRealised else { return }
    object.willTurnIntoFault()
    object.dropValues()
    object.changed = SlotSet()
    object.extras = nil
    object.state.subtract([
      .updated, .deleted, .propagated, .conflictChecked, .inaccessible, .noted,
    ])
    // It has nothing to save any more, so it is not held, and its next change is its first.
    if object.state.contains(.listed) { dropCleanChanges() }
    object.didTurnIntoFault()
  }

  /// Reloads an object from the newest row the parent store has, keeping its unsaved changes.
  ///
  /// - Returns: false if its row is gone.
  @discardableResult
  func reload(_ object: NSManagedObject, isFresh: Bool = false) -> Bool {
    guard object.isRealised else {
      object.snapshot = nil
      object.extras = nil
      event.refreshed.append(object)
      return true
    }
    let parent = parentStore(for: "a refresh")
    let ageMax = isFresh ? 0 : stalenessInterval
    guard let row = try? parent.row(object.layout, key: object.key, ageMax: ageMax) else {
      return false
    }
    refresh(object, to: row)
    return true
  }

  /// Installs another row under an object's unsaved changes.
  func refresh(_ object: NSManagedObject, to row: Snapshot) {
    if object.hasChanges {
      tellMerged(object, row)
      object.adopt(row) { isLocal, _ in isLocal }
    } else {
      object.takeUnchanged(row)
    }
    object.awake(fromSnapshotEvents: .refresh)
    event.refreshed.append(object)
  }

  /// Drops every unsaved change: inserts vanish, updates and deletes return to the committed
  /// values.
  public func rollback() {
    check("rollback()")
    undoManager?.removeAllActions()
    let pending = changes
    let reverted = reversion(of: pending)
    let discarded = pending.filter { $0.hasChanges && $0.neverSaved }
    changes = []
    event = Event()
    for object in pending { revert(object) }
    // As at the end of any event, what observers change is the beginning of the next.
    let wasProcessing = isProcessing
    isProcessing = true
    postRollback(reverted)
    isProcessing = wasProcessing
    forget(discarded)
  }

  /// What a rollback announces: what becomes of unsaved changes, and what was refreshed in the
  /// event that ends with it.
  private func reversion(of pending: [NSManagedObject]) -> Event {
    // Who came and went in one event, or whose end was announced, is nobody's news.
    let fleeting = Set(event.inserted)
    let going = Set(event.deleted).subtracting(fleeting)
    var reverted = Event()
    for object in pending where object.hasChanges {
      if object.neverSaved {
        if !object.isDeleted || going.contains(object) { reverted.deleted.append(object) }
      } else if object.isDeleted {
        reverted.inserted.append(object)
      } else {
        reverted.refreshed.append(object)
      }
    }
    let others = Set(reverted.inserted + reverted.deleted)
    reverted.refreshed += event.refreshed.filter {
      $0.registry === registry && !others.contains($0)
    }
    return reverted
  }

  private func revert(_ object: NSManagedObject) {
    guard !object.neverSaved else {
      object.state.subtract([.inserted, .updated, .deleted, .listed, .noted])
      return
    }
    let wasInaccessible = object.state.contains(.inaccessible)
    object.state.subtract([
      .updated, .deleted, .propagated, .listed, .noted, .conflictChecked, .inaccessible,
      .reinserted,
    ])
    object.changed = SlotSet()
    object.extras = nil
    if wasInaccessible {
      object.dropValues()
    } else if object.isRealised, let snapshot = object.snapshot {
      object.share(snapshot)
    }
    object.awake(fromSnapshotEvents: .rollback)
  }

  private func postRollback(_ event: Event) {
    let sets: [(String, Any?)] = [
      (NSInsertedObjectsKey, set(event.inserted)), (NSDeletedObjectsKey, set(event.deleted)),
      (NSRefreshedObjectsKey, set(event.refreshed)),
    ]
    if event.isEmpty { return }
    post(.NSManagedObjectContextObjectsDidChange, sets)
  }

  /// Forgets every object and every unsaved change; objects that somebody still holds are useless.
  public func reset() {
    check("reset()")
    Scheduling.reach(.reset, ownerName)
    let objects = registry.objects.members()
    let ids = objects.map(\.objectID)
    undoManager?.removeAllActions()
    registry.disown()
    registry = Registry(queue: queue, owner: self, link: link)
    if retainsRegisteredObjects { registry.retained = [] }
    changes = []
    event = Event()
    assignments = [:]
    advanceGeneration()
    for object in objects { object.detach() }
    // The rows that nobody else holds leave the row cache: who asks next gets what the file has.
    Scheduling.touch(.allRows, isWrite: true)
    if !ids.isEmpty {
      post(.NSManagedObjectContextObjectsDidChange, [(NSInvalidatedAllObjectsKey, ids)])
    }
  }
}

extension NSManagedObject {
  /// Takes another row without unsaved changes to keep; transient values stay.
  func takeUnchanged(_ row: Snapshot) {
    let kept = own == nil ? [] : layout.transientSlots.map { ($0, current($0)) }
    rebaseEvent(on: row) { _, _ in false }
    share(row)
    for (slot, value) in kept { ownValues()[slot] = value }
  }
}
