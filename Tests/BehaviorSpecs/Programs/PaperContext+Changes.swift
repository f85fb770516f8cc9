extension PaperContext {
  /// A62, A48: marks an object as deleted; delete rules come later (D13).
  func delete(_ object: PaperObject) {
    if object.isDeleted { return }
    fire(object)
    if object.isDeleted { return }
    object.isDeleted = true
    object.isPropagated = false
    list(object)
    deletedInEvent.append(object)
  }

  /// B31: applies delete rules and forgets what was inserted and deleted unsaved (A64).
  func process() {
    var next = 0
    while next < deletedInEvent.count {
      propagate(deletedInEvent[next])
      next += 1
    }
    for object in deletedInEvent where object.isDeleted && object.isNeverSaved { forget(object) }
    for object in leftInEvent { forget(object) }
    (deletedInEvent, leftInEvent) = ([], [])
  }

  /// D14-D17: what the deletion of an object does to its relatives.
  func propagate(_ object: PaperObject) {
    guard object.isDeleted, !object.isPropagated else { return }
    object.isPropagated = true
    if object.isGone { return unlinkLeft(object) }
    for relation in object.entity.relations where relation.rule != .noAction {
      let ids =
        relation.isToMany
        ? members(object, relation.name)
        : Set(object.value(relation.name).id.map { [$0] } ?? [])
      for id in ids.sorted(by: { "\($0)" < "\($1)" }) where !id.isDead {
        let other = self.object(id)
        if other.isDeleted { continue }
        if relation.rule == .cascade { delete(other) }
        if relation.rule == .nullify { unlinkBack(other, relation, object) }
      }
    }
  }

  // MARK: Refresh, rollback, reset

  /// A90, A91, A95; without merging, K2: an unsaved insert becomes a fault without a row.
  func refresh(_ object: PaperObject, mergeChanges: Bool) {
    if object.isNeverSaved, object.isInserted {
      if mergeChanges { return }
      object.isInserted = false
    }
    if mergeChanges { reload(object) } else { turnIntoFault(object) }
  }

  /// A94: changed objects are reloaded under their changes, all others become faults.
  func refreshAll() {
    for object in objects.values where !(object.isNeverSaved && object.isInserted) {
      if object.hasChanges { reload(object) } else { turnIntoFault(object) }
    }
  }

  /// A50: gives up values and changes.
  func turnIntoFault(_ object: PaperObject) {
    guard !object.isFault else { return }
    object.isFault = true
    object.values = [:]
    object.sets = [:]
    object.assigned = []
    (object.isUpdated, object.isDeleted, object.isGone) = (false, false, false)
    object.isPropagated = false
    dirty.removeAll { $0 === object && !object.hasChanges }
  }

  /// A91: the newest row below, the object's own changes on top.
  func reload(_ object: PaperObject) {
    if object.isFault {
      object.base = nil
      return
    }
    guard let row = parent.row(object.id) else { return }
    if object.hasChanges {
      adopt(object, row) { isLocal, _ in isLocal }
    } else {
      realise(object, row)
    }
  }

  /// A98, A99.
  func rollback() {
    let pending = dirty
    dirty = []
    deletedInEvent = []
    for object in pending where object.hasChanges {
      if object.isNeverSaved {
        forget(object)
        continue
      }
      let wasGone = object.isGone
      (object.isUpdated, object.isDeleted, object.isGone) = (false, false, false)
      (object.isPropagated, object.isWrittenAnew) = (false, false)
      object.assigned = []
      if wasGone {
        object.isFault = true
        object.values = [:]
        object.sets = [:]
      } else if let base = object.base {
        realise(object, base)
      }
    }
  }

  /// A96; what became of temporary ids is still known to it, because children may use them.
  func reset() {
    objects = [:]
    dirty = []
    deletedInEvent = []
  }

  // MARK: Ids

  /// A9: a permanent id, reserved before any save; the record keeps it for life.
  func obtainPermanentID(_ object: PaperObject) {
    guard object.id.isTemporary, !object.isDeleted else { return }
    if !object.isInserted {
      // A record that was handed to the parent has one permanent id in both contexts (A1), and a
      // context one instance for it (A19).
      guard let parent = parent as? PaperContext else { return }
      let twin = parent.object(object.id)
      parent.obtainPermanentID(twin)
      if twin.id.isTemporary || objects[object.id.permanent] != nil { return }
    }
    rename(object)
  }

  /// A7: the object goes by its permanent id from now on, wherever this context mentions it.
  func rename(_ object: PaperObject) {
    let (old, new) = (object.id, object.id.permanent)
    guard old != new else { return }
    objects[old] = nil
    objects[new] = object
    object.id = new
    if hasChildren { aliases[old] = new }
    for other in objects.values {
      for (name, value) in other.values where value == .record(old) {
        other.values[name] = .record(new)
      }
      for (name, value) in other.base?.values ?? [:] where value == .record(old) {
        other.base?.values[name] = .record(new)
      }
      for name in other.sets.keys { other.sets[name]?.rename(old, new) }
    }
  }
}
