/// A to-one relationship about which a context and the other side may disagree.
struct PaperMove {
  /// The relationship.
  let relation: PaperRelation
  /// Where it led when the context read it.
  let former: PaperID?
  /// Where the context has it lead.
  let wanted: PaperID?
  /// Where the other side has it lead.
  let stored: PaperID?
  /// Whether it is to lead where the context has it.
  let isKept: Bool
}

extension PaperContext {
  /// Takes another row as committed and keeps those current values that `keeps` admits.
  func adopt(
    _ object: PaperObject, _ row: PaperRow, keeps: (_ isLocal: Bool, _ isExternal: Bool) -> Bool
  ) {
    var assigned: Set<String> = []
    var moves: [PaperMove] = []
    for name in object.entity.columns {
      let isExternal = object.base.map { $0[name] != row[name] } ?? true
      let isLocal = object.isChanged(name)
      let isKept = keeps(isLocal, isExternal)
      if isKept ? isExternal : isLocal,
        let relation = object.entity.relations.first(where: { $0.name == name })
      {
        moves.append(
          PaperMove(
            relation: relation, former: object.base?[name].id, wanted: object.value(name).id,
            stored: row[name].id, isKept: isKept))
      }
      if !isKept { object.values[name] = row[name] }
      if object.value(name) != row[name] { assigned.insert(name) }
    }
    // Members are no part of a row: the other side's are read when asked for (D54).
    for (name, set) in object.sets {
      object.sets[name]?.members = nil
      if set.isChanged { assigned.insert(name) }
    }
    object.base = row
    object.assigned = assigned
    for move in moves { relink(object, move, keeps) }
  }

  /// Both ends of a relationship say the same after a merge.
  private func relink(
    _ object: PaperObject, _ move: PaperMove,
    _ keeps: (_ isLocal: Bool, _ isExternal: Bool) -> Bool
  ) {
    let ids = [move.former, move.wanted, move.stored].map { $0.map { aliases[$0] ?? $0 } }
    let (former, wanted) = (ids[0].flatMap(registered), ids[1].flatMap(registered))
    let back = move.relation.inverse
    if ids[0] != ids[1], former?.sets[back]?.removed.remove(object.id) != nil, ids[0] == ids[2] {
      former?.sets[back]?.members = nil
    }
    if ids[1] == ids[2] {
      wanted?.sets[back]?.added.remove(object.id)
      return
    }
    guard move.isKept else {
      if let wanted { takeBack(wanted, wanted.entity.relation(back), object) }
      return
    }
    if let stored = ids[2].map({ self.object($0) }), catchUp(stored, keeps) {
      unlinkBack(stored, move.relation, object)
    }
    if ids[0] == ids[1], let wanted = ids[1].map({ self.object($0) }), catchUp(wanted, keeps) {
      linkBack(wanted, move.relation, object)
    }
  }

  /// The other end of a link that is dropped drops it too.
  private func takeBack(_ object: PaperObject, _ back: PaperRelation, _ partner: PaperObject) {
    if back.isToMany {
      guard object.sets[back.name]?.added.contains(partner.id) == true else { return }
      object.sets[back.name]?.members?.remove(partner.id)
      object.sets[back.name]?.added.remove(partner.id)
    } else if !object.isFault, object.value(back.name).id == partner.id {
      write(.nothing, object, back.name)
    }
  }

  /// Whoever a change concerns is looked at as it is now; false if it is not there.
  private func catchUp(
    _ object: PaperObject, _ keeps: (_ isLocal: Bool, _ isExternal: Bool) -> Bool
  ) -> Bool {
    guard !object.isDeleted, !object.isInserted, let row = parent.row(object.id) else {
      return false
    }
    if !object.isFault, object.hasChanges {
      adopt(object, row, keeps: keeps)
    } else {
      realise(object, row)
    }
    return true
  }

  // MARK: Merging

  /// E25-E32: what another context saved.
  func merge(_ saved: PaperSaved) {
    for id in saved.inserted {
      let object = object(id)
      if object.isGone { turnIntoFault(object) }
      if object.isFault { object.base = nil } else { reload(object) }
    }
    for id in saved.updated {
      if let object = registered(id), !object.isGone { reload(object) }
    }
    var ended: [PaperObject] = []
    for id in saved.deleted {
      guard let object = registered(id), !object.isGone else { continue }
      if !object.isDeleted {
        leave(object)
      } else if !object.isNeverSaved, parent.row(object.id) == nil {
        // Nothing can take the deletion back now; if it was announced, that is all.
        if deletedInEvent.contains(where: { $0 === object }) {
          leave(object)
        } else {
          ended.append(object)
        }
      }
    }
    for object in ended { forget(object) }
    var next = 0
    while next < leftInEvent.count {
      propagate(leftInEvent[next])
      next += 1
    }
    process()
  }

  /// An object whose row is gone leaves when the event ends.
  private func leave(_ object: PaperObject) {
    leftInEvent.append(object)
    if object.isFault, let row = object.base { realise(object, row) }
    if object.isFault { return vanish(object) }
    (object.isDeleted, object.isGone, object.isUpdated) = (true, true, false)
    object.isPropagated = false
    list(object)
    deletedInEvent.append(object)
  }

  /// E30: whoever deleted it did what its delete rules say; what only this context knows follows.
  func unlinkLeft(_ object: PaperObject) {
    for relation in object.entity.relations {
      let set = object.sets[relation.name]
      let ids =
        relation.isToMany
        ? set?.members ?? set?.added ?? []
        : Set(object.value(relation.name).id.map { [$0] } ?? [])
      for id in ids where !id.isDead {
        guard let other = registered(id), !other.isDeleted else { continue }
        if relation.rule == .cascade { cascade(object, relation, other) }
        if relation.rule == .nullify { forget(object, relation, at: other) }
      }
    }
  }

  private func cascade(
    _ object: PaperObject, _ relation: PaperRelation, _ other: PaperObject
  ) {
    if !other.isInserted, !catchUp(other, { isLocal, _ in isLocal }) {
      return leave(other)
    }
    if other.value(relation.inverse).id == object.id { delete(other) }
  }

  private func forget(_ object: PaperObject, _ relation: PaperRelation, at other: PaperObject) {
    let back = other.entity.relation(relation.inverse)
    if other.isFault {
      other.base = nil
    } else if back.isToMany {
      other.sets[back.name]?.members?.remove(object.id)
      other.sets[back.name]?.added.remove(object.id)
      other.sets[back.name]?.removed.remove(object.id)
    } else if other.value(back.name).id == object.id {
      if !other.isInserted { _ = catchUp(other, { isLocal, _ in isLocal }) }
      if other.value(back.name).id == object.id { write(.nothing, other, back.name) }
    }
  }
}
