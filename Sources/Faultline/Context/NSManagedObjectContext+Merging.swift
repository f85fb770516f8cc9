import Foundation

extension NSManagedObjectContext: CoordinatorClient {
  /// Takes the changes of another context's save into this one.
  ///
  /// Call it on this context's queue; the thread of the notification does not matter. It takes
  /// notifications of objects and of ids.
  public func mergeChanges(fromContextDidSave notification: Notification) {
    check("mergeChanges(fromContextDidSave:)")
    // A context that merged its own save would handle it twice.
    if notification.object as AnyObject? === self { return }
    // Rows saved through another coordinator are not in the row cache of this one.
    let saver = notification.object as? NSManagedObjectContext
    let isFresh = saver?.persistentStoreCoordinator !== persistentStoreCoordinator
    mergeAsEvent(SavedIDs(notification.userInfo ?? [:]), isFresh: isFresh)
  }

  /// Takes changes that went past every context, such as a batch request's, into several contexts.
  ///
  /// The values are ids or URIs under the keys of save notifications. Each context is entered on
  /// its queue.
  public class func mergeChanges(
    fromRemoteContextSave changes: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
  ) {
    for context in contexts {
      context.performAndWait {
        let ids = SavedIDs(changes, coordinator: context.persistentStoreCoordinator)
        context.mergeAsEvent(ids, isFresh: true)
      }
    }
  }

  var mergesSaves: Bool { automaticallyMergesChangesFromParent && !isPinnedElsewhere }

  func siblingSaved(_ changes: SavedIDs) {
    queue.async { [weak self] in
      guard let self, !isPinnedElsewhere else { return }
      mergeAsEvent(changes, isFresh: false)
    }
  }

  /// Merges one save and ends the event; nothing of it can be undone.
  private func mergeAsEvent(_ saved: SavedIDs, isFresh: Bool) {
    withoutUndo {
      merge(saved, isFresh: isFresh)
      processPendingChanges()
    }
  }

  /// Merges one save: refreshes what is registered and updated, faults in what was inserted,
  /// deletes what was deleted. What nobody here holds is not loaded.
  func merge(_ saved: SavedIDs, isFresh: Bool) {
    Scheduling.reach(.merge, ownerName)
    advanceGeneration()
    var inserted: [NSManagedObject] = []
    var refreshed: [NSManagedObjectID] = []
    for id in saved.inserted {
      let object = object(id.layout, id.key, id: id)
      if object.isRealised { reload(object, isFresh: isFresh) }
      inserted.append(object)
    }
    for id in saved.updated {
      guard let object = registered(id.layout, id.key), !object.isDeleted else { continue }
      if isFresh { dropCachedRow(id) }
      reload(object, isFresh: isFresh)
      refreshed.append(id)
    }
    for id in saved.deleted {
      if isFresh { dropCachedRow(id) }
      guard let object = registered(id.layout, id.key), !object.isDeleted else { continue }
      deleteMerged(object)
    }
    event.inserted += inserted
    post(
      Self.didMergeChangesObjectIDsNotification,
      [
        (NSInsertedObjectIDsKey, set(saved.inserted)), (NSUpdatedObjectIDsKey, set(refreshed)),
        (NSDeletedObjectIDsKey, set(saved.deleted)),
      ])
  }

  /// Deletes an object whose row is gone already: the next save writes nothing for it.
  private func deleteMerged(_ object: NSManagedObject) {
    if object.snapshot != nil { realise(object) }
    if !object.isRealised { return makeInaccessible(object) }
    object.state.formUnion([.deleted, .inaccessible])
    object.state.subtract([.updated, .propagated])
    list(object)
    event.deleted.append(object)
  }

  private func dropCachedRow(_ id: NSManagedObjectID) {
    guard !id.isTemporaryID, let store = persistentStoreCoordinator?.store(forKey: id.key) else {
      return
    }
    store.rowCache.member(table: id.layout.rootNumber, key: id.key).map(store.rowCache.forget)
  }
}

extension SavedIDs {
  /// The ids in a notification's userInfo: of objects, ids, arrays or sets of either, or URIs.
  init(_ info: [AnyHashable: Any], coordinator: NSPersistentStoreCoordinator? = nil) {
    inserted = Self.ids(info, [NSInsertedObjectIDsKey, NSInsertedObjectsKey], coordinator)
    updated = Self.ids(
      info,
      [NSUpdatedObjectIDsKey, NSUpdatedObjectsKey, NSRefreshedObjectIDsKey, NSRefreshedObjectsKey],
      coordinator)
    deleted = Self.ids(info, [NSDeletedObjectIDsKey, NSDeletedObjectsKey], coordinator)
  }

  private static func ids(
    _ info: [AnyHashable: Any], _ keys: [String], _ coordinator: NSPersistentStoreCoordinator?
  ) -> [NSManagedObjectID] {
    keys.flatMap { elements(info[$0]) }.compactMap { element in
      switch element {
      case let id as NSManagedObjectID: return id
      case let object as NSManagedObject where coordinator == nil: return object.objectID
      case let object as NSManagedObject:
        ProgrammerError.stop(
          "NSInvalidArgumentException: mergeChanges(fromRemoteContextSave:into:) takes ids or "
            + "URIs, not \(object.shortDescription); pass its objectID.")
      case let uri as URL: return coordinator?.managedObjectID(forURIRepresentation: uri)
      default: return nil
      }
    }
  }

  private static func elements(_ collection: Any?) -> [Any] {
    switch collection {
    case let set as Set<NSManagedObject>: return Array(set)
    case let set as Set<NSManagedObjectID>: return Array(set)
    case let set as NSSet: return set.allObjects
    case let array as [Any]: return array
    default: return []
    }
  }
}
