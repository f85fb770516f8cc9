import Synchronization

/// The models in use by this process, without owning them: what a class alone can be looked up in.
enum LivingModels {
  private struct Reference {
    let model: ObjectIdentifier
    weak var living: NSManagedObjectModel?
  }

  private static let references = Lock<[Reference]>([])
  private static let changes = Atomic<Int>(0)

  /// A number that changes whenever a model comes into use or goes away.
  static var generation: Int { changes.load(ordering: .acquiring) }

  /// Notes that a model came into use.
  static func enter(_ model: NSManagedObjectModel) {
    references.withLock { $0.append(Reference(model: ObjectIdentifier(model), living: model)) }
    changes.wrappingAdd(1, ordering: .releasing)
  }

  /// Notes that a model is going.
  ///
  /// It looks at no other: that would hold it for a moment, and might be the last to do so.
  static func leave(_ model: ObjectIdentifier) {
    references.withLock { $0.removeAll { $0.model == model } }
    changes.wrappingAdd(1, ordering: .releasing)
  }

  /// The entities of all models in use that a class represents.
  static func entities(for type: NSManagedObject.Type) -> [NSEntityDescription] {
    let models = references.withLock { $0.compactMap(\.living) }
    return models.flatMap { model in
      model.entities.filter { $0.layout.isClaimed(by: type) }
    }
  }

  /// The one entity that a class represents; several stop. If there is none, a warning is written
  /// and the result is an entity of no model.
  static func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
    let found = entities(for: type)
    if found.count == 1, let entity = found.first { return entity }
    if found.count > 1 { refuse(type, found.count) }
    StandardError.write(
      "CoreData: error: No NSEntityDescriptions in any model claim the NSManagedObject subclass "
        + "'\(type)' so +entity is confused. Have you loaded your NSManagedObjectModel yet ?")
    return NSEntityDescription()
  }

  /// Stops, because none or several entities name a class.
  fileprivate static func refuse(_ type: NSManagedObject.Type, _ count: Int) -> Never {
    ProgrammerError.stop(
      "NSInvalidArgumentException: +[\(type) entity] Failed to find a unique match for an "
        + "NSEntityDescription to a managed object subclass: \(count) entities of the models in "
        + "use name the class. Make one model and share it; name each class by one entity's "
        + "managedObjectClassName.")
  }
}

extension EntityLayout {
  /// Whether the class is the entity's own, or would be as soon as it is used.
  fileprivate func isClaimed(by type: NSManagedObject.Type) -> Bool {
    if let known = classStorage.withLock({ $0.found }) { return known == type }
    return isRepresented(by: type)
  }

  /// Remembers the class that represents the entity, so that fetched objects are of that class; one
  /// that the entity does not name, such as `NSManagedObject` itself, is not remembered.
  func register(_ type: NSManagedObject.Type) {
    if classStorage.withLock({ $0.found != nil }) || !isRepresented(by: type) { return }
    classStorage.withLock { if $0.found == nil { $0.found = type } }
  }
}

extension NSManagedObjectModel {
  /// Compiles the model for use, once.
  func freeze() {
    if isFrozen { return }
    freeze { entities in
      let layouts = EntityLayout.compile(entities)
      let identity = ObjectIdentifier(self)
      onEnd = { LivingModels.leave(identity) }
      LivingModels.enter(self)
      return layouts
    }
  }

  /// The entity that a class represents, as `entity()` has it; the class must be unique among the
  /// models in use, or its override choose.
  func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
    freeze()
    let generation = LivingModels.generation
    let known = classEntities.withLock { $0[ObjectIdentifier(type)] }
    if let known, known.generation == generation { return known.entity }
    let entity = type.entity()
    if entity.managedObjectModel == nil { LivingModels.refuse(type, 0) }
    entity.layout.register(type)
    classEntities.withLock { $0[ObjectIdentifier(type)] = (entity, generation) }
    return entity
  }
}
