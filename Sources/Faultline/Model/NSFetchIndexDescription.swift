import Foundation

/// How the entries of an index are found.
public enum NSFetchIndexElementType: UInt, Sendable {
  case binary = 0
  case rTree = 1
}

/// One property in an index.
open class NSFetchIndexElementDescription: NSObject {
  /// The property.
  open private(set) var property: NSPropertyDescription?
  /// The name of the property.
  open var propertyName: String? { property?.name }
  /// How entries are found; stores make a binary index of each kind.
  open var collationType: NSFetchIndexElementType {
    didSet { indexDescription?.entity?.refuseIfFrozen() }
  }
  /// Whether the smallest value comes first.
  open var isAscending = true { didSet { indexDescription?.entity?.refuseIfFrozen() } }
  /// The index that the element belongs to.
  open internal(set) weak var indexDescription: NSFetchIndexDescription?

  /// Makes an element of a property.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    self.property = property
    self.collationType = collationType
    super.init()
  }
}

/// An index over properties of an entity, which stores of type SQLite make.
open class NSFetchIndexDescription: NSObject {
  /// The name, which no other index of the entity has.
  open var name: String { didSet { entity?.refuseIfFrozen() } }
  /// The properties, in their order.
  open var elements: [NSFetchIndexElementDescription] {
    didSet {
      entity?.refuseIfFrozen()
      for element in elements { element.indexDescription = self }
    }
  }
  /// Which rows are in the index; recorded only, because all are.
  open var partialIndexPredicate: NSPredicate? { didSet { entity?.refuseIfFrozen() } }
  /// The entity that the index belongs to.
  open internal(set) weak var entity: NSEntityDescription?

  /// Makes an index.
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    self.name = name
    self.elements = elements ?? []
    super.init()
    for element in self.elements { element.indexDescription = self }
  }
}
