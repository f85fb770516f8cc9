import Foundation

/// A context as the parent store of its children: it answers from its own state, unsaved changes
/// included, inside its own queue. A child that asks waits while the parent is busy.
extension NSManagedObjectContext: ParentStore {
  func rows(_ plan: FetchPlan) throws -> [LoadedRow] {
    try queue.sync {
      try fetchObjects(plan.asParent).compactMap { try row(of: $0, ageMax: -1).map(LoadedRow.init) }
    }
  }

  func names(_ plan: FetchPlan) throws -> [RecordName] {
    try queue.sync { try fetchNames(plan.asParent) }
  }

  func table(_ plan: FetchPlan, _ projection: FetchProjection) throws -> [[Value]] {
    try queue.sync { try parentStore(for: "a fetch").table(plan, projection) }
  }

  func rows(_ layout: EntityLayout, keys: [Int64]) throws -> [LoadedRow] {
    try queue.sync {
      var found: [LoadedRow] = []
      var others: [Int64] = []
      for key in keys {
        if let object = registered(layout, key), object.hasChanges || object.isRealised {
          if let row = try row(of: object, ageMax: -1) { found.append(LoadedRow(row)) }
        } else {
          others.append(forwarding[key] ?? key)
        }
      }
      if others.isEmpty { return found }
      return found
        + (try parentStore(for: "the fulfilment of a child's faults").rows(layout, keys: others))
    }
  }

  func count(_ plan: FetchPlan) throws -> Int {
    // Whoever asks lets offset and limit apply to the number, once.
    var whole = plan.asParent
    (whole.offset, whole.limit) = (0, 0)
    return try queue.sync { try number(of: whole) }
  }

  func row(_ layout: EntityLayout, key: Int64, ageMax: TimeInterval) throws -> Snapshot? {
    try queue.sync {
      guard let object = registered(layout, key) else {
        let row = try parentStore(for: "the fulfilment of a child's fault")
          .row(layout, key: forwarding[key] ?? key, ageMax: ageMax)
        tellAnswer(layout, key: forwarding[key] ?? key, row)
        return row
      }
      return try row(of: object, ageMax: ageMax)
    }
  }

  func members(_ layout: EntityLayout, key: Int64, slot: Int) throws -> [RecordName] {
    try queue.sync {
      try throwingReadErrors {
        object(layout, forwarding[key] ?? key).memberList(slot).filter(\.isLiving)
          .map { RecordName($0.layout, $0.key) }
      }
    }
  }

  func memberRows(_ layout: EntityLayout, keys: [Int64], slot: Int) throws -> [MemberRow] {
    try queue.sync {
      let owners = keys.map { (key: $0, object: object(layout, forwarding[$0] ?? $0)) }
      let branch = RelationshipBranch(slot: slot)
      try prefetch([branch], of: owners.map(\.object))
      return try owners.flatMap { owner in
        try owner.object.memberList(slot).filter(\.isLiving).compactMap { member in
          try row(of: member, ageMax: -1).map { (owner.key, LoadedRow($0)) }
        }
      }
    }
  }

  /// The row of one of this context's objects: shared if it is unchanged, made from its values if
  /// not.
  private func row(of object: NSManagedObject, ageMax: TimeInterval) throws -> Snapshot? {
    let row = try currentRow(of: object, ageMax: ageMax)
    tellAnswer(object.layout, key: object.key, row)
    return row
  }

  private func currentRow(of object: NSManagedObject, ageMax: TimeInterval) throws -> Snapshot? {
    if object.isDeleted { return nil }
    if object.hasChanges {
      return object.row(key: object.key, version: object.snapshot?.version ?? 0)
    }
    if object.state.contains(.leaving) { return nil }
    if object.isRealised, let snapshot = object.snapshot { return snapshot }
    return try parentStore(for: "the fulfilment of a child's fault")
      .row(object.layout, key: object.key, ageMax: ageMax)
  }

  // MARK: Pushing

