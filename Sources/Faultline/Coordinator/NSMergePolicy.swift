// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// How a merge policy decides.
public enum NSMergePolicyType: UInt, Sendable {
  case errorMergePolicyType = 0
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  case overwriteMergePolicyType = 3
  case rollbackMergePolicyType = 4
}

/// What a context does when a save finds that somebody else changed the same objects.
///
/// "Object" is the saving context's own object, "store" is what somebody else saved. Immutable, so
/// it may be shared by contexts.
open class NSMergePolicy: NSObject, @unchecked Sendable {
  /// How this policy decides.
  public let mergeType: NSMergePolicyType

  /// The save fails with the list of conflicts; the default of every context.
  public static let error = NSMergePolicy(merge: .errorMergePolicyType)
  /// Property by property; where both sides changed one, the store wins.
  public static let mergeByPropertyStoreTrump = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
  /// Property by property; where both sides changed one, the object wins.
  public static let mergeByPropertyObjectTrump = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
  /// The whole object is written over what the store has.
  public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
  /// The object's changes are dropped for what the store has.
  public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)

  /// Makes a policy of a type.
  public init(merge type: NSMergePolicyType) {
    mergeType = type
    super.init()
  }

  /// Resolves every conflict, or throws; a subclass that overrides it calls super.
  open func resolve(mergeConflicts list: [Any]) throws {
    let versions = list.compactMap { $0 as? NSMergeConflict }
    let duplicates = list.compactMap { $0 as? NSConstraintConflict }
    if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
    if !duplicates.isEmpty { try resolve(constraintConflicts: duplicates) }
  }

  /// Resolves the conflicts of optimistic locking, or throws error 133020 with their list.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    guard mergeType != .errorMergePolicyType else { throw Self.mergeError(list) }
    for conflict in list { resolve(conflict) }
  }

  /// Resolves the conflicts of uniqueness constraints, or throws error 133021 with their list.
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    guard mergeType != .errorMergePolicyType else { throw Self.constraintError(list) }
    resolveDuplicates(list)
  }

  /// The error of a save that found conflicts and may not, or cannot, resolve them.
  static func mergeError(_ list: [NSMergeConflict], isUnresolved: Bool = false) -> CocoaError {
    let names = list.prefix(3).map { $0.sourceObject.shortDescription }.joined(separator: ", ")
    let sentence =
      isUnresolved
      ? "unable to recover from optimistic locking failure: the policy left \(names) in conflict"
      : "Could not merge changes: \(list.count) object\(list.count == 1 ? " was" : "s were") "
        + "changed by "
        + "somebody else since this context read \(list.count == 1 ? "it" : "them"): \(names)."
    return CocoaError(
      CocoaError.Code(rawValue: NSManagedObjectMergeError),
      userInfo: [NSPersistentStoreSaveConflictsErrorKey: list, NSLocalizedDescriptionKey: sentence])
  }

  private func resolve(_ conflict: NSMergeConflict) {
    let object = conflict.sourceObject
    guard let owner = object.registry?.owner as? any ConflictOwner else { return }
    guard let external = conflict.external else {
      return resolveDeletedRow(object, owner)
    }
    if object.isDeleted {
      switch mergeType {
      case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
        owner.cancelDeletion(of: object)
        object.adopt(external) { _, _ in false }
      case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
        .errorMergePolicyType:
        object.snapshot = external
      }
      return owner.noteMerged(object)
    }
    switch mergeType {
    case .errorMergePolicyType: break
    case .mergeByPropertyStoreTrumpMergePolicyType:
      object.adopt(external) { isLocal, isExternal in isLocal && !isExternal }
    case .mergeByPropertyObjectTrumpMergePolicyType:
      object.adopt(external) { isLocal, _ in isLocal }
    case .overwriteMergePolicyType:
      object.adopt(external) { _, _ in true }
    case .rollbackMergePolicyType:
      object.undoRelationshipChanges()
      object.adopt(external) { _, _ in false }
    }
    owner.noteMerged(object)
  }

  /// The row is gone: the update is dropped with it, or the row is written anew.
  private func resolveDeletedRow(_ object: NSManagedObject, _ owner: any ConflictOwner) {
    switch mergeType {
    case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
      object.state.insert(.reinserted)
      object.renewLinks()
    case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType, .errorMergePolicyType:
      owner.acceptDeletion(of: object)
    }
  }
}

// Safe to share: immutable.

/// The error policy, by its older name.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// The store-trump policy, by its older name.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyStoreTrump
}
/// The object-trump policy, by its older name.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyObjectTrump
}
/// The overwrite policy, by its older name.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The rollback policy, by its older name.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

/// What a merge policy asks of the context that saves.
protocol ConflictOwner: AnyObject {
  /// The objects with unsaved changes; some may be clean again.
  var changes: [NSManagedObject] { get }
  /// The object is to be deleted.
  func delete(_ object: NSManagedObject)
  /// The object is not to be deleted after all.
  func cancelDeletion(of object: NSManagedObject)
  /// The object's row is gone and the object goes with it.
  func acceptDeletion(of object: NSManagedObject)
  /// The object's values were merged.
  func noteMerged(_ object: NSManagedObject)
  /// The object takes its newest row and keeps of its changes what `keeps` admits; false if there
  /// is none.
  func catchUp(
    _ object: NSManagedObject, keeps: (_ isLocal: Bool, _ isExternal: Bool) -> Bool
  ) throws -> Bool
}
