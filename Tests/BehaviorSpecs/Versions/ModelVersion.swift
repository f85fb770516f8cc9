import CoreData
import Foundation
import XCTest

/// One version of a model as plain data, from which the model is made.
struct ModelVersion {
  /// An attribute.
  struct Attribute {
    /// Its name.
    var name: String
    /// Its type.
    var type = NSAttributeType.stringAttributeType
    /// Whether it may be nil.
    var isOptional = true
    /// What a new object has.
    var value: NSObject?
    /// What it was called before.
    var former: String?
  }

  /// One end of a relationship.
  struct Relationship {
    /// Its name.
    var name: String
    /// The entity it leads to.
    var destination: String
    /// The name of the other end; nil if there is none.
    var inverse: String?
    /// Whether it leads to many.
    var isToMany = false
    /// Whether those have an order.
    var isOrdered = false
    /// What it was called before.
    var former: String?
  }

  /// An entity.
  struct Entity {
    /// Its name.
    var name: String
    /// The entity above.
    var parent: String?
    /// Whether it has no records of its own.
    var isAbstract = false
    /// Its attributes, without inherited ones.
    var attributes: [Attribute] = []
    /// Its relationships, without inherited ones.
    var relationships: [Relationship] = []
    /// What was called before.
    var former: String?
  }

  /// The entities.
  var entities: [Entity]

  /// The place of an entity.
  func index(_ name: String) -> Int { entities.firstIndex { $0.name == name }! }

  /// An entity and those above it.
  func lineage(_ name: String) -> [Entity] {
    let entity = entities[index(name)]
    return (entity.parent.map(lineage) ?? []) + [entity]
  }

  /// An entity and those that inherit from it.
  func family(_ name: String) -> [String] {
    entities.filter { lineage($0.name).contains { $0.name == name } }.map(\.name)
  }

  /// The model.
  func model(configurations: [String: [String]] = [:]) -> NSManagedObjectModel {
    var made: [String: NSEntityDescription] = [:]
    var ends: [String: NSRelationshipDescription] = [:]
    for entity in entities {
      let description = SpecModel.entity(entity.name, NSManagedObject.self, [])
      description.isAbstract = entity.isAbstract
      if let former = entity.former { description.renamingIdentifier = former }
      made[entity.name] = description
    }
    for entity in entities {
      guard let parent = entity.parent.flatMap({ made[$0] }), let child = made[entity.name] else {
        continue
      }
      parent.subentities.append(child)
    }
    for entity in entities {
      var properties: [NSPropertyDescription] = entity.attributes.map(description)
      for relationship in entity.relationships {
        let end = NSRelationshipDescription()
        end.name = relationship.name
        end.destinationEntity = made[relationship.destination]
        end.maxCount = relationship.isToMany ? 0 : 1
        end.isOrdered = relationship.isOrdered
        if let former = relationship.former { end.renamingIdentifier = former }
        ends[entity.name + "." + relationship.name] = end
        properties.append(end)
      }
      made[entity.name]?.properties = properties
    }
    for entity in entities {
      for relationship in entity.relationships {
        guard let inverse = relationship.inverse else { continue }
        ends[entity.name + "." + relationship.name]?.inverseRelationship =
          ends[relationship.destination + "." + inverse]
      }
    }
    let model = NSManagedObjectModel()
    model.entities = entities.compactMap { made[$0.name] }
    for (name, names) in configurations {
      model.setEntities(names.compactMap { made[$0] }, forConfigurationName: name)
    }
    return model
  }

  private func description(_ attribute: Attribute) -> NSPropertyDescription {
    let description = SpecModel.attribute(
      attribute.name, attribute.type, optional: attribute.isOptional, default: attribute.value)
    if let former = attribute.former { description.renamingIdentifier = former }
    return description
  }
}

/// A spec's stores of several versions.
class VersionsCase: SpecCase {
  /// Opens the store of this test with a version of the model, as a container does by default.
  func open(
    _ model: NSManagedObjectModel, _ name: String = "Versions",
    _ change: (NSPersistentStoreDescription) -> Void = { _ in }
  ) throws -> NSManagedObjectContext {
    let container = NSPersistentContainer(name: name, managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: storeURL(name))
    change(description)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    keep(container)
    return container.viewContext
  }

  /// Closes the store of a context.
  func close(_ context: NSManagedObjectContext) throws {
    let coordinator = try XCTUnwrap(context.persistentStoreCoordinator)
    try coordinator.persistentStores.forEach(coordinator.remove)
  }

  /// What a store holds: for each record its values, and the records it leads to, as texts.
  func contents(_ context: NSManagedObjectContext) throws -> [String: [String: String]] {
    let model = try XCTUnwrap(context.persistentStoreCoordinator?.managedObjectModel)
    var all: [String: [String: String]] = [:]
    for entity in model.entities where !entity.isAbstract {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      for object in try context.fetch(request) {
        var values: [String: String] = [:]
        for name in entity.attributesByName.keys {
          values[name] = object.value(forKey: name).map { "\($0)" } ?? "nil"
        }
        for name in entity.relationshipsByName.keys {
          values[name] = Self.names(object.value(forKey: name))
        }
        all[Self.name(object)] = values
      }
    }
    return all
  }

  /// How a record is called here: by its entity and key.
  static func name(_ object: NSManagedObject) -> String {
    let uri = object.objectID.uriRepresentation()
    return (object.entity.name ?? "") + "/" + uri.lastPathComponent
  }

  private static func names(_ value: Any?) -> String {
    switch value {
    case let object as NSManagedObject: return name(object)
    case let members as NSOrderedSet:
      return members.compactMap { $0 as? NSManagedObject }.map(name).joined(separator: " < ")
    case let members as Set<NSManagedObject>:
      return members.map(name).sorted().joined(separator: " ")
    default: return ""
    }
  }
}
