import Foundation

/// A save of a context, in the order of rule D2:
///
/// 1. `WillSave` is posted; observers may still change objects.
/// 2. Until nothing new comes up: pending changes are processed (delete rules, `ObjectsDidChange`),
///    `willSave` is sent, everything is validated.
/// 3. A child pushes into its parent (`NSManagedObjectContext+Parent.swift`). A root writes one
///    transaction (`SaveTransaction`): keys, rows, the version check of every row.
/// 4. If versions differ, or a uniqueness constraint keeps rows apart, the transaction is rolled
///    back, the merge policy decides, and the save goes back to step 2 with the merged objects.
/// 5. New snapshots, versions and permanent ids are installed.
/// 6. `didSave` is sent, `DidSave` and `DidSaveObjectIDs` are posted, siblings are told.
///
/// Until step 5 a failure changes nothing but what callbacks and observers changed.
extension NSManagedObjectContext {
  private static let roundsMax = 1000

  /// Writes the unsaved changes to the parent store: a coordinator's file, or the parent context.
  ///
  /// Without any it writes no more than the metadata that were set for the stores.
  ///
  /// - Throws: `CocoaError`: 1550-1690 for what is not valid, 133020 or 133021 with its
  ///   `conflictList` if the merge policy does not resolve a conflict, 513 if the store is read
  ///   only, 134030 if it was removed or is another one now, 134180 if SQLite fails, 132001 if the
  ///   context is saving already. Every change stays pending.
  public func save() throws {
    check("save()")
    if isSaving { throw recursionError }
    if !hasChanges {
      // Delete rules of an object that was never saved may still reach others.
      processPendingChanges()
      if !hasChanges {
        if case .coordinator(let coordinator) = parentLink { try coordinator.writeMetadata() }
        return
      }
    }
    let parent = parentStore(for: "a save")
    if let reading = parent as? any StoreReading { _ = reading.coordinator.stores(for: "a save") }
    isSaving = true
    defer {
      isSaving = false
      announced = nil
    }
    Scheduling.reach(.save(.willSave), ownerName)
    tellPending()
    post(.NSManagedObjectContextWillSave, [])  // 1
    do {
      try settle()  // 2
      let saved: Saved
      switch parentLink {  // 3, 4, 5
      case .coordinator(let coordinator): saved = try write(to: coordinator)
      case .context(let parent): saved = try push(to: parent)
      case .none: return
      }
      Scheduling.reach(.save(.committed), ownerName)
      finish(saved)  // 6
    } catch {
      rememberEvents()
      throw error
    }
  }

  /// What a save inside a save of the same context ends with.
  private var recursionError: CocoaError {
    CocoaError(
      CocoaError.Code(rawValue: 132_001),
      userInfo: [
        "message": "attempt to recursively call -save: on the context aborted",
        NSLocalizedDescriptionKey:
          "save() was called while \(ownerName) is saving; do not save from a WillSave observer, "
          + "willSave or a validation.",
      ])
  }

  /// After a failure: what the save processed are former events.
  private func rememberEvents() {
    if undoManager != nil { return }
    for object in changes where !object.state.contains(.noted) { object.rememberEvent() }
  }

  /// What a save wrote.
  struct Saved {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    /// The ids of the inserted objects.
    var insertedIDs: Set<NSManagedObjectID> = []
    /// The ids of the updated objects.
    var updatedIDs: Set<NSManagedObjectID> = []

    /// Takes in what another part of the same save wrote.
    mutating func add(_ other: Saved) {
      inserted += other.inserted
      updated += other.updated
      deleted += other.deleted
      insertedIDs.formUnion(other.insertedIDs)
      updatedIDs.formUnion(other.updatedIDs)
    }

    /// The ids, in three lists.
    var ids: SavedIDs {
      SavedIDs(
        inserted: inserted.map(\.objectID), updated: updated.map(\.objectID),
        deleted: deleted.map(\.objectID))
    }
  }

  /// Step 2: processes, sends `willSave` and validates until no round brings up new changes.
  private func settle() throws { try throwingReadErrors { try settleRounds() } }

