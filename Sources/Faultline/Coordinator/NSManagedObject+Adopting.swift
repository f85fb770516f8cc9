extension NSManagedObject {
  /// Takes another row as the committed one and keeps of the current values those that `keeps`
  /// admits.
  ///
  /// 1. Value by value is kept or taken. Members are no part of a row: they are read anew, and what
  ///    this context changed about them stays.
  /// 2. Where a kept destination stands over another one of the other side, or a change of this
  ///    context was dropped, the other ends follow.
  ///
  /// `keeps` is told whether this context and whether the other side changed the slot.
  func adopt(_ external: Snapshot, keeps: (_ isLocal: Bool, _ isExternal: Bool) -> Bool) {
    let base = snapshot
    let own = ownValues()
    var kept = SlotSet()
    var moves: [Move] = []
    for (number, slot) in layout.slots.enumerated() {  // 1
      if slot.kind == .toMany {
        if case .toMany(let storage) = own[number] {
          storage.unload(yields: !keeps(true, true))
          if storage.isChanged { kept.insert(number) }
        }
        continue
      }
      if slot.isTransient { continue }
      let isExternal = base.map { $0[number] != external[number] } ?? true
      let (isLocal, value) = (isChanged(number), current(number))
      let isKept = keeps(isLocal, isExternal)
      if isKept, value != external[number] { kept.insert(number) }
      own[number] = isKept ? value : external[number]
      if isKept ? isExternal : isLocal, let inverse = slot.inverse {
        moves.append(
          Move(
            slot: number, inverse: inverse, former: base?[number] ?? .null, wanted: value,
            isKept: isKept))
      }
    }
    rebaseEvent(on: external, keeps)
    snapshot = external
    changed = kept
    for move in moves { relink(move, keeps) }  // 2
  }

  /// Makes the values before the running event those that it would have begun with, had the row
  /// been the committed one then: what another side did is no change of this event.
  func rebaseEvent(
    on external: Snapshot, _ keeps: (_ isLocal: Bool, _ isExternal: Bool) -> Bool
  ) {
    guard let extras, let base = extras.eventBase else { return }
    for (number, slot) in layout.slots.enumerated() where slot.kind != .toMany && !slot.isTransient
    {
      let committed = snapshot?[number]
      let isLocal = base[number] != committed
      if keeps(isLocal, committed != external[number]) { continue }
      extras.eventBase?[number] = external[number]
    }
  }

  /// A to-one relationship about which this context and the other side may disagree.
  private struct Move {
    let slot: Int
    let inverse: Int
    /// Where it led when this context read it.
    let former: Value
    /// Where this context has it lead.
    let wanted: Value
    /// Whether that is to stay.
    let isKept: Bool
  }

  /// Makes the other ends of a to-one relationship follow what became of it.
  private func relink(_ move: Move, _ keeps: (_ isLocal: Bool, _ isExternal: Bool) -> Bool) {
    guard let owner = registry?.owner as? any ConflictOwner & ObjectOwner else { return }
    func end(_ value: Value?) -> NSManagedObject? {
      guard let value, !value.isNull else { return nil }
      return owner.destination(value, slot: layout.slots[move.slot])
    }
    let (former, wanted) = (end(move.former), end(move.wanted))
    let stored = end(snapshot?[move.slot])
    if former !== wanted {
      // The other side has let go of it too, or it is where it was.
      former?.forgetRemoval(of: self, move.inverse, isMember: former === stored, keeps)
    }
    if wanted === stored {
      wanted?.forgetAddition(of: self, move.inverse)
      return
    }
    guard move.isKept else {
      wanted?.takeBackLink(to: self, move.inverse)
      return
    }
    // This context moves it from where the other side has put it, and must know that place as it
    // is now.
    if let stored, (try? owner.catchUp(stored, keeps: keeps)) == true {
      stored.unlinkInverse(move.inverse, from: self)
    }
    if let wanted, wanted === former, (try? owner.catchUp(wanted, keeps: keeps)) == true {
      wanted.linkInverse(move.inverse, to: self)
    }
  }

  /// Forgets that this context removed a member, because the other side decided about it.
  private func forgetRemoval(
    of member: NSManagedObject, _ slot: Int, isMember: Bool,
    _ keeps: (_ isLocal: Bool, _ isExternal: Bool) -> Bool
  ) {
    guard case .toMany(let storage)? = own?[slot], storage.removed.remove(member) != nil,
      isMember
    else { return }
    storage.unload(yields: !keeps(true, true))
  }

  /// Forgets that this context added a member, because the other side did so too.
  private func forgetAddition(of member: NSManagedObject, _ slot: Int) {
    if case .toMany(let storage)? = own?[slot] { storage.added.remove(member) }
  }

  /// Takes back a link that this context had made.
  private func takeBackLink(to object: NSManagedObject, _ slot: Int) {
    switch own?[slot] {
    case .toMany(let storage)? where storage.added.contains(object): storage.drop(object)
    case .object(object)?: unlinkInverse(slot, from: object)
    default: break
    }
  }

  /// Has the members of relationships that are kept in tables of their own linked anew, because
  /// whoever deleted the row removed the links.
  func renewLinks() {
    for slot in layout.relationshipSlots where JoinSchema(layout, slot: slot) != nil {
      if case .toMany(let storage)? = own?[slot] { storage.renew() }
    }
  }
}
