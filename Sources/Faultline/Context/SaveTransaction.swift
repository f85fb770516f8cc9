import Foundation

/// Thrown out of a transaction whose rows somebody else changed, so that it is rolled back.
struct ConflictsFound: Error, @unchecked Sendable {
  let conflicts: [NSMergeConflict]
}

/// Thrown out of a transaction that wrote many rows by a statement, not all of which were there.
struct VersionsDiffer: Error {}

/// The rows of one save of a root context: made and written inside a transaction, installed after
/// it.
///
/// 1. Changed objects are sorted by what is to be done; inserted ones get keys.
/// 2. Changed objects become new snapshots, one version on, a few at a time; each is written
/// 3. while it is near at hand: inserts many rows a statement, updates and deletes only where the
///    version still is what the context read. What was changed elsewhere is collected, and thrown
///    at the end. Many updates or deletes share a statement, which counts what it found; if that is
///    too few, everything begins anew, row by row, to find out which.
/// 4. Many-to-many links, and the order of ordered relationships, are written.
/// 5. After the commit each object takes its snapshot, its permanent key and its clean state.
final class SaveTransaction {
  private let context: NSManagedObjectContext
  /// The store that is written.
  let store: NSPersistentStore
  /// Whether each update and deletion is a statement of its own, so that it is known which was not
  /// current.
  var isRowByRow = false
  private let objects: [NSManagedObject]?
  private var inserted: [NSManagedObject] = []
  @exclusivity(unchecked) private var insertedRows: [Snapshot] = []
  private var changed: [NSManagedObject] = []
  @exclusivity(unchecked) private var updated: [NSManagedObject] = []
  @exclusivity(unchecked) private var updates: [Transaction.Update] = []
  private var untouched: [NSManagedObject] = []
  private var deleted: [NSManagedObject] = []
  /// The inserted and updated objects that may have links to write.
  private var linked: [NSManagedObject] = []
  private var conflicts: [NSMergeConflict] = []
  /// The rows that were there to be deleted, if the history is told.
  private var deletedRows: [Snapshot] = []
  /// The era of the row cache before the commit.
  private var era: UInt64 = 0

  /// More versions than a row will ever have between its insertion and its deletion.
  private static let lifetime: Int64 = 1 << 32

  /// Makes the part of a save that concerns these objects; nil means all changed ones.
  init(
    _ context: NSManagedObjectContext, store: NSPersistentStore, objects: [NSManagedObject]? = nil
  ) {
    self.context = context
    self.store = store
    self.objects = objects
  }

  private var pending: [NSManagedObject] { objects ?? context.changes }

  /// Steps 1 to 4; with a search for duplicates, which come after conflicts of versions, before.
  func write(_ transaction: Transaction, isSearching: Bool) throws {
    transaction.record(author: context.transactionAuthor, contextName: context.name)
    try sort(transaction)
    if isSearching {
      try checkVersions(transaction)
      var search = DuplicateSearch(context, pending, transaction)
      try search.run()
    }
    try insertRows(transaction)
    try updateRows(transaction)
    try deleteRows(transaction)
    if !conflicts.isEmpty { throw ConflictsFound(conflicts: conflicts) }
    try writeLinks(transaction)
    if let recorder = transaction.recorder { try tell(recorder) }
    era = store.rowCache.era
  }

  /// Tells the history what was written; records that came back count as inserted.
  private func tell(_ recorder: HistoryRecorder) throws {
    let returned = zip(updated, updates).filter { $0.0.state.contains(.reinserted) }.map(\.1)
    let changed = zip(updated, updates).filter { !$0.0.state.contains(.reinserted) }.map(\.1)
    try recorder.insert(insertedRows + returned.map(\.row))
    try recorder.update(changed)
    try recorder.delete(deletedRows)
  }

