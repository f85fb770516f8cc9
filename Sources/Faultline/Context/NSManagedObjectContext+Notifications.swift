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
  /// A context saved; the ids may be sent anywhere.
  public static let NSManagedObjectContextDidSaveObjectIDs = Notification.Name(
    "NSManagedObjectContextDidSaveObjectIDsNotification")
  /// A context merged the changes of another.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = Notification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
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
  public static let didSaveObjectIDsNotification = Notification.Name
    .NSManagedObjectContextDidSaveObjectIDs
  /// A context merged the changes of another.
  public static let didMergeChangesObjectIDsNotification = Notification.Name
    .NSManagedObjectContextDidMergeChangesObjectIDs

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
    for case (let key, let value?) in sets { info[key] = value }
    NotificationCenter.default.post(name: name, object: self, userInfo: info.isEmpty ? nil : info)
  }

  /// Posts what changed in one event, if anything did; the objects are free for the next event.
  func postObjectsDidChange(_ event: Event) {
    let isPlain = event.refreshed.isEmpty
    let noted = endEvent(of: event.inserted, isPlain) { $0.registry != nil && !$0.isDeleted }
    let notedToo = endEvent(of: event.updated, isPlain) { $0.isDirty && !$0.isDeleted }
    // Nobody has noted a deletion, so that one that is listed twice can be found by it.
    event.deleted.forEachHeld { _, object in
      if object.isDeleted { object.state.formSymmetricDifference(.noted) }
    }
    let gone = endEvent(of: event.deleted, isPlain) { _ in true }
    if let inserted = noted, let updated = notedToo, let deleted = gone {
      if isSaving {
        announced = Announced(event: event, inserted: inserted, updated: updated, deleted: deleted)
      }
      return post(
        .NSManagedObjectContextObjectsDidChange,
        [
          (NSInsertedObjectsKey, nonempty(inserted)), (NSUpdatedObjectsKey, nonempty(updated)),
          (NSDeletedObjectsKey, nonempty(deleted)),
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
  /// - Returns: the set of the objects, if it is asked for, and if each was noted, and so is
  ///   neither listed twice nor anywhere else, and passes the test.
  private func endEvent(
    of objects: [NSManagedObject], _ isPlain: Bool, _ isIncluded: (NSManagedObject) -> Bool
  ) -> Set<NSManagedObject>? {
    var isPlain = isPlain
    var set = DistinctSet<NSManagedObject>(count: isPlain ? objects.count : 0)
    objects.forEachHeld { _, object in
      if isPlain, object.state.contains(.noted), isIncluded(object) {
        set.add(member: object)
      } else {
        isPlain = false
      }
      object.state.remove(.noted)
    }
    return isPlain ? set.take() : nil
  }

  /// The sets of an event that was posted during a save, which `DidSave` most often posts again.
  struct Announced {
    /// The event that was posted.
    fileprivate let event: Event
    /// The objects that were inserted.
    fileprivate let inserted: Set<NSManagedObject>
    /// The objects that were updated.
    fileprivate let updated: Set<NSManagedObject>
    /// The objects that were deleted.
    fileprivate let deleted: Set<NSManagedObject>

    /// The set of the inserted objects, if these are the same.
    fileprivate func inserted(_ objects: [NSManagedObject]) -> Set<NSManagedObject>? {
      Self.same(objects, event.inserted) ? inserted : nil
    }

    /// The set of the updated objects, if these are the same.
    fileprivate func updated(_ objects: [NSManagedObject]) -> Set<NSManagedObject>? {
      Self.same(objects, event.updated) ? updated : nil
    }

    /// The set of the deleted objects, if these are the same.
    fileprivate func deleted(_ objects: [NSManagedObject]) -> Set<NSManagedObject>? {
      Self.same(objects, event.deleted) ? deleted : nil
    }

    /// Whether two lists name the same objects in the same order; they are compared as addresses,
    /// for which no object is touched.
    private static func same(_ some: [NSManagedObject], _ others: [NSManagedObject]) -> Bool {
      some.withUnsafeBytes { some in
        others.withUnsafeBytes { others in
          guard let first = some.baseAddress, let other = others.baseAddress else {
            return some.count == others.count
          }
          return some.count == others.count && memcmp(first, other, some.count) == 0
        }
      }
    }
  }

  /// Posts what a save wrote, as objects and as ids.
  func postDidSave(_ saved: Saved) {
    let inserted = announced?.inserted(saved.inserted) ?? Set(distinct: saved.inserted)
    let updated = announced?.updated(saved.updated) ?? Set(distinct: saved.updated)
    let deleted = announced?.deleted(saved.deleted) ?? Set(distinct: saved.deleted)
    announced = nil
    post(
      .NSManagedObjectContextDidSave,
      [
        (NSInsertedObjectsKey, nonempty(inserted)), (NSUpdatedObjectsKey, nonempty(updated)),
        (NSDeletedObjectsKey, nonempty(deleted)),
        (NSManagedObjectContextQueryGenerationKey, pin?.generation.token),
      ])
    post(
      Self.didSaveObjectIDsNotification,
      [
        (NSInsertedObjectIDsKey, nonempty(saved.insertedIDs)),
        (NSUpdatedObjectIDsKey, nonempty(saved.updatedIDs)),
        (NSDeletedObjectIDsKey, nonempty(Set(distinct: saved.deleted.map { $0.objectID }))),
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

/// Fills a set with elements of which no two are equal.
///
/// The standard library has this for its bridges: it compares nothing, and comparing two objects
/// that stand beside each other in the set, through `isEqual`, is most of what a set costs.
typealias DistinctSet<Element: Hashable> = _SetBuilder<Element>

extension Set {
  /// Makes a set of elements of which no two are equal.
  fileprivate init(distinct elements: [Element]) {
    var set = DistinctSet<Element>(count: elements.count)
    for element in elements { set.add(member: element) }
    self = set.take()
  }
}
