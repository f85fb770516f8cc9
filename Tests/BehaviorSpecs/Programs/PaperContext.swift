/// A context, on paper.
final class PaperContext {
  /// The objects it knows; programs keep everything registered (A26).
  var objects: [PaperID: PaperObject] = [:]
  /// What was changed, in order of the first change.
  var dirty: [PaperObject] = []
  /// What was deleted since changes were last processed.
  var deletedInEvent: [PaperObject] = []
  /// Those of them that leave when the event ends, because somebody else deleted their rows.
  var leftInEvent: [PaperObject] = []
  /// Permanent ids by the temporary ones that children may still use.
  var aliases: [PaperID: PaperID] = [:]
  /// Whom it reads from and saves into.
  let parent: any PaperParent
  /// Whether another context saves into this one.
  var hasChildren = false

  /// A context that saves into the parent.
  init(_ parent: any PaperParent) {
    self.parent = parent
    (parent as? PaperContext)?.hasChildren = true
  }

  /// A65, and the three sets.
  var inserted: [PaperObject] { dirty.filter { $0.isInserted && !$0.isDeleted } }
  /// Those that the next save updates.
  var updated: [PaperObject] {
    dirty.filter { $0.isUpdated && !$0.isInserted && !$0.isDeleted }
  }
  /// Those that the next save deletes; a deleted insert is not among them (A64).
  var deleted: [PaperObject] { dirty.filter { $0.isDeleted && !$0.isNeverSaved } }

  /// Whether there is anything to save; what was inserted and deleted again is nothing.
  var hasChanges: Bool { dirty.contains { $0.hasChanges && !($0.isDeleted && $0.isNeverSaved) } }

  // MARK: Registration

  /// The object that is registered under an id, or under what became of the id.
  func registered(_ id: PaperID) -> PaperObject? {
    objects[id] ?? aliases[id].flatMap { objects[$0] }
  }

  /// The object with an id; a new fault if there is none (A22).
  @discardableResult
  func object(_ id: PaperID) -> PaperObject {
    if let object = registered(id) { return object }
    let object = PaperObject(aliases[id] ?? id)
    objects[object.id] = object
    return object
  }

  /// A23: the object with its values, or nil where 133000 is thrown.
  func existing(_ id: PaperID) -> PaperObject? {
    if let known = registered(id) {
      if known.isDeleted { return nil }
      if !known.isFault { return known }
    }
    guard let row = parent.row(id) else { return nil }
    let object = object(row.id)
    if object.isFault { realise(object, row) }
    return object
  }

  /// An object that did not exist before (A3).
  func insert(_ id: PaperID) -> PaperObject {
    let object = object(id)
    object.isFault = false
    object.isInserted = true
    for name in object.entity.numbers { object.values[name] = .number(0) }
    if object.entity.label == "title" { object.values["title"] = .text("Untitled") }
    list(object)
    return object
  }

  /// Notes that an object is changed.
  func list(_ object: PaperObject) {
    if !dirty.contains(where: { $0 === object }) { dirty.append(object) }
  }

  /// Cuts an object off from this context.
  func forget(_ object: PaperObject) {
    dirty.removeAll { $0 === object }
    if objects[object.id] === object { objects[object.id] = nil }
    var dead = object.id
    dead.isDead = true
    for other in objects.values {
      for name in other.sets.keys { other.sets[name]?.rename(object.id, dead) }
    }
  }

  // MARK: Faults

  /// Loads what is not loaded (A38); what cannot be loaded turns into a deleted object (A43).
  func fire(_ object: PaperObject) {
    guard object.isFault else { return }
    guard let row = parent.row(object.id) else { return vanish(object) }
    realise(object, row)
  }

  /// Takes a row's values; relationships to many are not read yet (A41).
  func realise(_ object: PaperObject, _ row: PaperRow) {
    object.isFault = false
    object.base = row
    object.values = row.values
    object.sets = [:]
  }

  /// The object's row is gone (A43); no delete rule acts for it, and it reads nil everywhere.
  func vanish(_ object: PaperObject) {
    object.isFault = false
    (object.isGone, object.isDeleted, object.isPropagated) = (true, true, true)
    object.isUpdated = false
    list(object)
    deletedInEvent.append(object)
  }

  // MARK: Values and relationships

  /// Marks a property as assigned and the object as changed (A53).
  func note(_ object: PaperObject, _ name: String) {
    object.assigned.insert(name)
    if !object.isInserted { object.isUpdated = true }
    list(object)
  }

  /// Assigns an attribute, or one end of a to-one relationship alone.
  func write(_ value: PaperValue, _ object: PaperObject, _ name: String) {
    fire(object)
    note(object, name)
    object.values[name] = value
  }

