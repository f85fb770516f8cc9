import Foundation

extension NSManagedObject {
  /// The value of a modelled property; numbers come as `NSNumber`, to-many members as `NSSet` or,
  /// if they have an order, `NSOrderedSet`.
  ///
  /// The value of a fetched property is fetched each time. As in predicates, `objectID`, `entity`
  /// and `self` can be asked for too.
  public func value(forKey key: String) -> Any? {
    if let slot = layout.index[key] { return plainValue(slot) }
    if let property = layout.fetchedProperties[key] {
      return registry?.owner?.fetch(property, for: self) ?? []
    }
    switch key {
    case "objectID": return objectID
    case "entity": return entity
    case "self": return self
    default: return plainValue(slot(named: key))
    }
  }

  /// The value of a slot as key-value coding hands it out.
  func plainValue(_ slot: Int) -> Any? {
    switch layout.slots[slot].kind {
    case .attribute(.transformableAttributeType), .attribute(.compositeAttributeType):
      return transformedValue(slot)
    case .attribute(let type): return read(slot).any(type)
    case .toOne: return destination(slot)
    case .toMany: return collection(slot)
    }
  }

  /// Sets a modelled property, tracks the change and keeps inverses in step.
  public func setValue(_ value: Any?, forKey key: String) {
    let slot = slot(named: key)
    switch layout.slots[slot].kind {
    case .attribute(.compositeAttributeType): setComposite(value, slot)
    case .attribute(let type): write(attributeValue(value, type, slot), slot)
    case .toOne: setDestination(objectValue(value, slot), slot)
    case .toMany: setMemberList(objects(in: value, slot), slot)
    }
  }

  /// Gives an attribute of an object without a context an unchecked value; false if the attribute
  /// cannot take it, or if there is no attribute of this name.
  func take(_ value: Any?, forKey key: String) -> Bool {
    guard let slot = layout.index[key], case .attribute(let type) = layout.slots[slot].kind else {
      return false
    }
    if layout.composites[slot] != nil {
      guard let flat = value.flattened, !(flat is NSNull) else { return true }
      guard let elements = flat as? [String: Any] else { return false }
      return elements.allSatisfy { take($0.value, forKey: "\(key).\($0.key)") }
    }
    guard let new = layout.slots[slot].value(value, type) else { return false }
    // What the transformer makes no data of could not be stored.
    if case .boxed(let box) = new, let opaque = box.opaque, layout.slots[slot].transformer != nil,
      opaque.encoded == nil
    {
      return false
    }
    ownValues()[slot] = new
    return true
  }

  /// The stored value without access or change tracking; it does not fulfil a fault.
  public func primitiveValue(forKey key: String) -> Any? {
    if ConcurrencyDebug.isOn { check("primitiveValue") }
    let slot = slot(named: key)
    guard isRealised else { return PropertyRecorder.answer(of: layout.slots[slot]) }
    switch layout.slots[slot].kind {
    case .attribute(let type): return layout.slots[slot].any(current(slot), type)
    case .toOne: return destination(slot)
    case .toMany: return collection(slot)
    }
  }

  /// Stores a value without change tracking and without touching inverses.
  public func setPrimitiveValue(_ value: Any?, forKey key: String) {
    if ConcurrencyDebug.isOn { check("setPrimitiveValue") }
    let slot = slot(named: key)
    // One value alone would hide that the others were never loaded.
    if !isRealised { fulfill(triggeredBy: slot) }
    switch layout.slots[slot].kind {
    case .attribute(let type): ownValues()[slot] = attributeValue(value, type, slot)
    case .toOne: ownValues()[slot] = objectValue(value, slot).map(Value.object) ?? .null
    case .toMany: putMembers(objects(in: value, slot), slot)
    }
  }

  /// Replaces members without change tracking and without touching inverses.
  private func putMembers(_ members: [NSManagedObject], _ slot: Int) {
    let storage = toMany(slot)
    storage.members = Set(members)
    (storage as? OrderedStorage)?.order = members
  }

