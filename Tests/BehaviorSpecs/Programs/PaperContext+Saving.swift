/// What a save announced (E3).
struct PaperSaved: Equatable {
  /// Ids of new records.
  var inserted: Set<PaperID> = []
  /// Ids of changed records.
  var updated: Set<PaperID> = []
  /// Ids of records that are gone.
  var deleted: Set<PaperID> = []
}

/// A conflict, on paper (D35).
struct PaperConflict: Hashable {
  /// The object.
  let id: PaperID
  /// The version that the saver had read.
  let old: Int
  /// The version in the store; 0 if the row is gone.
  let new: Int

  /// Notes the versions as counted in one life of the row; how lives are told apart is nobody's
  /// business.
  init(id: PaperID, old: Int, new: Int) {
    self.id = id
    (self.old, self.new) = (old % PaperStore.lifetime, new % PaperStore.lifetime)
  }
}

/// How a save ends.
enum PaperOutcome: Equatable {
  /// There was nothing to save.
  case nothing
  /// It worked.
  case saved(PaperSaved)
  /// So many things were not valid, and the code says what.
  case invalid(code: Int, count: Int)
  /// 133020.
  case conflicts(Set<PaperConflict>)
}

/// The five policies.
enum PaperPolicy: String, CaseIterable {
  case error, storeTrump, objectTrump, overwrite, rollback
}

extension PaperContext {
  /// D2: delete rules, validation, then the parent or the store, then the announcement.
  func save(_ policy: PaperPolicy, announcing: (PaperSaved) -> Void) -> PaperOutcome {
    let hadChanges = hasChanges
    process()
    if !hadChanges, !hasChanges { return .nothing }
    if let invalid = validate() { return invalid }
    let all = dirty
    var saved = PaperSaved()
    if let parent = parent as? PaperContext { saved = push(to: parent) }
    while let store = parent as? PaperStore {
      let found = conflicts(store)
      if found.isEmpty {
        saved = commit(store)
        break
      }
      if policy == .error { return .conflicts(Set(found.map(\.record))) }
      let deleted = found.map(\.object).filter(\.isDeleted)
      for conflict in found { resolve(conflict.object, conflict.row, policy) }
      for object in deleted where !object.isDeleted { letGoOfDeleted(object) }
      process()
      if let invalid = validate() { return invalid }
      if !dirty.contains(where: \.hasChanges) { break }
    }
    // What was deleted can still be asked during the announcement (E9), and not after it (A63).
    let gone = (all + dirty).filter(\.isDeleted)
    dirty = []
    for object in gone {
      (object.isInserted, object.isUpdated, object.isDeleted) = (false, false, false)
      object.isLeaving = true
    }
    announcing(saved)
    for object in gone {
      object.isLeaving = false
      if !object.hasChanges { forget(object) }
    }
    return .saved(saved)
  }

  /// D16, D22-D26: nil if everything may be saved.
  private func validate() -> PaperOutcome? {
    var codes: [Int] = []
    for object in dirty where object.hasChanges && !object.isGone {
      if object.isDeleted {
        for relation in object.entity.relations where relation.rule == .deny {
          let left = members(object, relation.name).filter { registered($0)?.isDeleted == false }
          if !object.isNeverSaved, !left.isEmpty { codes.append(1600) }
        }
        continue
      }
      let mandatory =
        object.entity.mandatory
        .union(object.entity.relations.filter(\.isMandatory).map(\.name))
      codes += mandatory.filter { object.value($0) == .nothing }.map { _ in 1570 }
      codes += object.entity.relations.filter { isDangling(object, $0) }.map { _ in 1550 }
    }
    if codes.isEmpty { return nil }
    return .invalid(code: codes.count == 1 ? codes[0] : 1560, count: codes.count)
  }

  /// Whether a change leads to a deleted record that no delete rule let go of or keeps.
  private func isDangling(_ object: PaperObject, _ relation: PaperRelation) -> Bool {
    guard !relation.isToMany, object.isChanged(relation.name),
      let id = object.value(relation.name).id, registered(id)?.isDeleted == true
    else { return false }
    return PaperEntity.named(id.entity).relation(relation.inverse).rule != .deny
  }

  // MARK: Conflicts

  private struct Found {
    let object: PaperObject
    let row: PaperRow?
    let record: PaperConflict
  }