  /// The set behind a to-many relationship; new objects and vanished ones start empty.
  func set(_ object: PaperObject, _ name: String) -> PaperSet {
    fire(object)
    if let set = object.sets[name] { return set }
    let set = PaperSet(members: object.isInserted || object.isGone ? [] : nil)
    object.sets[name] = set
    return set
  }

  /// The members, read from the parent store where nobody has asked yet.
  @discardableResult
  func members(_ object: PaperObject, _ name: String) -> Set<PaperID> {
    var set = set(object, name)
    if let members = set.members { return members }
    let found = parent.members(of: object.id, object.entity.relation(name))
      .map { self.object($0) }.filter { counts($0, in: object) }.map(\.id)
    set.load(Set(found)) { $0.isDead || registered($0)?.isDeleted == true }
    object.sets[name] = set
    return set.members ?? []
  }

  /// D13: until delete rules act, who is to be deleted is a member; they act on living owners only.
  private func counts(_ member: PaperObject, in owner: PaperObject) -> Bool {
    !member.isDeleted || !member.isGone && (owner.isDeleted || !member.isPropagated)
  }

  /// A66: sets one end, and the other ends with it.
  func link(_ object: PaperObject, _ relation: PaperRelation, _ other: PaperObject?) {
    if relation.isToMany {
      if let other, add(object, relation.name, other.id) {
        linkBack(other, relation, object)
      }
      return
    }
    fire(object)
    let old = object.value(relation.name).id
    write(other.map { .record($0.id) } ?? .nothing, object, relation.name)
    if old == other?.id { return }
    if let old { unlinkBack(self.object(old), relation, object) }
    if let other { linkBack(other, relation, object) }
  }

  /// A66: takes a member out, and the other end with it.
  func unlink(_ object: PaperObject, _ relation: PaperRelation, _ other: PaperObject) {
    guard relation.isToMany else { return link(object, relation, nil) }
    if remove(object, relation.name, other.id) { unlinkBack(other, relation, object) }
  }

  /// Adds a member to one end; false if it was one.
  func add(_ object: PaperObject, _ name: String, _ id: PaperID) -> Bool {
    var set = set(object, name)
    guard set.add(id) else { return false }
    object.sets[name] = set
    note(object, name)
    return true
  }

  /// Removes a member from one end; false if it was none.
  func remove(_ object: PaperObject, _ name: String, _ id: PaperID) -> Bool {
    var set = set(object, name)
    guard set.remove(id, isNew: registered(id)?.isInserted == true) else { return false }
    object.sets[name] = set
    note(object, name)
    return true
  }

  /// The other end of a relation follows a link; a to-one end lets go of its former partner.
  func linkBack(_ object: PaperObject, _ relation: PaperRelation, _ partner: PaperObject) {
    let back = object.entity.relation(relation.inverse)
    if back.isToMany {
      _ = add(object, back.name, partner.id)
      return
    }
    fire(object)
    let old = object.value(back.name).id
    if old == partner.id { return }
    write(.record(partner.id), object, back.name)
    if let old { unlinkBack(self.object(old), back, object) }
  }

  /// The other end of a relation follows when a link is cut.
  func unlinkBack(_ object: PaperObject, _ relation: PaperRelation, _ partner: PaperObject) {
    let back = object.entity.relation(relation.inverse)
    if back.isToMany {
      _ = remove(object, back.name, partner.id)
    } else {
      fire(object)
      if object.value(back.name).id == partner.id { write(.nothing, object, back.name) }
    }
  }
}

/// A context as the parent of others (B40): its own state counts, saved or not.
extension PaperContext: PaperParent {
  func row(_ id: PaperID) -> PaperRow? {
    guard let object = registered(id) else { return parent.row(aliases[id] ?? id) }
    return row(of: object)
  }

  /// The row of one of its objects, as a child sees it.
  private func row(of object: PaperObject) -> PaperRow? {
    if object.isDeleted { return nil }
    if object.hasChanges { return object.row(version: object.base?.version ?? 0) }
    if object.isLeaving { return nil }
    return object.isFault ? parent.row(object.id) : object.base
  }

  func members(of id: PaperID, _ relation: PaperRelation) -> [PaperID] {
    members(object(id), relation.name).filter {
      !$0.isDead && registered($0)?.isDeleted != true
    }
  }

  func rows(_ entity: String, named name: String?) -> [PaperRow] {
    fetch(entity, named: name).compactMap { row(of: $0) }
  }

  /// F32-F34: what the parent store has, with this context's unsaved changes on top.
  func fetch(_ entity: String, named name: String?) -> [PaperObject] {
    var found: [PaperObject] = []
    for row in parent.rows(entity, named: name) {
      let object = object(row.id)
      if object.isFault { object.base = row }
      if !object.hasChanges { found.append(object) }
    }
    let changed = dirty.filter { object in
      object.hasChanges && !object.isDeleted && object.entity.isKind(of: entity)
        && (name == nil || object.value(object.entity.label) == .text(name!))
    }
    return found + changed
  }
}
