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
  /// Members that this context added since the last save; while unread, also some that were members
  /// already.
  final var added: Set<NSManagedObject> = []
  /// Members that this context removed since the last save; while unread, also some that were none.
  final var removed: Set<NSManagedObject> = []

  /// Whether this context changed the membership.
  var isChanged: Bool { !added.isEmpty || !removed.isEmpty }

  /// Whether an object is a member; nil if only the parent store knows.
  private func contains(_ object: NSManagedObject) -> Bool? {
    if let members { return members.contains(object) }
    if added.contains(object) { return true }
    return removed.contains(object) ? false : nil
  }

  /// Adds a member; false if it was one already.
  ///
  /// Where nobody knows whether the parent store has it, the last call counts.
  func add(_ object: NSManagedObject) -> Bool {
    if contains(object) == true { return false }
    members?.insert(object)
    if removed.remove(object) == nil || members == nil { added.insert(object) }
    return true
  }

  /// Removes a member; false if it was none.
  ///
  /// Where nobody knows whether the parent store has it, the last call counts; what is new here no
  /// parent store can have.
  func remove(_ object: NSManagedObject) -> Bool {
    if contains(object) == false { return false }
    members?.remove(object)
    let isKnown = members != nil || object.isInserted
    if added.remove(object) == nil || !isKnown { removed.insert(object) }
    return true
  }

  /// Takes what the parent store has, with the changes of this context on top; those that change
  /// nothing are changes no more.
  func load(_ stored: [NSManagedObject]) {
    let known = Set(stored)
    members = known.subtracting(removed).union(added)
    added.subtract(known)
    // What is deleted here is missing among what is stored, and was a member all the same.
    removed = removed.filter { known.contains($0) || !$0.isLiving }
  }

  /// What was added and removed since the membership had other changes.
  func change(
    since then: ToManyStorage?
  ) -> (added: Set<NSManagedObject>, removed: Set<NSManagedObject>) {
    let (wasAdded, wasRemoved) = (then?.added ?? [], then?.removed ?? [])
    return (
      added.subtracting(wasAdded).union(wasRemoved.subtracting(removed)),
      removed.subtracting(wasRemoved).union(wasAdded.subtracting(added))
    )
  }

  /// A storage without members that has the same changes.
  func copyOfChanges() -> ToManyStorage {
    let copy = (self as? OrderedStorage)?.copyOfOrder() ?? ToManyStorage()
    copy.added = added
    copy.removed = removed
    return copy
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
    case .object(let object) where !object.state.contains(.detached): return object
    case .object, .key, .id: return find(value, slot)
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
    if state.contains(.detached) { return storage }
    ownValues()[slot] = .toMany(storage)
    return storage
  }

  /// The members of a to-many relationship, loaded if need be.
  func members(_ slot: Int) -> Set<NSManagedObject> {
    let storage = toMany(slot)
    if let members = storage.members { return members }
    guard let loaded = registry?.owner?.loadMembers(of: self, slot: slot) else { return [] }
    storage.load(loaded)
    return storage.members ?? []
  }

  /// Sets a to-one relationship and keeps the other ends in step.
  func setDestination(_ new: NSManagedObject?, _ slot: Int) {
    if let new { refuseUnfit(new, slot) }
    let old = destination(slot)
    write(new.map(Value.object) ?? .null, slot)
    guard old !== new, let inverse = layout.slots[slot].inverse else { return }
    old?.unlinkInverse(inverse, from: self)
    new?.linkInverse(inverse, to: self)
  }

  /// Adds a member to a to-many relationship and keeps the other end in step.
  func addMember(_ object: NSManagedObject, _ slot: Int) {
    refuseUnfit(object, slot)
    if ConcurrencyDebug.isOn { check("change \(layout.slots[slot].name)") }
    guard toMany(slot).add(object) else { return }
    noteChange(slot)
    if let inverse = layout.slots[slot].inverse { object.linkInverse(inverse, to: self) }
  }

  /// Removes a member from a to-many relationship and keeps the other end in step.
  func removeMember(_ object: NSManagedObject, _ slot: Int) {
    if ConcurrencyDebug.isOn { check("change \(layout.slots[slot].name)") }
    // What can be no member is none, though nobody has read them.
    guard isKin(object, slot), !isForeign(object), toMany(slot).remove(object) else { return }
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

  /// Whether the relationship leads to objects of this one's entity.
  private func isKin(_ object: NSManagedObject, _ slot: Int) -> Bool {
    let destination: EntityLayout = layout.slots[slot].destination
    return object.layout === destination
      || object.layout.entity.isKindOf(entity: destination.entity)
  }

  /// Whether the object belongs to another context, or only one of the two to any.
  private func isForeign(_ object: NSManagedObject) -> Bool { object.registry !== registry }

  /// Stops if the relationship cannot lead to the object.
  private func refuseUnfit(_ object: NSManagedObject, _ slot: Int) {
    guard isKin(object, slot) else { refuseEntity(of: object, slot) }
    guard isForeign(object) || object.state.contains(.detached) else { return }
    let reason =
      if object.state.contains(.detached) {
        "which was deleted or reset and has no context any more"
      } else if object.registry == nil {
        "which has no context yet; insert it into the source's first"
      } else if registry == nil {
        "and the source has no context yet; insert it into the destination's first"
      } else {
        "which is in another context; pass the objectID and take the object from the source's own"
      }
    ProgrammerError.stop(
      "NSInvalidArgumentException: Illegal attempt to establish a relationship "
        + "'\(layout.slots[slot].name)' between objects in different contexts "
        + "(source = \(shortDescription), destination = \(object.shortDescription), \(reason)).")
  }

  private func refuseEntity(of object: NSManagedObject, _ slot: Int) -> Never {
    ProgrammerError.stop(
      "NSInvalidArgumentException: Unacceptable type of value for relationship: property = "
        + "\"\(layout.slots[slot].name)\"; desired entity = "
        + "\(layout.slots[slot].destination.name); given value = \(object.shortDescription).")
  }
}
