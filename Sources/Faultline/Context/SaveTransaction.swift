import Foundation

/// Thrown out of a transaction whose rows somebody else changed, so that it is rolled back.
struct ConflictsFound: Error, @unchecked Sendable {
  let conflicts: [NSMergeConflict]
}

/// The rows of one save of a root context: made and written inside a transaction, installed after
/// it.
///
/// 1. Changed objects are sorted by what is to be done; inserted ones get keys.
/// 2. Every changed object becomes a new snapshot, one version on.
/// 3. Inserts are written, many rows a statement; updates and deletes only where the version still
///    is what the context read. What was changed elsewhere is collected, and thrown at the end.
/// 4. Many-to-many links, and the order of ordered relationships, are written.
/// 5. After the commit each object takes its snapshot, its permanent key and its clean state.
final class SaveTransaction {
  private let context: NSManagedObjectContext
  /// The store that is written.
  let store: NSPersistentStore
  private let objects: [NSManagedObject]?
  private var inserted: [NSManagedObject] = []
  private var insertedRows: [Snapshot] = []
  private var changed: [NSManagedObject] = []
  private var updated: [(object: NSManagedObject, row: Snapshot, slots: SlotSet)] = []
  private var untouched: [NSManagedObject] = []
  private var deleted: [NSManagedObject] = []
  /// The inserted and updated objects that may have links to write.
  private var linked: [NSManagedObject] = []
  private var conflicts: [NSMergeConflict] = []

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
    try sort(transaction)
    if isSearching {
      try checkVersions(transaction)
      var search = DuplicateSearch(context, pending, transaction)
      try search.run()
    }
    makeRows()
    try transaction.insert(insertedRows)
    try updateRows(transaction)
    try deleteRows(transaction)
    if !conflicts.isEmpty { throw ConflictsFound(conflicts: conflicts) }
    try writeLinks(transaction)
  }

  private func sort(_ transaction: Transaction) throws {
    for object in pending {
      let state = object.state
      if state.contains(.deleted) {
        deleted.append(object)
      } else if state.contains(.inserted) {
        object.pendingKey = object.key < 0 ? try transaction.nextKey(object.layout) : object.key
        inserted.append(object)
      } else if !state.isDisjoint(with: [.updated, .conflictChecked]) {
        changed.append(object)
      }
    }
    try transaction.keepKeys()
  }

  private func makeRows() {
    insertedRows.reserveCapacity(inserted.count)
    for object in inserted {
      insertedRows.append(object.row(key: object.pendingKey, version: 1))
      if !object.layout.relationshipSlots.isEmpty { linked.append(object) }
    }
    updated.reserveCapacity(changed.count)
    for object in changed {
      if object.state.contains(.reinserted) {
        updated.append((object, object.row(key: object.key, version: 1), object.changed))
      } else {
        let slots = object.storedChanges
        guard !slots.isEmpty, let snapshot = object.snapshot else {
          untouched.append(object)
          continue
        }
        updated.append((object, object.row(key: object.key, version: snapshot.version + 1), slots))
      }
      if !object.layout.relationshipSlots.isEmpty { linked.append(object) }
    }
  }

  private func updateRows(_ transaction: Transaction) throws {
    for (object, row, slots) in updated {
      if object.state.contains(.reinserted) {
        // Somebody may have put the row back meanwhile; then this is a conflict like any other.
        if let external = try transaction.row(object.layout, key: object.key) {
          object.state.remove(.reinserted)
          conflicts.append(NSMergeConflict(source: object, external: external, isCached: false))
        } else {
          try transaction.insert([row])
        }
        continue
      }
      let isCurrent = try transaction.update(row, oldVersion: row.version - 1, changed: slots)
      if !isCurrent { try noteConflict(object, transaction) }
    }
    for object in untouched where object.state.contains(.conflictChecked) {
      let now = try transaction.row(object.layout, key: object.key)
      if now?.version != object.snapshot?.version { try noteConflict(object, transaction) }
    }
  }

  private func deleteRows(_ transaction: Transaction) throws {
    for object in deleted where !object.state.contains(.inaccessible) && !object.neverSaved {
      let version = object.snapshot?.version ?? 0
      if try transaction.delete(object.layout, key: object.key, version: version) { continue }
      // A row that somebody else deleted too is as gone as both wanted it.
      if try transaction.row(object.layout, key: object.key) == nil { continue }
      try noteConflict(object, transaction)
    }
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
    external?.enter(store.rowCache)
    conflicts.append(NSMergeConflict(source: object, external: external, isCached: isCached))
  }

  private func writeLinks(_ transaction: Transaction) throws {
    for object in deleted where !object.neverSaved && transaction.schema.holds(object.layout) {
      for slot in object.layout.relationshipSlots {
        guard let join = JoinSchema(object.layout, slot: slot) else { continue }
        try transaction.unlinkAll(join, source: object.key)
      }
    }
    for object in linked {
      for slot in object.layout.relationshipSlots {
        guard case .toMany(let storage)? = object.own?[slot], storage.isChanged,
          let join = JoinSchema(object.layout, slot: slot), join.isWriter
        else { continue }
        let source = object.storedKey
        for other in storage.added where !other.isDeleted {
          try transaction.link(join, source: source, destination: other.storedKey, isAdded: true)
        }
        for other in storage.removed where !other.neverSaved {
          try transaction.link(join, source: source, destination: other.storedKey, isAdded: false)
        }
      }
    }
    for object in linked {
      for slot in object.layout.orderedSlots { try writeOrder(object, slot, transaction) }
    }
  }

  /// Step 5.
  func install() -> NSManagedObjectContext.Saved {
    let isForwarded = !context.children.isEmpty
    for (object, row) in zip(inserted, insertedRows) {
      if object.key < 0 {
        context.rekey(object, to: object.pendingKey, in: store, isForwarded: isForwarded)
      }
      take(row, object)
    }
    for (object, row, _) in updated { take(row, object) }
    for object in untouched { object.becomeClean() }
    let gone = deleted.filter { !$0.neverSaved }
    for object in deleted {
      store.rowCache.member(table: object.tableNumber, key: object.key).map(store.rowCache.remove)
      _ = object.objectID
      object.state.subtract([.deleted, .updated, .inserted, .listed, .noted])
    }
    return .init(inserted: inserted, updated: updated.map(\.object), deleted: gone)
  }

  private func take(_ row: Snapshot, _ object: NSManagedObject) {
    row.enter(store.rowCache)
    object.snapshot = row
    object.becomeClean()
    if object.idStorage == nil {
      object.idStorage = NSManagedObjectID(
        layout: object.layout, store: store.identityRecord, key: object.key)
    }
  }
}

