import Foundation

/// Copies: of a model in use too, and always ones that may be changed.
extension NSManagedObjectModel: NSCopying {
  /// A model of the same entities, configurations and templates, which is not in use.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSManagedObjectModel()
    copy.take([(self, entities)])
    return copy
  }

  /// Makes one model of several; each keeps its own entities.
  ///
  /// An entity of the same name in two of them must be the same, or the process stops.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    guard let models else { return nil }
    self.init()
    take(models.map { ($0, $0.entities) })
  }

  /// Makes the model of several that a store with this metadata was written with; nil if they
  /// cannot make it. Each of its entities comes from the model that has most of them.
  public convenience init?(
    byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
  ) {
    guard let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
    self.init()
    let parts = models.map { model in
      (model, model.entities.filter { hashes[$0.name ?? ""] == $0.versionHash })
    }
    var names = Set<String?>()
    take(
      parts.sorted { $0.1.count > $1.1.count }
        .map { ($0, $1.filter { names.insert($0.name).inserted }) }.filter { !$1.isEmpty })
    if entityVersionHashesByName != hashes { return nil }
  }

  /// The model that all models of some bundles make together; nil means all places in which
  /// `NSPersistentContainer(name:)` looks.
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    NSManagedObjectModel(
      byMerging: ModelPlaces.models(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) }
    )
  }

  /// The model of the models of some bundles, in whichever version, that a store with this metadata
  /// was written with.
  public class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    NSManagedObjectModel(
      byMerging: ModelPlaces.models(in: bundles).flatMap(ModelFile.versions)
        .compactMap { NSManagedObjectModel(contentsOf: $0) },
      forStoreMetadata: metadata)
  }

  /// Takes some entities of each model, and all else that the models have.
  private func take(_ parts: [(model: NSManagedObjectModel, entities: [NSEntityDescription])]) {
    var copier = ModelCopier()
    var hashes: [String: Data] = [:]
    for entity in parts.flatMap(\.entities) {
      let name = entity.name ?? ""
      if let other = hashes.updateValue(entity.versionHash, forKey: name) {
        guard other == entity.versionHash else {
          ProgrammerError.stop(
            "NSInvalidArgumentException: Can't merge models with two different entities named "
              + "'\(name)'; rename one, or merge for the metadata of a store.")
        }
      } else {
        copier.add(entity)
      }
    }
    entities = copier.finished()
    for model in parts.map(\.model) {
      if let words = model.localizationDictionary {
        localizationDictionary = (localizationDictionary ?? [:]).merging(words) { $1 }
      }
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

/// Copies entities together, because they refer to each other: by name, since each may be taken
/// from another model.
private struct ModelCopier {
  private var copies: [String: NSEntityDescription] = [:]
  private var pairs: [(old: NSEntityDescription, new: NSEntityDescription)] = []

  mutating func add(_ old: NSEntityDescription) {
    let new = old.duplicate()
    copies[old.name ?? ""] = new
    pairs.append((old, new))
  }

  /// The copies, tied together.
  func finished() -> [NSEntityDescription] {
    for (old, new) in pairs { copy(of: old.superentity)?.subentities.append(new) }
    let properties = copies.mapValues(\.propertiesByName)
    for (old, new) in pairs {
      let own = properties[old.name ?? ""] ?? [:]
      for case let end as NSRelationshipDescription in old.properties where end.entity === old {
        guard let copy = own[end.name] as? NSRelationshipDescription else { continue }
        copy.destinationEntity = self.copy(of: end.destinationEntity)
        copy.inverseRelationship = end.inverseRelationship.flatMap {
          properties[copy.destinationEntity?.name ?? ""]?[$0.name] as? NSRelationshipDescription
        }
      }
      new.takeIndexes(of: old)
    }
    return pairs.map(\.new)
  }

  private func copy(of entity: NSEntityDescription?) -> NSEntityDescription? {
    entity.flatMap { copies[$0.name ?? ""] }
  }
}

/// Copies of entities, which belong to no model.
extension NSEntityDescription: NSCopying {
  /// An entity with copies of the properties that this one declares, and of its indexes, outside
  /// every hierarchy.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = duplicate()
    copy.takeIndexes(of: self)
    return copy
  }

  /// An entity with the same settings and copies of the own properties.
  fileprivate func duplicate() -> NSEntityDescription {
    let copy = NSEntityDescription()
    copy.name = name
    copy.managedObjectClassName = managedObjectClassName
    copy.isAbstract = isAbstract
    copy.userInfo = userInfo
    copy.versionHashModifier = versionHashModifier
    copy.renamingIdentifier = renamedFrom
    copy.constraintNames = constraintNames
    copy.properties = properties.filter { $0.entity === self }.map { $0.duplicate() }
    return copy
  }

  /// Takes copies of the indexes of the entity that this is a copy of.
  fileprivate func takeIndexes(of old: NSEntityDescription) {
    let own = propertiesByName
    indexes = old.indexes.map { index in
      index.duplicate { property in
        old.properties.lazy.compactMap { own[$0.name]?.counterpart(of: property, in: $0) }.first
      }
    }
  }
}

extension NSFetchIndexDescription {
  fileprivate func duplicate(
    _ counterpart: (NSPropertyDescription) -> NSPropertyDescription?
  ) -> NSFetchIndexDescription {
    let elements = elements.compactMap { element in
      element.property.flatMap(counterpart).map { property in
        let copy = NSFetchIndexElementDescription(
          property: property, collationType: element.collationType)
        copy.isAscending = element.isAscending
        return copy
      }
    }
    let copy = NSFetchIndexDescription(name: name, elements: elements)
    copy.partialIndexPredicate = partialIndexPredicate
    return copy
  }
}

/// Copies of properties, which belong to no entity.
extension NSPropertyDescription: NSCopying {
  /// A property with the same settings; a relationship leads to the same entity.
  public func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  /// What stands for a property in this copy of it, or of a composite that has it in it.
  fileprivate func counterpart(
    of property: NSPropertyDescription, in original: NSPropertyDescription
  ) -> NSPropertyDescription? {
    if property === original { return self }
    let elements = (original as? NSCompositeAttributeDescription)?.elements ?? []
    let own = (self as? NSCompositeAttributeDescription)?.elements ?? []
    return elements.lazy.compactMap { element in
      own.first { $0.name == element.name }?.counterpart(of: property, in: element)
    }.first
  }

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
      made.destinationEntity = relationship.destinationEntity
      made.inverseRelationship = relationship.inverseRelationship
      copy = made
    case let fetched as NSFetchedPropertyDescription:
      let made = NSFetchedPropertyDescription()
      made.source = fetched.source
      made.request = (fetched.request as? any NSCopying)?.copy(with: nil) as AnyObject?
      copy = made
    case let column as NSExpressionDescription:
      let made = NSExpressionDescription()
      made.expression = column.expression
      made.expressionResultType = column.expressionResultType
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
    copy.valueClassName = valueClassName
    copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    return copy
  }
}