  /// D31: changed and deleted objects whose row has another version than the one read.
  private func conflicts(_ store: PaperStore) -> [Found] {
    var result: [Found] = []
    for object in dirty where object.hasChanges && !object.isInserted && !object.isGone {
      let row = store.row(object.id)
      if object.isDeleted, row == nil { continue }  // T8
      if !object.isDeleted {
        if object.isWrittenAnew {
          guard row != nil else { continue }
          object.isWrittenAnew = false
        } else if object.changesToStore.isEmpty {
          continue  // D38
        }
      }
      let (old, new) = (object.base?.version ?? 0, row?.version ?? 0)
      if old == new { continue }
      let record = PaperConflict(id: object.id, old: old, new: new)
      result.append(Found(object: object, row: row, record: record))
    }
    return result.filter { !$0.object.isDeleted } + result.filter { $0.object.isDeleted }
  }

  /// Worked table 1.
  private func resolve(_ object: PaperObject, _ row: PaperRow?, _ policy: PaperPolicy) {
    let isObjectWinning = policy == .objectTrump || policy == .overwrite
    guard let row else {
      if !isObjectWinning {  // T6
        vanish(object)
        object.isPropagated = false
        return
      }
      object.isWrittenAnew = true
      renewLinks(object)
      return
    }
    if object.isDeleted {  // T7
      if isObjectWinning {
        object.base = row
      } else {
        (object.isDeleted, object.isPropagated) = (false, false)
        adopt(object, row) { _, _ in false }
      }
    } else {
      switch policy {
      case .error: break
      case .storeTrump: adopt(object, row) { isLocal, isExternal in isLocal && !isExternal }
      case .objectTrump: adopt(object, row) { isLocal, _ in isLocal }
      case .overwrite: adopt(object, row) { _, _ in true }
      case .rollback:
        undoRelationships(object)
        adopt(object, row) { _, _ in false }
      }
    }
    if object.assigned.isEmpty, !object.isDeleted { object.isUpdated = false }
  }

  /// T7: who was to be deleted was passed over by the delete rules of who still is.
  private func letGoOfDeleted(_ object: PaperObject) {
    for relation in object.entity.relations where !relation.isToMany {
      guard let other = object.value(relation.name).id.flatMap(registered), other.isDeleted else {
        continue
      }
      let rule = other.entity.relation(relation.inverse).rule
      if rule == .cascade || rule == .nullify { write(.nothing, object, relation.name) }
    }
  }

  /// T6: whoever deleted the row removed its links to all members.
  private func renewLinks(_ object: PaperObject) {
    for relation in object.entity.relations where relation.isToMany && relation.isManyToMany {
      guard let set = object.sets[relation.name] else { continue }
      object.sets[relation.name]?.added = (set.members ?? set.added).filter {
        !$0.isDead && registered($0)?.isDeleted == false
      }
      object.sets[relation.name]?.removed = []
    }
  }

  /// D49, T5: both ends of the object's relationships go back; a to-one end to what is committed.
  private func undoRelationships(_ object: PaperObject) {
    for relation in object.entity.relations {
      guard relation.isToMany else {
        if object.isChanged(relation.name) { restore(object, relation) }
        continue
      }
      guard object.sets[relation.name] != nil else { continue }
      let set = read(object, relation)
      for id in set.added where !id.isDead {
        let other = self.object(id)
        let back = other.entity.relation(relation.inverse)
        if back.isToMany { unlink(object, relation, other) } else { restore(other, back) }
      }
      for id in set.removed where !id.isDead { link(object, relation, self.object(id)) }
      object.sets[relation.name]?.added = []
      object.sets[relation.name]?.removed = []
    }
  }

  /// A set whose changes are to be taken back, and read are those of its members at the other end.
  private func read(_ object: PaperObject, _ relation: PaperRelation) -> PaperSet {
    readIfChanged(object, relation)
    let set = set(object, relation.name)
    for id in set.added.union(set.removed) where !id.isDead {
      let other = self.object(id)
      readIfChanged(other, other.entity.relation(relation.inverse))
    }
    return set
  }

  /// Only among members that are known can a change be taken back.
  private func readIfChanged(_ object: PaperObject, _ relation: PaperRelation) {
    guard relation.isToMany, set(object, relation.name).isChanged else { return }
    members(object, relation.name)
  }