  /// Steps 3 and 5 of a child's save: its changes become unsaved changes of the parent, all at
  /// once.
  func push(to parent: NSManagedObjectContext) throws -> Saved {
    var (saved, gone) = (Saved(), [NSManagedObject]())
    changes.forEachHeld { _, object in
      if !object.hasChanges { return }
      if object.isDeleted {
        gone.append(object)
        if !object.neverSaved { saved.deleted.append(object) }
      } else if object.isInserted {
        saved.inserted.append(object)
      } else {
        saved.updated.append(object)
      }
    }
    let push = Push(
      inserted: saved.inserted.map(Push.Change.init), updated: saved.updated.map(Push.Change.init),
      deleted: saved.deleted.map { RecordName($0.layout, $0.key) })
    let assignments = assignments
    try parent.queue.sync {
      parent.assignments.merge(assignments) { $1 }
      try parent.throwingReadErrors { parent.receive(push) }
    }
    saved.insertedIDs = install(push.inserted, in: saved.inserted)
    saved.updatedIDs = install(push.updated, in: saved.updated)
    for object in gone {
      _ = object.objectID
      object.beginLeaving()
    }
    return saved
  }

  /// Makes the rows that were pushed the committed ones; the answer is the ids of their objects.
  private func install(
    _ changes: [Push.Change], in objects: [NSManagedObject]
  ) -> Set<NSManagedObjectID> {
    var ids = DistinctSet<NSManagedObjectID>(count: objects.count)
    objects.forEachHeld { index, object in
      object.snapshot = changes[index].row
      object.becomeClean()
      ids.add(member: object.objectID)
    }
    return ids.take()
  }

  /// What a child hands to its parent.
  struct Push {
    /// One object's changed values and changed memberships.
    struct Change {
      let name: RecordName
      let row: Snapshot
      let slots: SlotSet
      /// Transient values that were set, which no row has.
      let transients: [(slot: Int, value: Value)]
      let links: [Link]
      /// Whether an undo brings back what was saved as deleted.
      let isReinserted: Bool

      init(_ object: NSManagedObject) {
        name = RecordName(object.layout, object.key)
        row = object.row(key: object.key, version: object.snapshot?.version ?? 0)
        isReinserted = object.state.contains(.reinserted)
        let (layout, isNew) = (object.layout, object.isInserted)
        var slots = SlotSet()
        for slot in layout.slots.indices where isNew || object.isChanged(slot) {
          if layout.slots[slot].kind != .toMany { slots.insert(slot) }
        }
        for slot in layout.transientSlots { slots.remove(slot) }
        self.slots = slots
        transients = layout.transientSlots.compactMap { slot in
          guard object.changed.contains(slot) || isNew && object.isChanged(slot) else { return nil }
          switch object.current(slot) {
          case .toMany: return nil
          case .object(let other): return (slot, .id(other.objectID))
          case let value: return (slot, value)
          }
        }
        links = layout.relationshipSlots.compactMap { slot in
          guard case .toMany(let storage)? = object.own?[slot], storage.isChanged else {
            return nil
          }
          return Link(slot, storage)
        }
      }
    }

    /// What a child changed in one membership, and in its order.
    struct Link {
      let slot: Int
      let added: [RecordName]
      let removed: [RecordName]
      /// The order that the child started from and the one it wants, if the members have an order.
      let order: (base: [RecordName], mine: [RecordName])?

      init(_ slot: Int, _ storage: ToManyStorage) {
        func names(_ objects: some Sequence<NSManagedObject>) -> [RecordName] {
          objects.map { RecordName($0.layout, $0.key) }
        }
        self.slot = slot
        added = names(storage.added)
        removed = names(storage.removed)
        order = (storage as? OrderedStorage).map { (names($0.base), names($0.mine)) }
      }
    }

    /// Objects new in the child.
    let inserted: [Change]
    /// Objects changed in the child.
    let updated: [Change]
    /// Objects deleted in the child.
    let deleted: [RecordName]
  }

