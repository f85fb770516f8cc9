// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// What becomes of the entities of one version of a model in another one.
open class NSMappingModel: NSObject {
  /// What becomes of each entity: those added, removed, taken over.
  open var entityMappings: [NSEntityMapping]! = []

  /// The mappings by their names.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(entityMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Makes a mapping model without mappings.
  public override init() { super.init() }

  /// The mapping model of a file; nobody compiles one on Linux, so always nil.
  public init?(contentsOf url: URL?) { nil }

  /// The mapping model compiled from a file of Xcode's; there are none on Linux, so always nil.
  public init?(
    from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) { nil }

  /// Finds out what leads from one version of a model to another, from names and renaming
  /// identifiers alone.
  ///
  /// - Throws: `CocoaError` 134190 with a sentence, if the difference is more than can be inferred.
  open class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel,
    destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    let model = NSMappingModel()
    model.entityMappings = try MappingInference(sourceModel, destinationModel).mappings()
    return model
  }

  /// The mapping that leads to an entity, if records of another one become its records.
  func mapping(to name: String) -> NSEntityMapping? {
    entityMappings.first { $0.destinationEntityName == name && $0.sourceEntityName != nil }
  }
}

/// How an entity gets from one version to the next.
public enum NSEntityMappingType: UInt, Sendable {
  case undefinedEntityMappingType = 0
  case customEntityMappingType = 1
  case addEntityMappingType = 2
  case removeEntityMappingType = 3
  case copyEntityMappingType = 4
  case transformEntityMappingType = 5
}

/// What becomes of one entity.
open class NSEntityMapping: NSObject {
  /// The name of the mapping.
  open var name: String! = ""
  /// Whether the entity is new, gone, the same or another.
  open var mappingType = NSEntityMappingType.undefinedEntityMappingType
  /// The name of the entity in the version before; nil for one that is new.
  open var sourceEntityName: String?
  /// The hash of the entity in the version before.
  open var sourceEntityVersionHash: Data?
  /// The name of the entity in the next version; nil for one that goes.
  open var destinationEntityName: String?
  /// The hash of the entity in the next version.
  open var destinationEntityVersionHash: Data?
  /// Where the attributes of the next version come from.
  open var attributeMappings: [NSPropertyMapping]?
  /// Where the relationships of the next version come from.
  open var relationshipMappings: [NSPropertyMapping]?
  /// Facts of the application's own.
  open var userInfo: [AnyHashable: Any]?

  /// The names of the properties of the version before, by those of the next.
  var sources: [String: String] {
    let all = (attributeMappings ?? []) + (relationshipMappings ?? [])
    return Dictionary(
      all.compactMap { mapping in
        mapping.name.flatMap { name in
          mapping.sourceName.map { (name, $0) }
        }
      }, uniquingKeysWith: { $1 })
  }
}

/// Where one property of the next version comes from.
open class NSPropertyMapping: NSObject {
  /// The name of the property in the next version.
  open var name: String?
  /// Facts of the application's own.
  open var userInfo: [AnyHashable: Any]?
  /// The name of the property in the version before; nil for one that is new.
  var sourceName: String?
}