  /// A set whose changes are changes of the relationship.
  public func mutableSetValue(forKey key: String) -> NSMutableSet {
    let slot = slot(named: key)
    guard layout.slots[slot].kind == .toMany else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: \(layout.name).\(key) is not a to-many relationship; "
          + "use value(forKey:).")
    }
    if layout.slots[slot].isOrdered {
      ProgrammerError.stop(
        "NSInvalidArgumentException: objects of entity \(layout.name) do not support "
          + "mutableSetValue(forKey:) for \(key), whose members have an order; use "
          + "mutableOrderedSetValue(forKey:).")
    }
    return RelationshipSet(object: self, slot: slot)
  }

  /// Fulfils the fault before primitive values are read.
  public func willAccessValue(forKey key: String?) {
    if ConcurrencyDebug.isOn { check("willAccessValue") }
    if !isRealised { fulfill(triggeredBy: key.map(slot(named:))) }
  }

  /// Ends an access begun with `willAccessValue`.
  public func didAccessValue(forKey key: String?) {}

  /// Announces a change of a primitive value.
  public func willChangeValue(forKey key: String) {
    if ConcurrencyDebug.isOn { check("willChangeValue") }
    let slot = slot(named: key)
    if !isRealised { fulfill(triggeredBy: slot) }
    if layout.slots[slot].isRelationship, let registry {
      registry.announcements.append(.init(object: self, slot: slot, old: relatives(slot)))
    }
  }

  /// Tracks a change announced with `willChangeValue`, and keeps inverses in step.
  public func didChangeValue(forKey key: String) {
    if ConcurrencyDebug.isOn { check("didChangeValue") }
    let slot = slot(named: key)
    guard let registry,
      let index = registry.announcements.lastIndex(where: { $0.object === self && $0.slot == slot })
    else { return noteChange(slot) }
    let old = registry.announcements.remove(at: index).old
    let new = relatives(slot)
    // The change is taken back and made once more, this time at both ends.
    if layout.slots[slot].kind == .toMany {
      putMembers(old, slot)
      setMemberList(new, slot)
    } else {
      ownValues()[slot] = old.first.map(Value.object) ?? .null
      setDestination(new.first, slot)
    }
  }

  /// What a relationship leads to, in order if it has one.
  private func relatives(_ slot: Int) -> [NSManagedObject] {
    if layout.slots[slot].kind == .toMany { return memberList(slot) }
    return destination(slot).map { [$0] } ?? []
  }

  /// The number of a property; an unknown name stops, as key-value coding does.
  func slot(named key: String) -> Int {
    if let slot = layout.index[key] { return slot }
    ProgrammerError.stop(
      "NSUnknownKeyException: [<\(type(of: self))> valueForUndefinedKey:]: the entity "
        + "\(layout.name) is "
        + "not key value coding-compliant for the key \"\(key)\".")
  }

  private func attributeValue(_ value: Any?, _ type: NSAttributeType, _ slot: Int) -> Value {
    if let value = layout.slots[slot].value(value, type) { return value }
    ProgrammerError.stop(
      "NSInvalidArgumentException: Unacceptable type of value for attribute: property = "
        + "\"\(layout.slots[slot].name)\"; desired type = \(type); given value = \(value ?? "nil")."
    )
  }

  /// The object that key-value coding was handed for a relationship; another entity's stops.
  func objectValue(_ value: Any?, _ slot: Int) -> NSManagedObject? {
    if let object = value as? NSManagedObject, object.layout === layout.slots[slot].destination {
      return object
    }
    guard let value = value.flattened, !(value is NSNull) else { return nil }
    guard let object = value as? NSManagedObject,
      object.layout.entity.isKindOf(entity: layout.slots[slot].destination.entity)
    else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: Unacceptable type of value for to-one relationship: property "
          + "= "
          + "\"\(layout.slots[slot].name)\"; desired type = "
          + "\(layout.slots[slot].destination.name); given value = \(value).")
    }
    return object
  }

  /// The members that key-value coding was handed for a to-many relationship.
  func objects(in value: Any?, _ slot: Int) -> [NSManagedObject] {
    let elements: [Any]
    let isOrdered = layout.slots[slot].isOrdered
    switch value.flattened {
    case nil: elements = []
    case let set as NSOrderedSet where isOrdered: elements = set.array
    case is NSOrderedSet: refuseOther(slot, ("NSSet", "NSOrderedSet"))
    case is NSSet where isOrdered: refuseOther(slot, ("NSOrderedSet", "NSSet"))
    case is Set<NSManagedObject> where isOrdered: refuseOther(slot, ("NSOrderedSet", "NSSet"))
    case let set as NSSet: elements = set.allObjects
    case let set as Set<NSManagedObject>: return Array(set)
    case let array as [Any]: elements = array
    default: elements = [value as Any]
    }
    return elements.compactMap { objectValue($0, slot) }
  }
}

/// The set that `mutableSetValue(forKey:)` hands out.
///
/// Foundation reads the memory of its own classes in some methods; those look at the relationship
/// here.
private final class RelationshipSet: NSMutableSet {
  private let object: NSManagedObject
  private let slot: Int

  init(object: NSManagedObject, slot: Int) {
    self.object = object
    self.slot = slot
    super.init(capacity: 0)
  }

  @available(*, unavailable)
  required init(capacity: Int) { fatalError("unavailable") }
  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  /// The members as they are now.
  private var snapshot: NSSet { NSSet(array: allObjects) }

  override var count: Int { object.members(slot).count }
  override var allObjects: [Any] { Array(object.members(slot)) }
  override func member(_ member: Any) -> Any? {
    (member as? NSManagedObject).flatMap { object.members(slot).contains($0) ? $0 : nil }
  }
  override func contains(_ member: Any) -> Bool { self.member(member) != nil }
  override func objectEnumerator() -> NSEnumerator {
    NSArray(array: Array(object.members(slot))).objectEnumerator()
  }
  override func description(withLocale locale: Locale?) -> String {
    snapshot.description(withLocale: locale)
  }
  override func isEqual(_ other: Any?) -> Bool {
    if let other = other as? RelationshipSet { return snapshot.isEqual(other.snapshot) }
    return snapshot.isEqual(other)
  }
  override func adding(_ new: Any) -> Set<AnyHashable> { snapshot.adding(new) }
  override func addingObjects(from new: Set<AnyHashable>) -> Set<AnyHashable> {
    snapshot.addingObjects(from: new)
  }
  override func addingObjects(from new: [Any]) -> Set<AnyHashable> {
    snapshot.addingObjects(from: new)
  }
  override func add(_ new: Any) {
    if let new = new as? NSManagedObject { object.addMember(new, slot) }
  }
  override func remove(_ old: Any) {
    if let old = old as? NSManagedObject { object.removeMember(old, slot) }
  }
}
