import Foundation

/// One uniqueness constraint that a save would violate.
///
/// With a database object: its row has the values already, and one object of the saving context
/// wants them too. Without: two or more objects of the context want the same values.
open class NSConstraintConflict: NSObject {
  /// The names of the constrained properties.
  public let constraint: [String]
  /// The values that the objects had when the conflict was found, nil as `NSNull`.
  public let constraintValues: [String: Any]
  /// The object, in the saving context, whose row has the values already.
  public let databaseObject: NSManagedObject?
  /// That row's attributes and to-one ids.
  public let databaseSnapshot: [String: Any]?
  /// The objects that want the values, the oldest first.
  public let conflictingObjects: [NSManagedObject]
  /// For each of those objects the values it has in the store or, if it is new, in the context;
  /// `NSNull` where the maker of the conflict names an object without unsaved changes.
  public let conflictingSnapshots: [Any]

  /// Describes a conflict whose snapshots the caller knows.
  public init(
    constraint contraint: [String], database databaseObject: NSManagedObject?,
    databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
    conflictingSnapshots: [Any]
  ) {
    constraint = contraint
    self.databaseObject = databaseObject
    self.databaseSnapshot = databaseSnapshot as? [String: Any]
    self.conflictingObjects = conflictingObjects
    self.conflictingSnapshots = conflictingSnapshots
    let values = (conflictingObjects.last ?? databaseObject)?.currentSnapshot ?? [:]
    constraintValues = values.filter { contraint.contains($0.key) }
  }

  /// Describes a conflict of objects with each other, or of one of them with a row.
  convenience init(
    constraint: [String], database: NSManagedObject?, conflicting objects: [NSManagedObject]
  ) {
    self.init(
      constraint: constraint, database: database,
      databaseSnapshot: database.flatMap(Self.storedValues), conflicting: objects,
      conflictingSnapshots: objects.map { Self.storedValues($0) ?? $0.currentSnapshot })
  }

  private static func storedValues(_ object: NSManagedObject) -> [String: Any]? {
    object.snapshot.map { object.dictionary(of: $0) }
  }

  /// The constraint, its values and who wants them.
  open override var description: String {
    let wanted = constraint.map { "\($0) = \(constraintValues[$0] ?? "?")" }
    return
      "NSConstraintConflict for constraint (\(wanted.joined(separator: ", "))): database: "
      + "\(databaseObject?.shortDescription ?? "(null)"), conflictedObjects: ("
      + conflictingObjects.map(\.shortDescription).joined(separator: ", ") + ")"
  }

  /// The objects that share the values still, which a policy may have changed: the one that stays
  /// comes first.
  var parties: [NSManagedObject] {
    let all = (databaseObject.map { [$0] } ?? []) + conflictingObjects
    let living = all.filter { $0.registry != nil && !$0.isDeleted }
    guard let first = living.first, databaseObject == nil || first === databaseObject,
      let values = wanted(first)
    else { return [] }
    return living.filter { wanted($0) == values }
  }

  private func wanted(_ object: NSManagedObject) -> [UniquenessConstraint.Exact]? {
    let slots = constraint.compactMap { object.layout.index[$0] }
    return UniquenessConstraint(entity: object.layout, names: constraint, slots: slots)
      .values(of: object)
  }
}
