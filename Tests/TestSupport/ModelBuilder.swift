import Faultline

/// Models in code, said briefly.
public enum ModelBuilder {
  /// How many objects one end of a relationship leads to.
  public enum End {
    case one, many, ordered
  }

  /// An entity without a class of its own.
  public static func entity(
    _ name: String, _ properties: [NSPropertyDescription] = []
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  /// An attribute.
  public static func attribute(
    _ name: String, _ type: NSAttributeDescription.AttributeType, optional: Bool = true,
    default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.type = type
    attribute.isOptional = optional
    attribute.defaultValue = value
    return attribute
  }

  /// Adds a relationship from one entity to another, and the one that leads back.
  @discardableResult
  public static func relate(
    _ entity: NSEntityDescription, _ name: String, _ end: End, _ other: NSEntityDescription,
    _ back: String, _ otherEnd: End
  ) -> (NSRelationshipDescription, NSRelationshipDescription) {
    let there = relationship(name, end, to: other)
    let home = relationship(back, otherEnd, to: entity)
    there.inverseRelationship = home
    home.inverseRelationship = there
    entity.properties += [there]
    other.properties += [home]
    return (there, home)
  }

  /// Adds a many-to-many relationship that is its own inverse.
  public static func relateToItself(_ entity: NSEntityDescription, _ name: String) {
    let relationship = relationship(name, .many, to: entity)
    relationship.inverseRelationship = relationship
    entity.properties += [relationship]
  }

  private static func relationship(
    _ name: String, _ end: End, to destination: NSEntityDescription
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = end == .one ? 1 : 0
    relationship.isOrdered = end == .ordered
    return relationship
  }
}
