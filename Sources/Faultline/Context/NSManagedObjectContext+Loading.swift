/// Loading the rows of many faults at a time.
///
/// - `fetchBatchSize`: a fetch records ids only and gives every fault the page it stands on. The
///   first that is fulfilled loads the rows of its page; the others then have theirs at hand.
/// - `relationshipKeyPathsForPrefetching`: one request for each relationship. What it finds is held
///   by the objects that lead there, until they are fulfilled and hold it themselves.
extension NSManagedObjectContext {
  // MARK: Pages

  /// The objects of records whose rows are loaded when they are needed, page by page if the
  /// question has a batch size.
  func faults(_ names: [RecordName], _ question: FetchQuestion) throws -> [NSManagedObject] {
    let (layout, loading) = (question.plan.layout, question.loading)
    let isPaged = loading.batchSize > 0
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(names.count)
    var atHand: [[NSManagedObject]] = []
    var run = WeakTable.Run(registry.objects, table: layout.rootNumber)
    var made = 0
    let length = isPaged ? loading.batchSize : max(names.count, 1)
    for start in stride(from: 0, to: names.count, by: length) {
      let end = min(start + length, names.count)
      for index in start..<end { objects.append(object(named: names[index], &run, &made)) }
      guard isPaged else { continue }
      // At once, while the objects are still in the processor's cache.
      let page = FaultPage(
        layout, keys: objects[start...].map { $0.key }, branches: loading.branches)
      let known = place(objects[start...], on: page)
      if !loading.branches.isEmpty { atHand.append(known) }
    }
    if made > 0 { EngineCounters.add(.liveObjects, made) }
    for objects in isPaged ? atHand : [objects] { try prefetch(loading.branches, of: objects) }
    return objects
  }

  /// Places faults on a page; the answer is those that need none.
  private func place(
    _ objects: ArraySlice<NSManagedObject>, on page: FaultPage
  ) -> [NSManagedObject] {
    var atHand: [NSManagedObject] = []
    objects.forEachHeld { _, object in
      if object.isRealised || object.snapshot != nil {
        atHand.append(object)
      } else {
        object.extras = page
      }
    }
    return atHand
  }

  /// The object of a record that a fetch found.
  @inline(__always)
  private func object(
    named name: RecordName, _ run: inout WeakTable<NSManagedObject>.Run, _ made: inout Int
  ) -> NSManagedObject {
    let key = name.key
    // A key that the parent context's save may have replaced is negative.
    if key > 0, let known = run.member(key) { return known }
    return Unmanaged.passUnretained(name.layout)._withUnsafeGuaranteedRef { layout in
      if key < 0 { return object(layout, key) }
      made += 1
      return make(layout, key: key, isCounted: false)
    }
  }

  /// Loads the rows of the page on which a fault stands that is to be fulfilled.
  func load(_ page: FaultPage, for fault: NSManagedObject) throws {
    fault.extras = nil
    var rows = try parentStore(for: "the fulfilment of a page of faults")
      .rows(page.layout, keys: page.keys)
    var loaded: [NSManagedObject] = []
    let (objects, layout) = (registry!.objects, page.layout)
    let (table, hasBranches) = (layout.rootNumber, !page.branches.isEmpty)
    for index in rows.indices {
      let key = rows[index].key
      let known = key > 0 ? objects.member(table: table, key: key) : registered(layout, key)
      guard let object = known, object.extras === page || object === fault else { continue }
      object.extras = nil
      object.snapshot = rows[index].take()
      if hasBranches { loaded.append(object) }
    }
    try prefetch(page.branches, of: loaded)
  }

  // MARK: Relationships

  /// Loads what relationships of some objects of one table lead to: one request for each.
  ///
  /// - Parameter ancestors: the objects that led to these. They are not held by what they lead to,
  ///   or all would hold each other.
  func prefetch(
    _ branches: [RelationshipBranch], of objects: [NSManagedObject],
    ancestors: Set<NSManagedObject> = []
  ) throws {
    guard let layout = objects.first?.layout, !branches.isEmpty else { return }
    let prefetched = Prefetched()
    let ancestors = ancestors.union(objects)
    for branch in branches {
      let destinations =
        layout.slots[branch.slot].kind == .toOne
        ? try prefetchDestinations(of: objects, branch.slot)
        : try prefetchMembers(of: objects, branch.slot, into: prefetched)
      prefetched.slots.append(branch.slot)
      prefetched.held += destinations.filter { !ancestors.contains($0) }
      try prefetch(branch.branches, of: destinations, ancestors: ancestors)
    }
    for object in objects {
      if object.isRealised {
        prefetched.install(in: object)
      } else {
        prefetched.wait(in: object)
      }
    }
  }

