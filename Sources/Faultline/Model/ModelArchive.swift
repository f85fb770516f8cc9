import Foundation

/// A model as data, as far as it says how rows lie in a store; a migration reads it back.
///
/// Classes, default values, validation and constraints are left out: they shape no row.
enum ModelArchive {
  /// The data of a model.
  static func data(_ model: NSManagedObjectModel) -> Data {
    let content: [String: Any] = [
      "entities": model.entities.map(record),
      "configurations": model.configurations.map { name in
        [
          "name": name,
          "entities": (model.entities(forConfigurationName: name) ?? []).compactMap(\.name),
        ] as [String: Any]
      },
    ]
    // JSON, because Foundation on Linux ends the process over some damaged property lists.
    return (try? JSONSerialization.data(withJSONObject: content)) ?? Data()
  }

  private static func record(_ entity: NSEntityDescription) -> [String: Any] {
    var record: [String: Any] = ["name": entity.name ?? "", "isAbstract": entity.isAbstract]
    record["parent"] = entity.superentity?.name
    record["modifier"] = entity.versionHashModifier
    record["identifier"] = entity.renamingIdentifier
    record["properties"] = entity.properties
      .filter { $0.entity === entity }.compactMap { propertyRecord($0) }
    return record
  }

  private static func propertyRecord(_ property: NSPropertyDescription) -> [String: Any]? {
    var record: [String: Any] = [
      "name": property.name, "isOptional": property.isOptional, "isTransient": property.isTransient,
    ]
    record["modifier"] = property.versionHashModifier
    record["identifier"] = property.renamingIdentifier
    switch property {
    case let composite as NSCompositeAttributeDescription:
      record["elements"] = composite.elements.compactMap { propertyRecord($0) }
    case let attribute as NSAttributeDescription:
      record["type"] = Int(attribute.attributeType.rawValue)
      record["isPreserved"] = attribute.preservesValueInHistoryOnDeletion
      record["derivation"] = (attribute as? NSDerivedAttributeDescription)?.derivationExpression
        .map(PredicateText.text)
    case let relationship as NSRelationshipDescription:
      record["destination"] = relationship.destinationEntity?.name
      record["inverse"] = relationship.inverseRelationship?.name
      record["countMax"] = relationship.maxCount
      record["isOrdered"] = relationship.isOrdered
    default: return nil
    }
    return record
  }

  /// The model that data was made of; nil for anything else.
  static func model(_ data: Data) -> NSManagedObjectModel? {
    guard let content = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      let records = content["entities"] as? [[String: Any]],
      let configurations = content["configurations"] as? [[String: Any]]
    else { return nil }
    let reader = Reader()
    guard reader.read(records) else { return nil }
    let model = NSManagedObjectModel()
    model.entities = records.compactMap { reader.entities[$0["name"] as? String ?? ""] }
    for record in configurations {
      guard let name = record["name"] as? String, let names = record["entities"] as? [String] else {
        return nil
      }
      model.setEntities(
        names.compactMap { reader.entities[$0] }, forConfigurationName: name)
    }
    return model
  }

  /// Puts a model together; what could not be compiled later is refused here.
  private final class Reader {
    private(set) var entities: [String: NSEntityDescription] = [:]
    private var relationships: [(NSRelationshipDescription, record: [String: Any])] = []

    func read(_ records: [[String: Any]]) -> Bool {
      for record in records {
        guard let name = record["name"] as? String, !name.isEmpty, entities[name] == nil else {
          return false
        }
        let entity = NSEntityDescription()
        entity.name = name
        entity.isAbstract = record["isAbstract"] as? Bool ?? false
        entity.versionHashModifier = record["modifier"] as? String
        entity.renamingIdentifier = record["identifier"] as? String
        entities[name] = entity
      }
      return records.allSatisfy(readParent) && entities.values.allSatisfy(isRooted)
        && records.allSatisfy(readProperties) && relationships.allSatisfy(connect)
        && entities.values.allSatisfy(hasNoNamesakes)
    }

    private func readParent(_ record: [String: Any]) -> Bool {
      guard let parent = record["parent"] as? String else { return true }
      guard let above = entities[parent], let entity = entities[record["name"] as? String ?? ""]
      else { return false }
      above.subentities.append(entity)
      return true
    }

    private func isRooted(_ entity: NSEntityDescription) -> Bool {
      var above: NSEntityDescription? = entity
      for _ in 0...entities.count {
        guard let next = above?.superentity else { return true }
        above = next
      }
      return false
    }

    private func hasNoNamesakes(_ entity: NSEntityDescription) -> Bool {
      Set(entity.properties.map(\.name)).count == entity.properties.count
    }

    private func readProperties(_ record: [String: Any]) -> Bool {
      guard let records = record["properties"] as? [[String: Any]],
        let entity = entities[record["name"] as? String ?? ""]
      else { return false }
      let properties = records.compactMap(property)
      entity.properties = properties
      return properties.count == records.count
    }

    private func property(_ record: [String: Any]) -> NSPropertyDescription? {
      guard let name = record["name"] as? String, let property = bareProperty(record) else {
        return nil
      }
      property.name = name
      property.isOptional = record["isOptional"] as? Bool ?? true
      property.isTransient = record["isTransient"] as? Bool ?? false
      property.versionHashModifier = record["modifier"] as? String
      property.renamingIdentifier = record["identifier"] as? String
      return property
    }

    private func attribute(_ record: [String: Any]) -> NSAttributeDescription? {
      if let records = record["elements"] as? [[String: Any]] {
        let composite = NSCompositeAttributeDescription()
        composite.elements = records.compactMap { property($0) as? NSAttributeDescription }
        let isWhole = composite.elements.count == records.count
        return isWhole && Set(composite.elements.map(\.name)).count == records.count
          ? composite : nil
      }
      guard let type = (record["type"] as? UInt).flatMap(NSAttributeType.init),
        type != .compositeAttributeType,
        type != .undefinedAttributeType || record["isTransient"] as? Bool == true
      else { return nil }
      guard let attribute = bareAttribute(record) else { return nil }
      attribute.attributeType = type
      attribute.preservesValueInHistoryOnDeletion = record["isPreserved"] as? Bool ?? false
      return attribute
    }

    private func bareAttribute(_ record: [String: Any]) -> NSAttributeDescription? {
      guard let text = record["derivation"] as? String else { return NSAttributeDescription() }
      guard let expression = try? NSExpression.read(text) else { return nil }
      let derived = NSDerivedAttributeDescription()
      derived.derivationExpression = expression
      return derived
    }

    private func bareProperty(_ record: [String: Any]) -> NSPropertyDescription? {
      guard record["destination"] != nil else { return attribute(record) }
      let relationship = NSRelationshipDescription()
      relationship.maxCount = record["countMax"] as? Int ?? 0
      relationship.isOrdered = record["isOrdered"] as? Bool ?? false
      relationships.append((relationship, record))
      return relationship
    }

    private func connect(_ relationship: NSRelationshipDescription, record: [String: Any]) -> Bool {
      guard let destination = entities[record["destination"] as? String ?? ""] else { return false }
      relationship.destinationEntity = destination
      guard let name = record["inverse"] as? String else { return true }
      relationship.inverseRelationship = destination.relationshipsByName[name]
      return relationship.inverseRelationship != nil
    }
  }
}