  /// A to-one relationship leads where it led, unless that is to be deleted.
  private func restore(_ object: PaperObject, _ relation: PaperRelation) {
    let old = object.base?[relation.name].id.map { self.object($0) }
    let former = old?.isDeleted == true ? nil : old
    let now = object.value(relation.name).id.map { self.object($0) }
    for case let end? in [now, former] {
      readIfChanged(end, end.entity.relation(relation.inverse))
    }
    link(object, relation, former)
  }

  // MARK: Writing

  /// D8: everything at once; ids become permanent (A7), versions go up by one (C20).
  private func commit(_ store: PaperStore) -> PaperSaved {
    var saved = PaperSaved()
    for object in inserted { rename(object) }
    let pending = dirty.filter(\.hasChanges)
    let (kept, gone) = (pending.filter { !$0.isDeleted }, pending.filter(\.isDeleted))
    for object in kept {
      let isWritten = object.isInserted || object.isWrittenAnew || !object.changesToStore.isEmpty
      guard isWritten else { continue }
      // A row that comes back has none of its former versions, which others may hold.
      var row = object.row(
        version: (object.isWrittenAnew ? store.nextLife() : object.base?.version ?? 0) + 1)
      // A reference to a record that was never saved is stored as nil, and reads nil from then on.
      for (name, value) in row.values where value.id?.isTemporary == true {
        row.values[name] = .nothing
        object.values[name] = .nothing
      }
      store.rows[object.id] = row
      object.base = row
      if object.isInserted || object.isWrittenAnew {
        saved.inserted.insert(object.id)
      } else {
        saved.updated.insert(object.id)
      }
    }
    for object in gone {
      if !object.isGone {
        store.rows[object.id] = nil
        store.pairs = store.pairs.filter { !$0.contains(object.id) }
      }
      saved.deleted.insert(object.id)
    }
    for object in kept { writePairs(object, store) }
    for object in kept { object.becomeClean() }
    return saved
  }

  private func writePairs(_ object: PaperObject, _ store: PaperStore) {
    for (name, set) in object.sets where object.entity.relation(name).isManyToMany {
      func pair(_ id: PaperID) -> [PaperID] { name == "tags" ? [object.id, id] : [id, object.id] }
      for id in set.added where !id.isTemporary && registered(id)?.isDeleted == false {
        store.pairs.insert(pair(id))
      }
      for id in set.removed { store.pairs.remove(pair(id)) }
    }
  }

  // MARK: Pushing

  /// B41-B44: the child's changes, and only those, become changes of the parent.
  private func push(to parent: PaperContext) -> PaperSaved {
    let (new, changed, gone) = (inserted, updated, deleted)
    for object in new {
      // Whoever asked for the record too early holds a fault that finds no row.
      if let early = parent.registered(object.id) { parent.forget(early) }
      _ = parent.insert(object.id)
    }
    var targets: [(PaperObject, PaperObject)] = new.map { ($0, parent.object($0.id)) }
    for object in changed {
      let target = parent.object(object.id)
      parent.fire(target)
      if !target.isPropagated, !target.isGone { targets.append((object, target)) }
    }
    for (object, target) in targets { parent.take(object, into: target) }
    for object in gone { parent.delete(parent.object(object.id)) }
    parent.process()
    for object in new + changed {
      object.base = object.row(version: 0)
      object.becomeClean()
    }
    return PaperSaved(
      inserted: Set(new.map(\.id)), updated: Set(changed.map(\.id)),
      deleted: Set(gone.map(\.id)))
  }

  /// One object of a push: changed values overwrite, members come and go one by one (B44).
  private func take(_ source: PaperObject, into target: PaperObject) {
    for name in source.entity.columns {
      let isPushed = source.isInserted || source.changesToStore.contains(name)
      guard isPushed else { continue }
      var value = source.value(name)
      if let id = value.id { value = .record(object(id).id) }
      if let old = target.value(name).id, value.id != old {
        unlinkBack(object(old), target.entity.relation(name), target)
      }
      write(value, target, name)
    }
    for (name, set) in source.sets where set.isChanged {
      var own = self.set(target, name)
      for id in set.added { _ = own.add(object(id.alive).id) }
      for id in set.removed {
        let member = object(id.alive)
        _ = own.remove(member.id, isNew: member.isInserted)
      }
      target.sets[name] = own
      note(target, name)
    }
  }
}