  private func sort(_ transaction: Transaction) throws {
    let changes = pending
    guard let first = changes.first?.state.kind else { return }
    // Most saves do one thing, and the list that there is serves.
    var isUniform = true
    try changes.forEachHeld { index, object in
      let kind = object.state.kind
      if isUniform, kind != first {
        isUniform = false
        for earlier in changes[..<index] { append(earlier, first) }
      }
      if !isUniform { append(object, kind) }
      if kind == .inserted {
        object.pendingKey = object.key < 0 ? try transaction.nextKey(object.layout) : object.key
      } else if object.state.contains(.reinserted) {
        isRowByRow = true
      }
    }
    if isUniform {
      switch first {
      case .inserted: inserted = changes
      case .changed: changed = changes
      case .deleted: deleted = changes
      case .clean: break
      }
    }
    try transaction.keepKeys()
  }

  private func append(_ object: NSManagedObject, _ kind: NSManagedObject.State.Kind) {
    switch kind {
    case .inserted: inserted.append(object)
    case .changed: changed.append(object)
    case .deleted: deleted.append(object)
    case .clean: break
    }
  }

  /// Makes rows and writes them while they are near at hand.
  private func insertRows(_ transaction: Transaction) throws {
    let inserted = inserted
    insertedRows.reserveCapacity(inserted.count)
    var start = 0
    while start < inserted.count {
      let layout = inserted[start].layout
      let part = inserted[start...].prefix(Transaction.rowsPerInsertMax)
        .prefix { $0.layout === layout }
      try part.forEachHeld { _, object in
        let version =
          object.state.contains(.reinserted) ? try nextLife(of: layout, transaction) : 1
        insertedRows.append(object.row(key: object.pendingKey, version: version, isFinal: true))
      }
      if layout.hasRelationships { linked += part }
      let end = part.endIndex
      try transaction.insert(insertedRows[start..<end], of: layout)
      start = end
    }
  }

  /// The first version of a record that comes back: nobody who read it in a former life may take
  /// its new one for the same.
  private func nextLife(of layout: EntityLayout, _ transaction: Transaction) throws -> Int64 {
    // A key that is used up for it tells each life from every other.
    let life = transaction.schema.row(try transaction.nextKey(layout))
    try transaction.keepKeys()
    return life &* Self.lifetime &+ 1
  }

  private func updateRows(_ transaction: Transaction) throws {
    let changed = changed
    updates.reserveCapacity(changed.count)
    var written = 0
    try changed.forEachHeld { index, object in
      if let update = try update(of: object, transaction) {
        updates.append(update)
        if !untouched.isEmpty { updated.append(object) }
        if object.layout.hasRelationships { linked.append(object) }
        if !isRowByRow, updates.count - written == Transaction.rowsPerUpdate {
          if try !transaction.update(updates[written...]) { throw VersionsDiffer() }
          written = updates.count
        }
      } else {
        if untouched.isEmpty { updated = Array(changed[..<index]) }
        untouched.append(object)
      }
    }
    if untouched.isEmpty { updated = changed }
    // What there is before these was current, so these tell all conflicts there are.
    for (object, update) in zip(updated[written...], updates[written...]) {
      if object.state.contains(.reinserted) {
        try insertAgain(object, update.row, transaction)
      } else if try !transaction.update(update) {
        try noteConflict(object, transaction)
      }
    }
    for object in untouched where object.state.contains(.conflictChecked) {
      let now = try transaction.row(object.layout, key: object.key)
      if now?.version != object.snapshot?.version { try noteConflict(object, transaction) }
    }
  }

  /// The row that a changed object becomes; nil if nothing that is stored differs.
  private func update(
    of object: NSManagedObject, _ transaction: Transaction
  ) throws -> Transaction.Update? {
    if object.state.contains(.reinserted) {
      let version = try nextLife(of: object.layout, transaction)
      let row = object.row(key: object.key, version: version, isFinal: true)
      return .init(row: row, changed: object.changed)
    }
    let slots = object.storedChanges
    guard !slots.isEmpty, let snapshot = object.snapshot else { return nil }
    let row = object.row(key: object.key, version: snapshot.version + 1, isFinal: true)
    return .init(row: row, changed: slots)
  }

  private func insertAgain(
    _ object: NSManagedObject, _ row: Snapshot, _ transaction: Transaction
  ) throws {
    // Somebody may have put the row back meanwhile; then this is a conflict like any other.
    if let external = try transaction.row(object.layout, key: object.key) {
      object.state.remove(.reinserted)
      conflicts.append(NSMergeConflict(source: object, external: external, isCached: false))
    } else {
      try transaction.insert([row], of: object.layout)
    }
  }