  /// Takes a child's changes; runs inside this context's queue.
  private func receive(_ push: Push) {
    var targets: [(NSManagedObject, Push.Change)] = []
    for change in push.inserted {
      if let known = registered(change.name.layout, change.name.key) {
        // The child took back a deletion that it had pushed, or it tries a push again that failed.
        let isBack = known.isDeleted && !known.state.contains(.inaccessible)
        if isBack { undelete(known) }
        if isBack || known.isInserted {
          targets.append((known, change))
          continue
        }
        // A record that was asked for too early is a fault that finds no row.
        known.detach()
      }
      let object = change.name.layout.objectClass.init(
        entity: change.name.layout.entity, insertInto: nil)
      enterInserted(object, key: change.name.key)
      if change.isReinserted { object.state.insert(.reinserted) }
      object.awakeFromInsert()
      targets.append((object, change))
    }
    for change in push.updated {
      let object = object(change.name.layout, change.name.key)
      object.fulfill(triggeredBy: nil)
      // Members that the child gave to what is deleted here follow its delete rules.
      if object.state.isDisjoint(with: [.propagated, .inaccessible]) {
        targets.append((object, change))
      }
    }
    for (object, change) in targets {
      tellReceived(object.layout, key: object.key, over: object)
      apply(change, to: object)
    }
    for name in push.deleted {
      let object = object(name.layout, name.key)
      tellReceived(name.layout, key: name.key, over: object)
      if !object.isDeleted { delete(object) }
    }
    processPendingChanges()
  }

  /// Lets go of a destination that this context chose meanwhile and that the child knows nothing
  /// of.
  private func unlinkFormerDestination(of object: NSManagedObject, _ slot: Int, unless new: Value) {
    let description = object.layout.slots[slot]
    guard description.kind == .toOne, let inverse = description.inverse,
      let old = object.destination(slot)
    else { return }
    if case .object(let destination) = new, destination === old { return }
    old.unlinkInverse(inverse, from: object)
  }

  /// Sets only what the child changed; the parent's newer values of other properties stay.
  private func apply(_ change: Push.Change, to object: NSManagedObject) {
    for slot in object.layout.slots.indices where change.slots.contains(slot) {
      set(change.row[slot], slot, of: object)
    }
    for (slot, value) in change.transients { set(value, slot, of: object) }
    for link in change.links {
      if link.order != nil {
        applyOrder(link, to: object)
        continue
      }
      let storage = object.toMany(link.slot)
      for name in link.added { _ = storage.add(self.object(name.layout, name.key)) }
      for name in link.removed { _ = storage.remove(self.object(name.layout, name.key)) }
      object.noteChange(link.slot)
    }
  }

  /// Sets a value that a child has handed over; a destination is this context's own object.
  private func set(_ pushed: Value, _ slot: Int, of object: NSManagedObject) {
    var value = pushed
    if let key = pushed.referenceKey {
      let layout =
        if case .id(let id) = pushed { id.layout } else { object.layout.slots[slot].destination! }
      value = .object(self.object(layout, key))
    }
    unlinkFormerDestination(of: object, slot, unless: value)
    object.write(value, slot)
  }

  /// Puts a child's order and this context's own together.
  private func applyOrder(_ link: Push.Link, to object: NSManagedObject) {
    guard let order = link.order, let storage = object.toMany(link.slot) as? OrderedStorage else {
      return
    }
    func objects(_ names: [RecordName]) -> [NSManagedObject] {
      names.map { self.object($0.layout, $0.key) }
    }
    storage.take(
      objects(order.mine), from: objects(order.base), removed: objects(link.removed)
    ) { _ = object.members(link.slot) }
    object.noteChange(link.slot)
  }
}

extension FetchPlan {
  /// What a parent is asked: its unsaved changes are part of what it has, and only the child that
  /// asks may leave out its own.
  fileprivate var asParent: FetchPlan {
    var plan = self
    plan.includesPendingChanges = true
    return plan
  }
}
