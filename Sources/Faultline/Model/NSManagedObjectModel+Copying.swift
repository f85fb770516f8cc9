import Foundation

/// Copies: of a model in use too, and always ones that may be changed.
extension NSManagedObjectModel: NSCopying {
  /// A model of the same entities, configurations and templates, which is not in use.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSManagedObjectModel()
    copy.take(from: [self])
    return copy
  }

  /// Makes one model of several; each keeps its own entities.
  ///
  /// An entity of the same name in two of them must be the same, or the process stops.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    guard let models else { return nil }
    self.init()
    take(from: models)
  }

  /// Makes the model of several that a store with this metadata was written with; nil if they
  /// cannot make it.
  public convenience init?(
    byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
  ) {
    guard let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
    self.init()
    take(from: models) { hashes[$0.name ?? ""] == $0.versionHash }
    if entityVersionHashesByName != hashes { return nil }
  }

  /// The model that all models of some bundles make together; nil means all places in which
  /// `NSPersistentContainer(name:)` looks.
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    NSManagedObjectModel(
      byMerging: ModelPlaces.models(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) }
    )
  }

  /// The model of the models of some bundles that a store with this metadata was written with.
  public class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    NSManagedObjectModel(
      byMerging: ModelPlaces.models(in: bundles).compactMap {
        NSManagedObjectModel(contentsOf: $0)
      },
      forStoreMetadata: metadata)
  }

  private func take(
    from models: [NSManagedObjectModel],
    where isWanted: (NSEntityDescription) -> Bool = { _ in true }
  ) {
    var copier = ModelCopier()
    var names: [String: NSEntityDescription] = [:]
    for entity in models.flatMap(\.entities) where isWanted(entity) {
      if let other = names.updateValue(entity, forKey: entity.name ?? "") {
        guard other.versionHash == entity.versionHash else {
          ProgrammerError.stop(
            "NSInvalidArgumentException: Can't merge models with two different entities named "
              + "'\(entity.name ?? "?")'; rename one, or merge for the metadata of a store.")
        }
        copier.merge(entity, into: other)
      } else {
        copier.add(entity)
      }
    }
    entities = copier.finished()
    for model in models {
      versionIdentifiers.formUnion(model.versionIdentifiers)
      templateSources.merge(model.templateSources) { $1 }
      templates.merge(model.templates) { $1 }
      for name in model.configurations {
        let members = model.entities(forConfigurationName: name) ?? []
        let own = configurationEntities[name] ?? []
        let new = members.compactMap { entitiesByName[$0.name ?? ""] }
        configurationEntities[name] = own + new.filter { entity in !own.contains { $0 === entity } }
      }
    }
  }
}

/// Copies entities together, because they refer to each other.
private struct ModelCopier {
  private var copies: [ObjectIdentifier: NSEntityDescription] = [:]
  private var pairs: [(old: NSEntityDescription, new: NSEntityDescription)] = []
  private var properties: [ObjectIdentifier: NSPropertyDescription] = [:]

  mutating func add(_ old: NSEntityDescription) {
    let new = NSEntityDescription()
    new.name = old.name
    new.managedObjectClassName = old.managedObjectClassName
    new.isAbstract = old.isAbstract
    new.userInfo = old.userInfo
    new.versionHashModifier = old.versionHashModifier
    new.renamingIdentifier = old.renamedFrom
    copies[ObjectIdentifier(old)] = new
    pairs.append((old, new))
  }

  /// Lets one entity stand for an equal one.
  mutating func merge(_ old: NSEntityDescription, into other: NSEntityDescription) {
    copies[ObjectIdentifier(old)] = copies[ObjectIdentifier(other)]
  }

  /// The copies, tied together.
  mutating func finished() -> [NSEntityDescription] {
    for (old, new) in pairs {
      new.subentities = old.subentities.compactMap { copies[ObjectIdentifier($0)] }
    }
    for (old, new) in pairs {
      new.properties += old.properties.filter { $0.entity === old }.map { property in
        let copy = property.duplicate()
        remember(property, copy)
        return copy
      }
    }
    for (old, new) in pairs {
      for case let property as NSRelationshipDescription in old.properties {
        tie(property)
      }
      new.constraintNames = old.constraintNames
      new.indexes = old.indexes.map(copy)
    }
    return pairs.map(\.new)
  }

  private mutating func remember(_ old: NSPropertyDescription, _ new: NSPropertyDescription) {
    properties[ObjectIdentifier(old)] = new
    guard let old = old as? NSCompositeAttributeDescription,
      let new = new as? NSCompositeAttributeDescription
    else { return }
    for (old, new) in zip(old.elements, new.elements) { remember(old, new) }
  }

  private func tie(_ old: NSRelationshipDescription) {
    guard let new = properties[ObjectIdentifier(old)] as? NSRelationshipDescription else { return }
    new.destinationEntity = old.destinationEntity.flatMap { copies[ObjectIdentifier($0)] }
    new.inverseRelationship =
      old.inverseRelationship.flatMap { properties[ObjectIdentifier($0)] }
      as? NSRelationshipDescription
  }

  private func copy(_ old: NSFetchIndexDescription) -> NSFetchIndexDescription {
    let elements = old.elements.compactMap { element in
      element.property.flatMap { properties[ObjectIdentifier($0)] }.map { property in
        let copy = NSFetchIndexElementDescription(
          property: property, collationType: element.collationType)
        copy.isAscending = element.isAscending
        return copy
      }
    }
    return NSFetchIndexDescription(name: old.name, elements: elements)
  }
}

extension NSPropertyDescription {
  /// A property with the same settings, of no entity yet.
  fileprivate func duplicate() -> NSPropertyDescription {
    let copy: NSPropertyDescription
    switch self {
    case let attribute as NSAttributeDescription: copy = attribute.duplicateAttribute()
    case let relationship as NSRelationshipDescription:
      let made = NSRelationshipDescription()
      made.deleteRule = relationship.deleteRule
      made.minCount = relationship.minCount
      made.maxCount = relationship.maxCount
      made.isOrdered = relationship.isOrdered
      copy = made
    case let fetched as NSFetchedPropertyDescription:
      let made = NSFetchedPropertyDescription()
      made.source = fetched.source
      made.request = (fetched.request as? any NSCopying)?.copy(with: nil) as AnyObject?
      copy = made
    default: copy = NSPropertyDescription()
    }
    copy.name = name
    copy.isOptional = isOptional
    copy.isTransient = isTransient
    copy.userInfo = userInfo
    copy.versionHashModifier = versionHashModifier
    copy.renamingIdentifier = renamedFrom
    copy.isIndexedBySpotlight = isIndexedBySpotlight
    copy.setValidationPredicates(
      validationPredicates, withValidationWarnings: validationWarnings)
    return copy
  }
}

extension NSAttributeDescription {
  fileprivate func duplicateAttribute() -> NSAttributeDescription {
    let copy: NSAttributeDescription
    switch self {
    case let composite as NSCompositeAttributeDescription:
      let made = NSCompositeAttributeDescription()
      made.elements = composite.elements.compactMap { $0.duplicate() as? NSAttributeDescription }
      copy = made
    case let derived as NSDerivedAttributeDescription:
      let made = NSDerivedAttributeDescription()
      made.derivationExpression = derived.derivationExpression
      copy = made
    default: copy = NSAttributeDescription()
    }
    copy.attributeType = attributeType
    copy.defaultValue = defaultValue
    copy.valueTransformerName = valueTransformerName
    copy.attributeValueClassName = attributeValueClassName
    copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    return copy
  }
}
