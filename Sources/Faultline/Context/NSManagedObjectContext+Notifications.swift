// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// The key of inserted objects in notifications.
public let NSInsertedObjectsKey = "inserted"
/// The key of updated objects in notifications.
public let NSUpdatedObjectsKey = "updated"
/// The key of deleted objects in notifications.
public let NSDeletedObjectsKey = "deleted"
/// The key of refreshed objects in notifications.
public let NSRefreshedObjectsKey = "refreshed"
/// The key of invalidated objects in notifications.
public let NSInvalidatedObjectsKey = "invalidated"
/// The key of the ids of all objects of a context that was reset.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The key of the ids of inserted objects in notifications.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The key of the ids of updated objects in notifications.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The key of the ids of deleted objects in notifications.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The key of the ids of refreshed objects in notifications.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The key of the ids of invalidated objects in notifications.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// The key of the query generation that a pinned context reads after its save.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

extension Notification.Name {
  /// Objects of a context changed in memory.
  public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
    "NSObjectsChangedInManagingContextNotification")
  /// A context is about to save.
  public static let NSManagedObjectContextWillSave = Notification.Name(
    "NSManagingContextWillSaveChangesNotification")
  /// A context saved.
  public static let NSManagedObjectContextDidSave = Notification.Name(
    "NSManagingContextDidSaveChangesNotification")
}

extension NSManagedObjectContext {
  /// Objects of a context changed in memory.
  public static let didChangeObjectsNotification = Notification.Name
    .NSManagedObjectContextObjectsDidChange
  /// A context is about to save.
  public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
  /// A context saved; the objects belong to it and may be used only while the notification is
  /// posted.
  public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
  /// A context saved; the ids may be sent anywhere.
  public static let didSaveObjectIDsNotification = Notification.Name(
    "NSManagedObjectContextDidSaveObjectIDsNotification")
  /// A context merged the changes of another.
  public static let didMergeChangesObjectIDsNotification = Notification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification")

  /// The keys of the sets in notifications.
  public enum NotificationKey: String, Sendable {
    case sourceContext = "managedObjectContext"
    case queryGeneration = "newQueryGeneration"
    case insertedObjects = "inserted"
    case updatedObjects = "updated"
    case deletedObjects = "deleted"
    case refreshedObjects = "refreshed"
    case invalidatedObjects = "invalidated"
    case invalidatedAllObjects = "invalidatedAll"
    case insertedObjectIDs = "inserted_objectIDs"
    case updatedObjectIDs = "updated_objectIDs"
    case deletedObjectIDs = "deleted_objectIDs"
    case refreshedObjectIDs = "refreshed_objectIDs"
    case invalidatedObjectIDs = "invalidated_objectIDs"
  }

  /// Posts a notification on this thread; a category without members has no entry.
  func post(_ name: Notification.Name, _ sets: [(String, Any?)]) {
    Scheduling.reach(.notification, name.rawValue)
    var info: [AnyHashable: Any] = [:]
    for (key, value) in sets { info[key] = value }
    NotificationCenter.default.post(name: name, object: self, userInfo: info.isEmpty ? nil : info)
  }

  /// Posts what changed in one event, if anything did; the objects are free for the next event.
  func postObjectsDidChange(_ event: Event) {
    let isPlain = endEvent(of: event.inserted) { $0.registry != nil }
    let isPlainToo = endEvent(of: event.updated) { $0.isDirty }
    if isPlain, isPlainToo, event.deleted.isEmpty, event.refreshed.isEmpty {
      let posted = Announced(event)
      if isSaving { announced = posted }
      return post(
        .NSManagedObjectContextObjectsDidChange,
        [
          (NSInsertedObjectsKey, nonempty(posted.inserted)),
          (NSUpdatedObjectsKey, nonempty(posted.updated)),
        ])
    }
    let (inserted, updated, deleted) = disjoint(event)
    let refreshed = set(event.refreshed.filter { !updated.contains($0) && !deleted.contains($0) })
    let sets: [(String, Any?)] = [
      (NSInsertedObjectsKey, nonempty(inserted)), (NSUpdatedObjectsKey, nonempty(updated)),
      (NSDeletedObjectsKey, nonempty(deleted)), (NSRefreshedObjectsKey, refreshed),
    ]
    if sets.allSatisfy({ $0.1 == nil }) { return }
    post(.NSManagedObjectContextObjectsDidChange, sets)
  }