  private func settleRounds() throws {
    for _ in 0..<Self.roundsMax {
      processPendingChanges(propagating: true)
      if hasReadError { return }
      let ended = eventsEnded
      var isQuiet: Bool { event.isEmpty && eventsEnded == ended }
      let round = changes
      round.forEachHeld { _, object in if object.isDirty { object.willSave() } }
      if isQuiet, case .coordinator(let coordinator) = parentLink,
        coordinator.managedObjectModel.derives
      {
        derive(round)
      }
      if isQuiet {
        Scheduling.reach(.save(.validated), ownerName)
        try validate(round)
        if isQuiet { return }
      }
    }
    throw CocoaError(
      CocoaError.Code(rawValue: NSCoreDataError),
      userInfo: [
        NSLocalizedDescriptionKey:
          "Failed to process pending changes before save. The context is still dirty after "
          + "\(Self.roundsMax) "
          + "attempts. Typically this recursive dirtying is caused by a bad validation method, "
          + "-willSave, or notification handler."
      ])
  }

  private func validate(_ objects: [NSManagedObject]) throws {
    var errors: [any Error] = []
    objects.forEachHeld { _, object in
      let state = object.state
      if state.contains(.inaccessible) { return }
      do {
        if state.contains(.deleted) {
          if !object.neverSaved { try object.validateForDelete() }
        } else if state.contains(.inserted) {
          try object.validateForInsert()
        } else if state.contains(.updated) {
          try object.validateForUpdate()
        }
      } catch { errors.append(error) }
    }
    try NSManagedObject.throwTogether(errors)
  }

  /// Steps 3 to 5 for a root context.
  private func write(to coordinator: NSPersistentStoreCoordinator) throws -> Saved {
    do {
      return try writeAndResolve(coordinator)
    } catch {
      // A child that reads a row of its parent must not be told of a key that was never used.
      for object in changes { object.pendingKey = 0 }
      throw error
    }
  }

  private func writeAndResolve(_ coordinator: NSPersistentStoreCoordinator) throws -> Saved {
    var seen: [ConflictKey: Int] = [:]
    var duplicates = DuplicateRounds()
    var isRowByRow = false
    while true {
      do {
        let parts = try saveTransactions(for: coordinator)
        for part in parts { part.isRowByRow = isRowByRow }
        return try write(parts, isSearching: duplicates.isSearching)
      } catch is VersionsDiffer {
        isRowByRow = true
      } catch let error as CocoaError where duplicates.asksForSearch(error) {
        duplicates.isSearching = true
      } catch let found as DuplicatesFound {
        try resolve(found, &duplicates)
        try settle()
        if !changes.contains(where: { $0.hasChanges }) { return Saved() }
      } catch let found as ConflictsFound {
        EngineCounters.add(.conflicts, found.conflicts.count)
        for conflict in found.conflicts {
          let key = ConflictKey(conflict)
          seen[key, default: 0] += 1
          // The same conflict twice means that the policy resolved nothing.
          if seen[key, default: 0] > 1 {
            throw NSMergePolicy.mergeError(found.conflicts, isUnresolved: true)
          }
        }
        let deleted = found.conflicts.map(\.sourceObject).filter(\.isDeleted)
        let telling = ConflictTelling(found.conflicts)
        do { try policy.resolve(mergeConflicts: found.conflicts) } catch {
          telling.tell(policy, refused: true)
          throw error
        }
        telling.tell(policy, refused: false)
        for object in deleted where object.isLiving { letGoOfDeleted(object) }
        try settle()
        if !changes.contains(where: \.isDirty) { return Saved() }
      }
    }
  }

  private struct ConflictKey: Hashable {
    let object: ObjectIdentifier
    let old: Int
    let new: Int

    init(_ conflict: NSMergeConflict) {
      object = ObjectIdentifier(conflict.sourceObject)
      old = conflict.oldVersionNumber
      new = conflict.newVersionNumber
    }
  }

