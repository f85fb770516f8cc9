import Foundation

/// Infers a mapping model:
///
/// 1. entities find each other by renaming identifier or name;
/// 2. no two entities of one hierarchy come out of two;
/// 3. properties find each other likewise, inherited ones included;
/// 4. where one end of a relationship was found, the other end goes with it;
/// 5. each pair is looked at: the kind stays, and the type unless both are numbers; a relationship
///    leads to what its destination became, and never to fewer objects than before.
struct MappingInference {
  private let source: NSManagedObjectModel
  private let destination: NSManagedObjectModel
  /// The entity that each entity comes from, by name.
  private var origins: [String: NSEntityDescription] = [:]
  /// The property that each property of an entity comes from, by name.
  private var properties: [String: [String: NSPropertyDescription]] = [:]

  init(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) throws {
    self.source = source
    self.destination = destination
    try matchEntities()  // 1
    try refuseMergedHierarchies()  // 2
    for (name, origin) in origins {  // 3
      guard let entity = destination.entitiesByName[name] else { continue }
      properties[name] = try matchProperties(of: entity, from: origin)
    }
    for entity in destination.entities { matchInverses(of: entity) }  // 4
    for entity in destination.entities { try check(entity) }  // 5
  }

  /// The mappings, those of removed entities last.
  func mappings() -> [NSEntityMapping] {
    let kept = Set(origins.values.compactMap(\.name))
    return destination.entities.map(mapping)
      + source.entities.filter { !kept.contains($0.name ?? "") }.map { entity in
        let mapping = NSEntityMapping()
        mapping.mappingType = .removeEntityMappingType
        mapping.name = "IEM_Remove_\(entity.name ?? "")"
        mapping.sourceEntityName = entity.name
        mapping.sourceEntityVersionHash = entity.versionHash
        return mapping
      }
  }