  /// Lets the next change of each object begin an event again.
  ///
  /// - Returns: whether each was noted, and so is neither listed twice nor anywhere else, and
  ///   passes the test.
  private func endEvent(
    of objects: [NSManagedObject], _ isIncluded: (NSManagedObject) -> Bool
  ) -> Bool {
    var isPlain = true
    for object in objects {
      if !object.state.contains(.noted) || !isIncluded(object) { isPlain = false }
      object.state.remove(.noted)
    }
    return isPlain
  }

  /// The sets of an event that was posted during a save, which `DidSave` most often posts again.
  struct Announced {
    private let event: Event
    /// The objects that were inserted.
    let inserted: Set<NSManagedObject>
    /// The objects that were updated.
    let updated: Set<NSManagedObject>

    fileprivate init(_ event: Event) {
      self.event = event
      inserted = Set(distinct: event.inserted)
      updated = Set(distinct: event.updated)
    }

    /// The set of the inserted objects, if these are the same.
    fileprivate func inserted(_ objects: [NSManagedObject]) -> Set<NSManagedObject>? {
      objects.elementsEqual(event.inserted, by: ===) ? inserted : nil
    }

    /// The set of the updated objects, if these are the same.
    fileprivate func updated(_ objects: [NSManagedObject]) -> Set<NSManagedObject>? {
      objects.elementsEqual(event.updated, by: ===) ? updated : nil
    }
  }

  /// Posts what a save wrote, as objects and as ids.
  func postDidSave(_ saved: Saved) {
    let inserted = announced?.inserted(saved.inserted) ?? Set(distinct: saved.inserted)
    let updated = announced?.updated(saved.updated) ?? Set(distinct: saved.updated)
    announced = nil
    post(
      .NSManagedObjectContextDidSave,
      [
        (NSInsertedObjectsKey, nonempty(inserted)), (NSUpdatedObjectsKey, nonempty(updated)),
        (NSDeletedObjectsKey, set(saved.deleted)),
        (NSManagedObjectContextQueryGenerationKey, pin?.generation.token),
      ])
    post(
      Self.didSaveObjectIDsNotification,
      [
        (NSInsertedObjectIDsKey, nonempty(Set(distinct: saved.inserted.lazy.map(\.objectID)))),
        (NSUpdatedObjectIDsKey, nonempty(Set(distinct: saved.updated.lazy.map(\.objectID)))),
        (NSDeletedObjectIDsKey, nonempty(Set(distinct: saved.deleted.lazy.map(\.objectID)))),
      ])
  }

  private func disjoint(
    _ event: Event
  ) -> (Set<NSManagedObject>, Set<NSManagedObject>, Set<NSManagedObject>) {
    // An object inserted and deleted within one event was never there for anybody.
    let deleted = Set(event.deleted.filter { $0.isDeleted })
    let fleeting = Set(event.inserted.filter { deleted.contains($0) })
    let inserted = Set(event.inserted.filter { !fleeting.contains($0) && $0.registry != nil })
    let updated = Set(
      event.updated.filter { !inserted.contains($0) && !deleted.contains($0) && $0.hasChanges })
    return (inserted, updated, deleted.subtracting(fleeting))
  }

  private func nonempty<Element>(_ set: Set<Element>) -> Set<Element>? {
    set.isEmpty ? nil : set
  }

  /// A set, or nil instead of an empty one.
  func set(_ objects: [NSManagedObject]) -> Set<NSManagedObject>? {
    objects.isEmpty ? nil : Set(objects)
  }

  /// A set of ids, or nil instead of an empty one.
  func set(_ ids: [NSManagedObjectID]) -> Set<NSManagedObjectID>? { ids.isEmpty ? nil : Set(ids) }
}

extension Set {
  /// A set of elements of which no two are equal.
  ///
  /// The standard library has this for its bridges: it compares nothing, and comparing two objects
  /// that stand beside each other in the set, through `isEqual`, is most of what a set costs.
  fileprivate init(distinct elements: some Collection<Element>) {
    var builder = _SetBuilder<Element>(count: elements.count)
    for element in elements { builder.add(member: element) }
    self = builder.take()
  }
}