  /// Removes rows, many of one entity and version by a statement, which counts what it found.
  private func deleteRows(_ transaction: Transaction) throws {
    let objects = deleted.filter { !$0.state.contains(.inaccessible) && !$0.neverSaved }
    var start = 0
    while start < objects.count {
      let (layout, version) = (objects[start].layout, objects[start].snapshot?.version ?? 0)
      let rest = objects[start...].prefix(Transaction.rowsPerDelete)
      let part = rest.prefix { $0.layout === layout && $0.snapshot?.version ?? 0 == version }
      if !isRowByRow, part.count == Transaction.rowsPerDelete {
        if try !transaction.delete(layout, keys: part.map(\.key), version: version) {
          throw VersionsDiffer()
        }
        if transaction.recorder != nil { deletedRows += part.compactMap(\.snapshot) }
      } else {
        for object in part { try delete(object, transaction) }
      }
      start += part.count
    }
  }

  private func delete(_ object: NSManagedObject, _ transaction: Transaction) throws {
    let version = object.snapshot?.version ?? 0
    if try transaction.delete(object.layout, keys: [object.key], version: version) {
      if transaction.recorder != nil, let row = object.snapshot { deletedRows.append(row) }
      return
    }
    // A row that somebody else deleted too is as gone as both wanted it.
    if try transaction.row(object.layout, key: object.key) == nil { return }
    try noteConflict(object, transaction)
  }

  /// Finds the conflicts of versions that writing would find, without writing.
  private func checkVersions(_ transaction: Transaction) throws {
    for object in pending where object.isDeleted || object.isUpdated {
      if object.neverSaved || !object.state.isDisjoint(with: [.inaccessible, .reinserted]) {
        continue
      }
      if !object.isDeleted, object.storedChanges.isEmpty { continue }
      let now = try transaction.row(object.layout, key: object.key)
      if now == nil, object.isDeleted { continue }
      if now?.version != object.snapshot?.version { try noteConflict(object, transaction) }
    }
    if !conflicts.isEmpty { throw ConflictsFound(conflicts: conflicts) }
  }

  /// Tells the two kinds of conflict apart (rules D32 and D33).
  ///
  /// As long as this context holds its snapshot, the row cache lacks an entry or has a newer one
  /// only if somebody saved or fetched through this coordinator; otherwise the change went past it.
  /// A pinned context holds rows of its own generation, so there the newest row must be cached.
  private func noteConflict(_ object: NSManagedObject, _ transaction: Transaction) throws {
    let cached = store.rowCache.member(table: object.tableNumber, key: object.key)
    let external = try transaction.row(object.layout, key: object.key)
    let isCached =
      context.pin == nil ? cached !== object.snapshot : cached?.version == external?.version
    // A refresh after the refusal must find the newer row, whoever wrote it.
    external?.enter(store.rowCache, since: store.rowCache.era)
    conflicts.append(NSMergeConflict(source: object, external: external, isCached: isCached))
  }

  private func writeLinks(_ transaction: Transaction) throws {
    for object in deleted where !object.neverSaved && transaction.schema.holds(object.layout) {
      // Whoever deleted the row did this too, and it may have come back since.
      if object.state.contains(.inaccessible) { continue }
      for slot in object.layout.relationshipSlots {
        guard let join = JoinSchema(object.layout, slot: slot) else { continue }
        try transaction.unlinkAll(join, source: object.key)
      }
    }
    for object in linked {
      for slot in object.layout.relationshipSlots {
        guard let storage = object.changes(slot),
          let join = JoinSchema(object.layout, slot: slot)
        else { continue }
        // The other end writes what both changed; after a refresh one of them may know alone.
        let isAlone = join.isWriter && !join.isReflexive
        let back = isAlone ? nil : object.layout.slots[slot].inverse
        for other in storage.added where other.isLiving {
          let isShared = back.map { other.changes($0)?.added.contains(object) == true } ?? false
          try link(join, object, other, isShared: isShared, isAdded: true, transaction)
        }
        for other in storage.removed where !other.neverSaved {
          let isShared = back.map { other.changes($0)?.removed.contains(object) == true } ?? false
          try link(join, object, other, isShared: isShared, isAdded: false, transaction)
        }
      }
    }
    for object in linked {
      for slot in object.layout.orderedSlots { try writeOrder(object, slot, transaction) }
    }
  }