  private func mapping(_ entity: NSEntityDescription) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    let origin = origins[entity.name ?? ""]
    mapping.destinationEntityName = entity.name
    mapping.destinationEntityVersionHash = entity.versionHash
    mapping.sourceEntityName = origin?.name
    mapping.sourceEntityVersionHash = origin?.versionHash
    let verb: String
    if let origin {
      let isSame = origin.versionHash == entity.versionHash
      verb = isSame ? "Copy" : "Transform"
      mapping.mappingType = isSame ? .copyEntityMappingType : .transformEntityMappingType
    } else {
      verb = "Add"
      mapping.mappingType = .addEntityMappingType
    }
    mapping.name = "IEM_\(verb)_\(entity.name ?? "")"
    let found = properties[entity.name ?? ""] ?? [:]
    let all = entity.properties.filter { !$0.isTransient }.map { property in
      let mapping = NSPropertyMapping()
      mapping.name = property.name
      mapping.sourceName = found[property.name]?.name
      return (mapping, property is NSRelationshipDescription)
    }
    mapping.attributeMappings = all.filter { !$0.1 }.map(\.0)
    mapping.relationshipMappings = all.filter(\.1).map(\.0)
    return mapping
  }

  // MARK: 1 and 2, entities

  private mutating func matchEntities() throws {
    origins = try Self.pairs(of: destination.entities, source.entities, "entities")
    for (name, origin) in origins where !origin.isAbstract {
      if destination.entitiesByName[name]?.isAbstract == true {
        throw Self.refusal("entity \(name) has become abstract, and its records would be of none")
      }
    }
    if origins.isEmpty, !source.entities.isEmpty {
      throw Self.refusal("the two versions have no entity in common; it may be the wrong file")
    }
  }

  /// What each comes from, by name. A renaming identifier that was given comes first, then the own
  /// name, then an identifier that the former version had.
  private static func pairs<Item: Renamed>(
    of new: [Item], _ old: [Item], _ kind: String
  ) throws -> [String: Item] {
    var found: [String: Item] = [:]
    var taken: [String: String] = [:]
    let ways: [(Item, Item) -> Bool] = [
      { $0.renamedFrom != nil && $0.formerName == $1.formerName && $0.ownName == $1.ownName },
      { $0.renamedFrom == nil && $0.ownName == $1.ownName },
      { $0.formerName == $1.formerName }, { $0.formerName == $1.ownName },
      { $0.ownName == $1.ownName },
    ]
    for way in ways {
      for item in new where found[item.ownName] == nil {
        guard let origin = old.first(where: { taken[$0.ownName] == nil && way(item, $0) }) else {
          continue
        }
        taken[origin.ownName] = item.ownName
        found[item.ownName] = origin
      }
    }
    for item in new where item.renamedFrom != nil && found[item.ownName] == nil {
      guard let other = taken[item.formerName] else { continue }
      throw Self.refusal(
        "the \(kind) \(other) and \(item.ownName) both come from \(item.formerName)")
    }
    return found
  }

  private func refuseMergedHierarchies() throws {
    let roots = Dictionary(grouping: destination.entities) { $0.root.name ?? "" }
    for (root, family) in roots.sorted(by: { $0.key < $1.key }) {
      let former = Set(family.compactMap { origins[$0.name ?? ""]?.root.name })
      if former.count > 1 {
        throw Self.refusal(
          "the hierarchies of \(former.sorted().joined(separator: " and ")) are merged under "
            + root)
      }
    }
  }

  // MARK: 3 and 4, properties

  private func matchProperties(
    of entity: NSEntityDescription, from origin: NSEntityDescription
  ) throws -> [String: NSPropertyDescription] {
    try Self.pairs(
      of: entity.properties.filter(isStored), origin.properties.filter(isStored),
      "properties of \(entity.name ?? "")")
  }

  private func isStored(_ property: NSPropertyDescription) -> Bool {
    !property.isTransient
      && (property is NSAttributeDescription || property is NSRelationshipDescription)
  }

  private mutating func matchInverses(of entity: NSEntityDescription) {
    for (name, former) in properties[entity.name ?? ""] ?? [:] {
      guard let relationship = entity.relationshipsByName[name],
        let back = relationship.inverseRelationship,
        let formerBack = (former as? NSRelationshipDescription)?.inverseRelationship
      else { continue }
      for other in destination.entities
      where relationship.destinationEntity.map(other.isKindOf) == true {
        let otherName = other.name ?? ""
        guard let origin = origins[otherName], properties[otherName]?[back.name] == nil,
          origin.properties.contains(where: { $0 === formerBack }),
          properties[otherName]?.values.contains(where: { $0 === formerBack }) == false
        else { continue }
        properties[otherName]?[back.name] = formerBack
      }
    }
  }

  // MARK: 5, what cannot be inferred

  private func check(_ entity: NSEntityDescription) throws {
    for (name, former) in properties[entity.name ?? ""] ?? [:] {
      let place = "\(entity.name ?? "").\(name)"
      switch (former, entity.propertiesByName[name]) {
      case (let old as NSAttributeDescription, let new as NSAttributeDescription):
        try check(old, new, entity.name ?? "", name)
      case (let old as NSRelationshipDescription, let new as NSRelationshipDescription):
        try check(old, new, place)
      default:
        throw Self.refusal(
          "\(place) is an attribute in one version and a relationship in the other")
      }
    }
  }

  private func check(
    _ old: NSAttributeDescription, _ new: NSAttributeDescription, _ entity: String, _ name: String
  ) throws {
    let (former, type) = (old.attributeType, new.attributeType)
    if former != type, !NumberConversion.takes(former) || !NumberConversion.takes(type) {
      throw MigrationError.make(
        NSInferredMappingModelError,
        "No migration can be inferred between the two versions of the model: the attribute "
          + "\(entity).\(name) changes its type from \(former.word) to \(type.word).",
        reason: "Source and destination attribute types are incompatible",
        more: ["entity": entity, "property": name])
    }
    for element in (new as? NSCompositeAttributeDescription)?.elements ?? [] {
      let former = (old as? NSCompositeAttributeDescription)?.elements
        .first { $0.name == element.name }
      if let former { try check(former, element, entity, "\(name).\(element.name)") }
    }
  }

  private func check(
    _ old: NSRelationshipDescription, _ new: NSRelationshipDescription, _ place: String
  ) throws {
    if old.isToMany, !new.isToMany {
      throw Self.refusal("the relationship \(place) leads to many objects before and to one after")
    }
    guard let target = new.destinationEntity, let former = old.destinationEntity else { return }
    for (name, origin) in origins where origin.isKindOf(entity: former) {
      guard let heir = destination.entitiesByName[name], !heir.isKindOf(entity: target) else {
        continue
      }
      throw Self.refusal(
        "the relationship \(place) leads to \(target.name ?? ""), and not to \(name) as before")
    }
    guard let back = new.inverseRelationship, !back.isToMany else { return }
    for other in destination.entities where other.isKindOf(entity: target) {
      guard origins[other.name ?? ""] != nil else { continue }
      let formerBack = properties[other.name ?? ""]?[back.name]
      if formerBack == nil || formerBack !== old.inverseRelationship {
        throw Self.refusal(
          "the relationship \(place) has another inverse, which would lead to one object only")
      }
    }
  }

  private static func refusal(_ reason: String) -> CocoaError {
    MigrationError.make(
      NSInferredMappingModelError,
      "No migration can be inferred between the two versions of the "
        + "model: \(reason).", reason: reason)
  }
}

/// What may have had another name in another version.
private protocol Renamed {
  /// The name in this version.
  var ownName: String { get }
  /// The name that a renaming identifier says, or else the own one.
  var formerName: String { get }
  /// The renaming identifier that was given.
  var renamedFrom: String? { get }
}

extension NSEntityDescription: Renamed {
  fileprivate var ownName: String { name ?? "" }
  fileprivate var formerName: String { renamingIdentifier ?? "" }
}

extension NSPropertyDescription: Renamed {
  fileprivate var ownName: String { name }
  fileprivate var formerName: String { renamingIdentifier ?? "" }
}

extension NSAttributeType {
  /// The type in a sentence.
  fileprivate var word: String {
    String(describing: self).replacing("AttributeType", with: "")
  }
}