  /// The destinations of a to-one relationship, each once, with their rows at hand.
  private func prefetchDestinations(
    of sources: [NSManagedObject], _ slot: Int
  ) throws -> [NSManagedObject] {
    var found: Set<NSManagedObject> = []
    for source in sources {
      let value = source.isRealised ? source.current(slot) : source.snapshot?[slot] ?? .null
      if value.referenceKey == nil { continue }
      found.insert(destination(value, slot: source.layout.slots[slot]))
    }
    let destinations = found.sorted { $0.key < $1.key }
    let faults = destinations.filter { !$0.isRealised && $0.snapshot == nil }
    guard let layout = faults.first?.layout else { return destinations }
    let rows = try parentStore(for: "prefetching").rows(layout.root, keys: faults.map(\.key))
    for var row in rows { registered(layout, row.key)?.snapshot = row.take() }
    return destinations
  }

  /// The members of a to-many relationship, each once, with their rows at hand.
  private func prefetchMembers(
    of sources: [NSManagedObject], _ slot: Int, into prefetched: Prefetched
  ) throws -> [NSManagedObject] {
    var found: Set<NSManagedObject> = []
    var members: [Int64: [RecordName]] = [:]
    for source in sources
    where !source.isDeleted && !(source.isInserted && source.neverSaved) {
      if case .toMany(let storage) = source.current(slot), let known = storage.members {
        found.formUnion(known)
      } else {
        members[source.key] = []
      }
    }
    if !members.isEmpty {
      let rows = try parentStore(for: "prefetching")
        .memberRows(sources[0].layout, keys: members.keys.sorted(), slot: slot)
      for (owner, var row) in rows {
        let member = register(row.take())
        members[owner]?.append(RecordName(member.layout, member.key))
        found.insert(member)
      }
    }
    prefetched.members[slot] = members
    return found.sorted { $0.key < $1.key }
  }
}

extension NSManagedObject {
  /// Whether what the parent store has for a member is one here.
  ///
  /// Until delete rules act, an object that is to be deleted is a member, and one that is deleted
  /// with its owner stays one: a rollback or an undo finds both as they were. Whom the rules took
  /// out of an unread membership is among its changes, which the load puts on top.
  func counts(_ member: NSManagedObject, _ slot: Int) -> Bool {
    if !member.isDeleted { return true }
    if member.state.contains(.inaccessible) { return false }
    return isDeleted || !member.state.contains(.propagated)
      || toMany(slot).removed.contains(member)
  }
}

/// Some faults of one fetch, in its order, whose rows are loaded together.
final class FaultPage: NSManagedObject.Extras {
  /// The entity that was fetched.
  let layout: EntityLayout
  /// The records.
  let keys: [Int64]
  /// What is loaded with the rows.
  let branches: [RelationshipBranch]

  init(_ layout: EntityLayout, keys: [Int64], branches: [RelationshipBranch]) {
    self.layout = layout
    self.keys = keys
    self.branches = branches
  }

  override func fulfilled(_ object: NSManagedObject) { object.extras = nil }
}

/// What was loaded ahead for some objects; those that are faults share it until they are fulfilled.
final class Prefetched: NSManagedObject.Extras {
  /// The relationships.
  fileprivate(set) var slots: [Int] = []
  /// The members of to-many relationships, by slot and by their owner's key.
  fileprivate(set) var members: [Int: [Int64: [RecordName]]] = [:]
  /// What was loaded, so that it stays in memory.
  fileprivate(set) var held: [NSManagedObject] = []

  private var parts: [Prefetched] = []

  /// Has a fault share this, beside what was loaded for it earlier over other relationships.
  func wait(in fault: NSManagedObject) {
    guard let former = fault.extras as? Prefetched, former !== self else {
      fault.extras = self
      return
    }
    let known = Set(slots)
    let kept = (former.parts.isEmpty ? [former] : former.parts)
      .filter { $0 !== self && !known.isSuperset(of: $0.slots) }
    let all = Prefetched()
    all.parts = kept + [self]
    fault.extras = kept.isEmpty ? self : all
  }

  override func fulfilled(_ object: NSManagedObject) {
    object.extras = nil
    install(in: object)
    for part in parts { part.install(in: object) }
  }

  /// Has an object hold what its relationships lead to.
  func install(in object: NSManagedObject) {
    for slot in slots {
      guard let members = members[slot] else {
        _ = object.destination(slot)
        continue
      }
      guard let names = members[object.key],
        let context = object.registry?.owner as? NSManagedObjectContext
      else { continue }
      let storage = object.toMany(slot)
      if storage.members != nil { continue }
      storage.load(
        names.map { context.object($0.layout, $0.key) }.filter { object.counts($0, slot) })
    }
  }
}