  /// Writes the pair of two objects, and back where a relationship is its own inverse, unless the
  /// other end does.
  private func link(
    _ join: JoinSchema, _ object: NSManagedObject, _ other: NSManagedObject, isShared: Bool,
    isAdded: Bool, _ transaction: Transaction
  ) throws {
    let (source, destination) = (object.storedKey, other.storedKey)
    if join.isWriter || !isShared {
      try transaction.link(join, source: source, destination: destination, isAdded: isAdded)
    }
    if join.isReflexive, !isShared {
      try transaction.link(join, source: destination, destination: source, isAdded: isAdded)
    }
  }

  /// Step 5.
  func install() -> NSManagedObjectContext.Saved {
    tellInstalled()
    let isForwarded = !context.children.isEmpty
    let (identity, cache) = (store.identityRecord, store.rowCache)
    let mark = cache.beginEra()
    var insertedIDs = DistinctSet<NSManagedObjectID>(count: inserted.count)
    let rows = insertedRows
    inserted.forEachHeld { index, object in
      if object.key < 0 {
        context.rekey(object, to: object.pendingKey, in: identity, isForwarded: isForwarded)
      }
      insertedIDs.add(member: take(rows[index], object, identity, cache, mark: 0))
    }
    var updatedIDs = DistinctSet<NSManagedObjectID>(count: updated.count)
    var returned: Set<NSManagedObject> = []
    let updates = updates
    updated.forEachHeld { index, object in
      if object.state.contains(.reinserted) { returned.insert(object) }
      updatedIDs.add(member: take(updates[index].row, object, identity, cache, mark: mark))
    }
    for object in untouched { object.becomeClean() }
    let gone = deleted.filter { !$0.neverSaved }
    gone.forEachHeld { cache.forget(table: $1.tableNumber, key: $1.key, mark: mark) }
    deleted.forEachHeld { _, object in
      if object.neverSaved { _ = object.objectID } else { keepID(of: object, identity) }
      object.beginLeaving()
    }
    var saved = NSManagedObjectContext.Saved(
      inserted: inserted, updated: updated, deleted: gone, insertedIDs: insertedIDs.take(),
      updatedIDs: updatedIDs.take())
    if !returned.isEmpty { saved.takeForInserted(returned) }
    return saved
  }

  /// Tells a controlled scheduler that rows come into the row cache, where whoever fulfils a fault
  /// finds them: between the commit and this moment others may have read the old ones there.
  private func tellInstalled() {
    guard Scheduling.hook != nil else { return }
    let names = Set((inserted + updated + deleted).map { $0.layout.root.name })
    for name in names.sorted() { Scheduling.touch(.rows(of: name), isWrite: true) }
  }

  /// Installs a row in its object; the answer is its id.
  @inline(__always)
  private func take(
    _ row: Snapshot, _ object: NSManagedObject, _ identity: StoreIdentity,
    _ cache: WeakTable<Snapshot>, mark: UInt64
  ) -> NSManagedObjectID {
    // Somebody may have read the row, or saved it once more, since the commit.
    let cached = row.enter(cache, since: era, mark: mark)
    object.becomeClean(as: cached.flatMap { $0.version == row.version ? $0 : nil } ?? row)
    return keepID(of: object, identity)
  }

  /// The id of an object that the store has, or had.
  @discardableResult
  private func keepID(
    of object: NSManagedObject, _ identity: StoreIdentity
  ) -> NSManagedObjectID {
    if let id = object.idStorage { return id }
    let id = NSManagedObjectID(layout: object.layout, store: identity, key: object.key)
    object.idStorage = id
    return id
  }
}

extension NSManagedObject.State {
  /// What a save does about an object.
  fileprivate enum Kind {
    case clean, inserted, changed, deleted
  }

  /// What a save does about an object in this state.
  fileprivate var kind: Kind {
    if contains(.deleted) { return .deleted }
    if contains(.inserted) { return .inserted }
    return isDisjoint(with: [.updated, .conflictChecked]) ? .clean : .changed
  }
}
