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
    let ids = SavedIDs(notification.userInfo ?? [:])
    if isFresh { dropCachedRows(ids) }
    mergeAsEvent(ids, isFresh: isFresh)
  }

  /// Takes changes that went past every context, such as a batch request's, into several contexts.
  ///
  /// The values are ids or URIs under the keys of save notifications. Each context is entered on
  /// its queue, a parent before its children, which read from it.
  public class func mergeChanges(
    fromRemoteContextSave changes: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
  ) {
    let depths = contexts.map { (context: $0, depth: $0.depth) }
    let changes = UncheckedBox(changes)
    var coordinators: Set<NSPersistentStoreCoordinator?> = []
    for (context, _) in depths.sorted(by: { $0.depth < $1.depth }) {
      let coordinator = context.persistentStoreCoordinator
      // Once, because its contexts share what the first of them reads.
      let isFirst = coordinators.insert(coordinator).inserted
      context.performAndWait {
        let ids = SavedIDs(changes.value, coordinator: coordinator)
        if isFirst { context.dropCachedRows(ids) }
        context.mergeAsEvent(ids, isFresh: true)
      }
    }
  }

  /// How many contexts lie between this one and the coordinator.
  private var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

  var mergesSaves: Bool { automaticallyMergesChangesFromParent && !isPinnedElsewhere }

  func siblingSaved(_ changes: SavedIDs) {
    queue.asyncOfEngine { [weak self] in
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
      revive(object)
      if object.isRealised {
        reload(object, isFresh: isFresh)
      } else if object.snapshot?.isCached == false {
        object.snapshot = nil  // It may be of a former life.
      }
      inserted.append(object)
    }
    for id in saved.updated {
      // A pending deletion stays on top like any other change; an object that is gone has no row.
      guard let object = registered(id.layout, id.key), !object.state.contains(.inaccessible)
      else { continue }
      reload(object, isFresh: isFresh)
      refreshed.append(id)
    }
    let going = Set(event.deleted)
    var ended: [NSManagedObject] = []
    for id in saved.deleted {
      guard let object = registered(id.layout, id.key), !object.state.contains(.inaccessible)
      else { continue }
      if !object.isDeleted {
        deleteMerged(object)
      } else if isGone(object) {
        // No rollback can undo the deletion now; if it was announced, that is all.
        if going.contains(object) {
          deleteMerged(object)
        } else {
          unlinkMerged(object)
          ended.append(object)
        }
      }
    }
    releaseMerged(ended)
    var next = 0
    while next < event.merged.count {
      unlinkMerged(event.merged[next])
      next += 1
    }
    event.inserted += inserted
    post(
      Self.didMergeChangesObjectIDsNotification,
      [
        (NSInsertedObjectIDsKey, set(saved.inserted)), (NSUpdatedObjectIDsKey, set(refreshed)),
        (NSDeletedObjectIDsKey, set(saved.deleted)),
      ])
  }

  /// Makes a fault again of an object that was taken for gone and whose row is there once more.
  private func revive(_ object: NSManagedObject) {
    guard object.state.contains(.inaccessible) else { return }
    event.deleted.removeAll { $0 === object }
    event.merged.removeAll { $0 === object }
    turnIntoFault(object)
    object.snapshot = nil
  }

  /// Whether the row of an object that is to be deleted is gone; what a child pushed is still to be
  /// deleted here, though the child tells of it as saved.
  private func isGone(_ object: NSManagedObject) -> Bool {
    if object.neverSaved { return false }
    do {
      let parent = parentStore(for: "a merge")
      return try parent.row(object.layout, key: object.key, ageMax: stalenessInterval) == nil
    } catch {
      return false
    }
  }

  /// Deletes an object whose row is gone already: a save has nothing to write for it.
  private func deleteMerged(_ object: NSManagedObject) {
    if object.snapshot != nil { realise(object) }
    event.merged.append(object)
    if !object.isRealised { return makeInaccessible(object) }
    object.state.formUnion([.deleted, .inaccessible])
    object.state.subtract([.updated, .propagated])
    list(object)
    event.deleted.append(object)
  }

  /// Applies the delete rules of an object whose row is gone to what this context knows.
  ///
  /// Whoever deleted the row has done so with all others, and told of them if it was a save. So
  /// nothing is loaded, and nobody is changed who merely counted the object among its members; only
  /// who still leads to it is made sure of and follows the rule.
  func unlinkMerged(_ object: NSManagedObject) {
    guard object.isDeleted, !object.state.contains(.propagated) else { return }
    object.state.insert(.propagated)
    for slot in object.layout.relationshipSlots {
      let description = object.layout.slots[slot]
      for other in object.knownRelatives(slot, registered) where other.isLiving {
        switch description.deleteRule {
        case .cascadeDeleteRule: cascade(from: object, to: other, description.inverse)
        case .nullifyDeleteRule:
          if let inverse = description.inverse { unlink(object, from: other, inverse) }
        case .noActionDeleteRule, .denyDeleteRule: break
        }
      }
    }
  }

  private func cascade(
    from object: NSManagedObject, to other: NSManagedObject, _ inverse: Int?
  ) {
    if !other.isInserted {
      guard let isThere = try? catchUp(other, keeps: { isLocal, _ in isLocal }) else { return }
      if !isThere { return deleteMerged(other) }
    }
    if let inverse, other.layout.slots[inverse].kind == .toOne,
      other.destination(inverse) !== object
    {
      return
    }
    delete(other)
  }

  private func unlink(
    _ object: NSManagedObject, from other: NSManagedObject, _ inverse: Int
  ) {
    guard other.isRealised else {
      // The row that it has at hand may be older than the deletion.
      dropCachedRow(other.objectID)
      reload(other)
      return
    }
    if case .toMany(let storage) = other.current(inverse) { return storage.drop(object) }
    guard other.layout.slots[inverse].kind == .toOne, other.destination(inverse) === object else {
      return
    }
    if !other.isInserted { _ = try? catchUp(other, keeps: { isLocal, _ in isLocal }) }
    other.unlinkInverse(inverse, from: object)
  }

  /// Lets go of objects whose deletion was merged; they are deleted for good.
  func releaseMerged(_ objects: [NSManagedObject]) {
    if objects.isEmpty { return }
    let gone = Set(objects.filter { $0.isDeleted && $0.registry === registry })
    changes.removeAll { gone.contains($0) }
    for object in gone {
      object.detach()
      object.state.insert(.deleted)
    }
  }

  /// Lets the row cache forget rows that were written past it: this context, the others and later
  /// readers must not get the old ones, whether a context holds an object of the record or none.
  private func dropCachedRows(_ saved: SavedIDs) {
    for ids in [saved.inserted, saved.updated, saved.deleted] { ids.forEach(dropCachedRow) }
  }

  private func dropCachedRow(_ id: NSManagedObjectID) {
    guard !id.isTemporaryID, let store = persistentStoreCoordinator?.store(forKey: id.key) else {
      return
    }
    let cache = store.rowCache
    cache.forget(table: id.layout.rootNumber, key: id.key, mark: cache.beginEra())
  }
}

extension NSManagedObjectContext.Saved {
  /// Counts records that came back among the inserted ones, because whoever merged their deletion
  /// knows nothing of them any more.
  mutating func takeForInserted(_ returned: Set<NSManagedObject>) {
    inserted += updated.filter(returned.contains)
    updated.removeAll(where: returned.contains)
    let ids = Set(returned.map(\.objectID))
    insertedIDs.formUnion(ids)
    updatedIDs.subtract(ids)
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

extension NSManagedObject {
  /// The related objects that are known without loading anything.
  func knownRelatives(
    _ slot: Int, _ registered: (EntityLayout, Int64) -> NSManagedObject?
  ) -> [NSManagedObject] {
    switch current(slot) {
    case .object(let object): return [object]
    case .key(let key): return registered(layout.slots[slot].destination, key).map { [$0] } ?? []
    case .id(let id): return registered(id.layout, id.key).map { [$0] } ?? []
    case .toMany(let storage): return Array(storage.members ?? storage.added)
    case .null, .integer, .double, .string, .data, .boxed: return []
    }
  }
}