extension NSManagedObject {
  /// The key under which the running save writes the object.
  var storedKey: Int64 { isInserted && pendingKey > 0 ? pendingKey : key }

  /// The current values as a row; to-one destinations by the keys that the running save gives them.
  func row(key: Int64, version: Int64) -> Snapshot {
    var extent = PackedRow.Extent()
    let slots = layout.slots.indices
    for slot in slots {
      if let value = own?[slot] {
        extent.add(stored(value, slot))
      } else if let row {
        extent.add(slot, of: row)
      }
    }
    return Snapshot.make(layout, key: key, version: version, extent) { writer in
      for slot in slots {
        if let value = own?[slot] {
          writer.put(stored(value, slot), slot)
        } else if let row {
          writer.put(row, slot)
        } else {
          writer.put(.null, slot)
        }
      }
    }
  }

  /// A value as a row holds it.
  @inline(__always)
  private func stored(_ value: Value, _ slot: Int) -> Value {
    switch value {
    case .null, .integer, .double, .string, .data, .key, .id:
      return layout.hasTransients && layout.slots[slot].isTransient ? .null : value
    case .boxed(let box):
      if layout.hasTransients, layout.slots[slot].isTransient { return .null }
      return box.opaque.map { .data($0.store()) } ?? value
    case .toMany, .object: return storedReference(value, slot)
    }
  }

  private func storedReference(_ value: Value, _ slot: Int) -> Value {
    switch value {
    case .toMany: return .null
    case .object(let object):
      let key = object.storedKey
      if layout.slots[slot].destination.isPolymorphic || key < 0 {
        return .id(
          key < 0
            ? object.objectID
            : NSManagedObjectID(layout: object.layout, store: .unresolved, key: key))
      }
      return .key(key)
    case .null, .integer, .double, .string, .data, .boxed, .key, .id: return value
    }
  }

  /// Takes the current snapshot as committed: nothing is changed any more.
  ///
  /// Values that hold related objects, or transient ones, stay the object's own; all others are
  /// read from the shared snapshot again.
  func becomeClean() {
    changed = SlotSet()
    extras = nil
    pendingKey = 0
    state.subtract([.inserted, .updated, .listed, .noted, .conflictChecked, .reinserted])
    guard let snapshot, let own else { return }
    var keepsOwn = layout.transientSlots.contains { !current($0).isNull }
    for slot in layout.transformableSlots {
      if case .boxed = own[slot] { keepsOwn = true }
    }
    for slot in layout.relationshipSlots {
      switch own[slot] {
      case .object: keepsOwn = true
      case .toMany(let storage):
        storage.commit()
        keepsOwn = true
      case nil, .null, .integer, .double, .string, .data, .boxed, .key, .id: break
      }
    }
    if !keepsOwn { share(snapshot) }
  }
}
