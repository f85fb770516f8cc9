import Foundation

/// What happens to the destination of a relationship when its source is deleted.
public enum NSDeleteRule: UInt, Sendable {
  case noActionDeleteRule = 0
  case nullifyDeleteRule = 1
  case cascadeDeleteRule = 2
  case denyDeleteRule = 3
}

/// A relationship of an entity.
open class NSRelationshipDescription: NSPropertyDescription {
  /// The entity at the other end.
  open weak var destinationEntity: NSEntityDescription? { didSet { refuseIfFrozen() } }
  /// The relationship that leads back.
  open weak var inverseRelationship: NSRelationshipDescription? { didSet { refuseIfFrozen() } }
  /// What happens to the destination when the source is deleted.
  open var deleteRule = NSDeleteRule.nullifyDeleteRule { didSet { refuseIfFrozen() } }
  /// The fewest destinations that are valid if there are any.
  open var minCount = 0 { didSet { refuseIfFrozen() } }
  /// The most destinations; 1 makes the relationship to-one, 0 means without limit.
  open var maxCount = 0 { didSet { refuseIfFrozen() } }
  /// Whether the destinations have an order of their own.
  open var isOrdered = false { didSet { refuseIfFrozen() } }

  /// Whether more than one destination is possible.
  open var isToMany: Bool { maxCount != 1 }
}