  /// Step 6.
  private func finish(_ saved: Saved) {
    if saved.inserted.count + saved.updated.count + saved.deleted.count == changes.count {
      changes = []  // Nothing else was listed, and none of these is any more.
    } else {
      // For an undo manager, what was inserted and deleted again stayed until now.
      for object in changes where !object.isDirty && object.neverSaved { object.detach() }
      // What was checked for this save is not for the next.
      for object in changes { object.state.remove(.conflictChecked) }
      dropCleanChanges()
    }
    assignments = [:]
    advanceGeneration()
    if undoManager != nil { rememberTransients(of: saved) }
    isSaving = false
    saved.inserted.forEachHeld { _, object in object.didSave() }
    saved.updated.forEachHeld { _, object in object.didSave() }
    saved.deleted.forEachHeld { _, object in object.didSave() }
    postDidSave(saved)
    tellOthers(saved)
    saved.deleted.forEachHeld { _, object in
      if object.isDirty { object.state.remove(.leaving) } else { object.detach() }
    }
  }

  /// Hands the ids to every context that merges automatically.
  private func tellOthers(_ saved: Saved) {
    var listeners: [any CoordinatorClient] = children
    if case .coordinator(let coordinator) = parentLink {
      listeners += coordinator.clients.filter { $0 !== self }
    }
    listeners.removeAll { !$0.mergesSaves }
    guard !listeners.isEmpty else { return }
    let ids = saved.ids
    for listener in listeners { listener.siblingSaved(ids) }
  }

  // MARK: Permanent ids

  /// Replaces the temporary ids of objects by permanent ones, without writing any row.
  ///
  /// - Throws: `CocoaError` if the store cannot be written.
  public func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    check("obtainPermanentIDs(for:)")
    var temporary = objects.filter { $0.key < 0 && $0.registry === registry && !$0.isDeleted }
    if case .context(let parent) = parentLink {
      try takeIDs(of: parent, for: temporary.filter { !$0.isInserted })
    }
    temporary.removeAll { !$0.isInserted }
    guard !temporary.isEmpty, let coordinator = persistentStoreCoordinator else { return }
    let isForwarded = !children.isEmpty
    for (store, objects) in try byStore(temporary, coordinator) {
      // Whether it succeeds or not, nobody must be told of a key that is not the object's.
      defer { for object in objects { object.pendingKey = 0 } }
      if store.isReadOnly { throw StoreError.readOnly(store.url) }
      try store.database.write { transaction in
        for object in objects { object.pendingKey = try transaction.nextKey(object.layout) }
        try transaction.keepKeys()
      }
      for object in objects {
        rekey(object, to: object.pendingKey, in: store.identityRecord, isForwarded: isForwarded)
      }
    }
  }

  /// A record that the parent has as well gets one permanent id for both contexts.
  private func takeIDs(
    of parent: NSManagedObjectContext, for objects: [NSManagedObject]
  ) throws {
    if objects.isEmpty { return }
    try parent.queue.sync {
      let twins = objects.map { ($0, parent.object($0.layout, $0.key)) }
      try parent.obtainPermanentIDs(for: twins.map(\.1))
      for (object, twin) in twins where twin.key > 0 {
        // An instance that came under the permanent id already keeps it to itself.
        guard registered(object.layout, twin.key) == nil,
          let store = persistentStoreCoordinator?.store(forKey: twin.key)
        else { continue }
        // Rows of the parent that were read before may still name the temporary key.
        rekey(object, to: twin.key, in: store.identityRecord, isForwarded: true)
      }
    }
  }

  /// Gives an object a permanent key in place of its temporary one, by which children may still
  /// ask.
  func rekey(
    _ object: NSManagedObject, to key: Int64, in store: StoreIdentity, isForwarded: Bool
  ) {
    let objects = registry.objects
    objects.remove(object)
    if isForwarded { forwarding[object.key] = key }
    object.key = key
    object.idStorage = NSManagedObjectID(layout: object.layout, store: store, key: key)
    objects.insert(object)
  }
}
