import Foundation

/// The members of a to-many relationship as one object holds them.
///
/// - `members` nil: a relationship fault; `added` and `removed` are what this context changed
/// meanwhile.
/// - `members` set: what the parent store had when it was loaded, with the changes applied.
///
/// Members with an order have an `OrderedStorage`.
class ToManyStorage {
  /// The members now, or nil before anybody asked.
  final var members: Set<NSManagedObject>?
  /// Members that this context added since the last save.
  final var added: Set<NSManagedObject> = []
  /// Members that this context removed since the last save.
  final var removed: Set<NSManagedObject> = []

  /// Whether this context changed the membership.
  var isChanged: Bool { !added.isEmpty || !removed.isEmpty }

  /// Adds a member; false if it was one already.
  func add(_ object: NSManagedObject) -> Bool {
    if members?.contains(object) == true { return false }
    members?.insert(object)
    if removed.remove(object) == nil { added.insert(object) }
    return true
  }

  /// Removes a member; false if it was none.
  func remove(_ object: NSManagedObject) -> Bool {
    if let members, !members.contains(object) { return false }
    members?.remove(object)
    if added.remove(object) == nil { removed.insert(object) }
    return true
  }

  /// Takes what the parent store has, with the changes of this context on top.
  func load(_ stored: [NSManagedObject]) {
    members = Set(stored).subtracting(removed).union(added)
  }

  /// Forgets what the parent store had, but not the changes.
  ///
  /// - Parameter yields: whether another order in the store is to win over one made here.
  func unload(yields: Bool) { members = nil }

  /// Takes the changes as committed.
  func commit() {
    added = []
    removed = []
  }

  /// Forgets an object whose row is gone; that is no change of this context.
  func drop(_ object: NSManagedObject) {
    members?.remove(object)
    added.remove(object)
    removed.remove(object)
  }

  /// Takes every member for one that this context added: the parent store has none of them any
  /// more.
  func renew() {
    added = (members ?? added).filter(\.isLiving)
    removed = []
  }
}

extension NSManagedObject {
  /// The destination of a to-one relationship, which a realised object then holds strongly.
  func destination(_ slot: Int) -> NSManagedObject? {
    let value = read(slot)
    switch value {
    case .object(let object):
      // What was deleted and saved has no context; the way to it leads to a fault without a row.
      guard object.state.contains(.detached) else { return object }
      return find(.id(object.objectID), slot)
    case .key, .id: return find(value, slot)
    case .null where registry == nil && !isRealised:
      return PropertyRecorder.probe(layout.slots[slot].destination)
    case .null, .integer, .double, .string, .data, .boxed, .toMany: return nil
    }
  }

  private func find(_ reference: Value, _ slot: Int) -> NSManagedObject? {
    guard let owner = registry?.owner else { return nil }
    let object = owner.destination(reference, slot: layout.slots[slot])
    ownValues()[slot] = .object(object)
    return object
  }

  /// The storage of a to-many relationship, made on first use; loads nothing of the membership.
  func toMany(_ slot: Int) -> ToManyStorage {
    if case .toMany(let storage) = read(slot) { return storage }
    let storage = layout.slots[slot].isOrdered ? OrderedStorage() : ToManyStorage()
    if !state.isDisjoint(with: [.inserted, .inaccessible]) || registry == nil {
      storage.load([])
    }
    ownValues()[slot] = .toMany(storage)
    return storage
  }

  /// The members of a to-many relationship, loaded if need be.
  func members(_ slot: Int) -> Set<NSManagedObject> {
    let storage = toMany(slot)
    if let members = storage.members { return members }
    guard let owner = registry?.owner else { return [] }
    storage.load(owner.loadMembers(of: self, slot: slot))
    return storage.members ?? []
  }

  /// Sets a to-one relationship and keeps the other ends in step.
  func setDestination(_ new: NSManagedObject?, _ slot: Int) {
    if let new { refuseForeign(new, slot) }
    let old = destination(slot)
    write(new.map(Value.object) ?? .null, slot)
    guard old !== new, let inverse = layout.slots[slot].inverse else { return }
    old?.unlinkInverse(inverse, from: self)
    new?.linkInverse(inverse, to: self)
  }

  /// Adds a member to a to-many relationship and keeps the other end in step.
  func addMember(_ object: NSManagedObject, _ slot: Int) {
    refuseForeign(object, slot)
    if ConcurrencyDebug.isOn { check("change \(layout.slots[slot].name)") }
    guard toMany(slot).add(object) else { return }
    noteChange(slot)
    if let inverse = layout.slots[slot].inverse { object.linkInverse(inverse, to: self) }
  }

  /// Removes a member from a to-many relationship and keeps the other end in step.
  func removeMember(_ object: NSManagedObject, _ slot: Int) {
    if ConcurrencyDebug.isOn { check("change \(layout.slots[slot].name)") }
    guard toMany(slot).remove(object) else { return }
    noteChange(slot)
    if let inverse = layout.slots[slot].inverse { object.unlinkInverse(inverse, from: self) }
  }

  /// Makes the members of a to-many relationship exactly these.
  func setMembers(_ new: Set<NSManagedObject>, _ slot: Int) {
    let old = members(slot)
    if toMany(slot) is OrderedStorage { refuseOther(slot, ("NSOrderedSet", "NSSet")) }
    for object in old.subtracting(new) { removeMember(object, slot) }
    for object in new.subtracting(old) { addMember(object, slot) }
    noteChange(slot)
  }

  /// Takes an object into the relationship because the other end did.
  func linkInverse(_ slot: Int, to object: NSManagedObject) {
    if state.contains(.detached) { return }
    switch layout.slots[slot].kind {
    case .toMany:
      if toMany(slot).add(object) { noteChange(slot) }
    case .toOne:
      let old = destination(slot)
      guard old !== object else { return }
      write(.object(object), slot)
      // A to-one destination has one partner: whoever was linked before is let go.
      if let old, let back = layout.slots[slot].inverse { old.unlinkInverse(back, from: self) }
    case .attribute: break
    }
  }

  /// Lets an object go because the other end did.
  func unlinkInverse(_ slot: Int, from object: NSManagedObject) {
    if state.contains(.detached) { return }
    switch layout.slots[slot].kind {
    case .toMany:
      if toMany(slot).remove(object) { noteChange(slot) }
    case .toOne:
      if destination(slot) === object { write(.null, slot) }
    case .attribute: break
    }
  }

  private func refuseForeign(_ object: NSManagedObject, _ slot: Int) {
    guard object.registry !== registry, registry != nil, object.registry != nil else { return }
    ProgrammerError.stop(
      "NSInvalidArgumentException: Illegal attempt to establish a relationship "
        + "'\(layout.slots[slot].name)' between objects in different contexts "
        + "(source = \(shortDescription), destination = \(object.shortDescription)); pass the "
        + "objectID "
        + "and take the object from the source's own context.")
  }
}
