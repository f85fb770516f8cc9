import Foundation
import Synchronization

/// An entity of a model: its name, its class, its properties and its place in the hierarchy.
open class NSEntityDescription: NSObject {
  /// The stand-in for "not yet part of an entity".
  nonisolated(unsafe) static let none = NSEntityDescription()

  /// The name of the entity.
  open var name: String? { didSet { refuseIfFrozen() } }
  /// The name of the class whose instances represent the entity's records.
  open var managedObjectClassName: String! = "NSManagedObject" { didSet { refuseIfFrozen() } }
  /// Whether only sub-entities have records.
  open var isAbstract = false { didSet { refuseIfFrozen() } }
  /// Facts of the application's own.
  open var userInfo: [AnyHashable: Any]?
  /// A word that changes the version hash where nothing else in the entity does.
  open var versionHashModifier: String? { didSet { refuseIfFrozen() } }
  /// The name in the version before, where it was another one; the name itself if nobody said.
  open var renamingIdentifier: String? {
    get { renamedFrom ?? name }
    set { renamedFrom = newValue }
  }
  private(set) var renamedFrom: String? { didSet { refuseIfFrozen() } }
  /// The indexes over properties of the entity, without those of the entities above.
  open var indexes: [NSFetchIndexDescription] = [] {
    didSet {
      refuseIfFrozen()
      for index in indexes { index.entity = self }
    }
  }
  /// The model that the entity belongs to.
  open internal(set) weak var managedObjectModel: NSManagedObjectModel?
  /// The entity that this one inherits from.
  open internal(set) weak var superentity: NSEntityDescription?
  private var ownProperties: [NSPropertyDescription] = []
  /// The names in `uniquenessConstraints`, without those of the entities above.
  var constraintNames: [[String]] = []

  /// The entities that inherit from this one.
  open var subentities: [NSEntityDescription] = [] {
    didSet {
      refuseIfFrozen()
      for entity in oldValue where entity.superentity === self { entity.superentity = nil }
      for entity in subentities { entity.superentity = self }
    }
  }

  /// The properties, those inherited first.
  open var properties: [NSPropertyDescription] {
    get { (superentity?.properties ?? []) + ownProperties }
    set {
      refuseIfFrozen()
      let inherited = superentity?.properties ?? []
      for property in ownProperties { property.detach() }
      ownProperties = newValue.filter { new in !inherited.contains { $0 === new } }
      for property in ownProperties { property.attach(to: self) }
    }
  }

  /// What the engine works with, made when the model is first used.
  ///
  /// It is typed loosely because the layers above decide what they make of an entity. The model
  /// owns it and clears this when it goes. It is whole, and may be read by anybody, as soon as
  /// `isCompiled` says so.
  unowned(unsafe) var compiled: AnyObject?
  /// Whether the whole model is compiled, and what it was compiled to may be read.
  let isCompiled = Atomic<Bool>(false)

  /// The properties by name.
  open var propertiesByName: [String: NSPropertyDescription] {
    Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// The attributes by name.
  open var attributesByName: [String: NSAttributeDescription] {
    propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
  }

  /// The relationships by name.
  open var relationshipsByName: [String: NSRelationshipDescription] {
    propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
  }

  /// The sub-entities by name.
  open var subentitiesByName: [String: NSEntityDescription] {
    Dictionary(subentities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
  }

  /// The relationships that lead to an entity.
  open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription]
  {
    properties.compactMap { $0 as? NSRelationshipDescription }
      .filter { $0.destinationEntity === entity }
  }

  /// Whether the entity is the other one or inherits from it.
  open func isKindOf(entity: NSEntityDescription) -> Bool {
    self === entity || superentity?.isKindOf(entity: entity) == true
  }

  /// The root of the hierarchy, whose table holds the records.
  var root: NSEntityDescription { superentity?.root ?? self }

  /// Stops if the model is in use.
  func refuseIfFrozen() {
    managedObjectModel?.refuseIfFrozen("entity \(name ?? "?")")
  }
}
