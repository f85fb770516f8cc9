import Foundation

/// Saving into several stores.
///
/// 1. Every changed object belongs to one store: that of its id, the one it was assigned to, or the
///    first writable one that accepts its entity. A relationship never leads to another store.
/// 2. The transactions of the stores are begun inside one another and all rows are written.
/// 3. Conflicts in any of them roll all of them back, and the merge policy decides about all.
/// 4. They commit from the inside out. Only a commit that fails after another one leaves a save
///    half done; then those that committed are clean and the others are still to be saved.
///
/// With one store all of this is one transaction.
extension NSManagedObjectContext {
  /// Selects the store that a new object is saved into.
  public func assign(_ object: Any, to store: NSPersistentStore) {
    check("assign(_:to:)")
    guard let object = object as? NSManagedObject, object.registry === registry else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: only an object of \(ownerName) can be assigned to a store by "
          + "it.")
    }
    guard object.key < 0 else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Can't reassign an object to a different store once it has "
          + "been saved: \(object.shortDescription); insert a copy for the other store instead.")
    }
    guard persistentStoreCoordinator?.persistentStores.contains(store) == true,
      store.accepts(object.layout)
    else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Can't assign an object to a store that does not contain the "
          + "object's entity \(object.layout.name), or that is not attached.")
    }
    assignments[object.key] = store
  }

  /// The store that an object lies in or would be saved into; nil if there is none.
  func store(of object: NSManagedObject) -> NSPersistentStore? {
    guard let coordinator = persistentStoreCoordinator else { return nil }
    if object.key > 0 { return coordinator.store(forKey: object.key) }
    return assignments[object.key] ?? coordinator.defaultStore(for: object.layout)
  }

  /// Step 1: one transaction a store, in an order that all coordinators share.
  func saveTransactions(
    for coordinator: NSPersistentStoreCoordinator
  ) throws -> [SaveTransaction] {
    let first = coordinator.stores(for: "a save")[0]
    if coordinator.isOnly(first) {
      if first.isReadOnly { throw StoreError.readOnly(first.url) }
      return [SaveTransaction(self, store: first)]
    }
    let pending = changes.filter { $0.hasChanges || $0.state.contains(.conflictChecked) }
    let parts = try byStore(pending, coordinator)
    for (store, objects) in parts {
      if store.isReadOnly, objects.contains(where: { $0.hasChanges }) {
        throw StoreError.readOnly(store.url)
      }
      for object in objects where !object.isDeleted { try refuseForeignStores(object, store) }
    }
    return parts.filter { !$0.store.isReadOnly }
      .sorted {
        ($0.store.identifier, $0.store.url?.path ?? "") < (
          $1.store.identifier, $1.store.url?.path ?? ""
        )
      }
      .map { SaveTransaction(self, store: $0.store, objects: $0.objects) }
  }

  /// The objects that each store is to take, in order of their first.
  func byStore(
    _ objects: [NSManagedObject], _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [(store: NSPersistentStore, objects: [NSManagedObject])] {
    var parts: [(store: NSPersistentStore, objects: [NSManagedObject])] = []
    for object in objects {
      let target: NSPersistentStore
      if let store = store(of: object) {
        target = store
      } else if object.isDeleted, object.neverSaved || object.state.contains(.inaccessible) {
        // It has no row to write, so any store will do.
        target =
          coordinator.defaultStore(for: object.layout) ?? coordinator.stores(for: "a save")[0]
      } else if object.key > 0 {
        throw StoreError.removed(object.objectID)
      } else {
        throw StoreError.noStore(for: object.layout.name)
      }
      if let index = parts.firstIndex(where: { $0.store === target }) {
        parts[index].objects.append(object)
      } else {
        parts.append((target, [object]))
      }
    }
    return parts
  }

  private func refuseForeignStores(_ object: NSManagedObject, _ own: NSPersistentStore) throws {
    for slot in object.layout.relationshipSlots {
      let others: [NSManagedObject]
      switch object.current(slot) {
      case .object(let destination): others = [destination]
      case .toMany(let storage): others = Array(storage.added)
      case .null, .integer, .double, .string, .data, .boxed, .key, .id: continue
      }
      for other in others where !other.isDeleted && store(of: other) !== own {
        throw StoreError.foreignStore(object.objectID, object.layout.slots[slot].name)
      }
    }
  }

  /// Steps 2 to 4.
  func write(_ parts: [SaveTransaction], isSearching: Bool) throws -> Saved {
    var writing = Writing(isSearching: isSearching)
    do { try write(parts[...], &writing) } catch {
      guard !writing.committed.isEmpty else { throw error }
      try failHalfDone(writing, parts, error)
    }
    if parts.count == 1 { return parts[0].install() }
    return parts.map { $0.install() }.reduce(into: Saved()) { $0.add($1) }
  }

  private struct Writing {
    /// Whether duplicates are searched for.
    let isSearching: Bool
    var conflicts: [NSMergeConflict] = []
    var duplicates: [DuplicatesFound.Duplicate] = []
    var committed: [SaveTransaction] = []
  }

  private func write(_ parts: ArraySlice<SaveTransaction>, _ writing: inout Writing) throws {
    guard let part = parts.first else {
      // Conflicts of versions come first; the next attempt finds the duplicates again.
      if !writing.conflicts.isEmpty { throw ConflictsFound(conflicts: writing.conflicts) }
      if !writing.duplicates.isEmpty { throw DuplicatesFound(duplicates: writing.duplicates) }
      return
    }
    try part.store.database.write { transaction in
      do {
        try throwingReadErrors {
          try part.write(transaction, isSearching: writing.isSearching)
        }
      } catch let found as ConflictsFound {
        writing.conflicts += found.conflicts
      } catch let found as DuplicatesFound {
        writing.duplicates += found.duplicates
      }
      try write(parts.dropFirst(), &writing)
    }
    writing.committed.append(part)
    persistentStoreCoordinator?.announceWrite(to: part.store)
  }

  /// Some stores committed: their objects are clean, and the error names the others.
  private func failHalfDone(
    _ writing: Writing, _ parts: [SaveTransaction], _ error: any Error
  ) throws -> Never {
    for part in writing.committed {
      for object in part.install().deleted where !object.hasChanges { object.detach() }
    }
    dropCleanChanges()
    let failed = parts.filter { part in !writing.committed.contains { $0 === part } }.map(\.store)
    throw CocoaError(
      CocoaError.Code(rawValue: NSPersistentStoreIncompleteSaveError),
      userInfo: [
        NSAffectedStoresErrorKey: failed, NSAffectedObjectsErrorKey: changes,
        NSUnderlyingErrorKey: error,
        NSLocalizedDescriptionKey:
          "Of \(parts.count) stores \(writing.committed.count) were saved; the others were not: "
          + "\(error.localizedDescription)",
      ])
  }
}
