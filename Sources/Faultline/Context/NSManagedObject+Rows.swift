import Foundation

extension NSManagedObject {
  /// The key under which the running save writes the object.
  var storedKey: Int64 { isInserted && pendingKey > 0 ? pendingKey : key }

  /// The current values as a row; to-one destinations by the keys that the running save gives them.
  ///
  /// A row is final if it goes into a store: there nobody will ever follow a temporary key.
  func row(key: Int64, version: Int64, isFinal: Bool = false) -> Snapshot {
    if let copy = rowWithOtherWords(key: key, version: version, isFinal) { return copy }
    var extent = PackedRow.Extent()
    let slots = layout.slots.indices
    for slot in slots {
      if let text = plainText(slot) {
        text.lend { extent.add($0) }
      } else if let value = own?[slot] {
        extent.add(stored(value, slot, isFinal))
      } else if let row {
        extent.add(slot, of: row)
      }
    }
    return Snapshot.make(layout, key: key, version: version, extent) { writer in
      for slot in slots {
        if let text = plainText(slot) {
          text.lend { writer.put($0, slot) }
        } else if let value = own?[slot] {
          writer.put(stored(value, slot, isFinal), slot)
        } else if let row {
          writer.put(row, slot)
        } else {
          writer.put(.null, slot)
        }
      }
    }
  }

  /// Where the object has a text of its own that a row holds as it is.
  @inline(__always)
  private func plainText(_ slot: Int) -> UnsafeMutablePointer<Value?>? {
    guard let own, !layout.hasTransients, case .string? = own[slot] else { return nil }
    return own + slot
  }

  /// The row if only values changed that fit into their words: a copy of memory, which is cheap.
  private func rowWithOtherWords(key: Int64, version: Int64, _ isFinal: Bool) -> Snapshot? {
    guard let own, row != nil, let snapshot, snapshot.key == key,
      !layout.slots.indices.contains(where: { own[$0].isPackedApart }),
      let copy = snapshot.copy(version: version)
    else { return nil }
    let target = copy.row
    for slot in layout.slots.indices {
      if let value = own[slot], !target.put(stored(value, slot, isFinal), slot) { return nil }
    }
    return copy
  }

  /// A value as a row holds it.
  @inline(__always)
  private func stored(_ value: Value, _ slot: Int, _ isFinal: Bool) -> Value {
    switch value {
    case .null, .integer, .double, .string, .data, .key, .id:
      return layout.hasTransients && layout.slots[slot].isTransient
        ? layout.slots[slot].unstored : value
    case .boxed(let box):
      if layout.hasTransients, layout.slots[slot].isTransient { return layout.slots[slot].unstored }
      return box.opaque.map { .data($0.store()) } ?? value
    case .toMany, .object: return storedReference(value, slot, isFinal)
    }
  }

  private func storedReference(_ value: Value, _ slot: Int, _ isFinal: Bool) -> Value {
    switch value {
    case .toMany: return .null
    case .object(let object):
      let key = object.storedKey
      // The key of what was never inserted is 0.
      if key <= 0, isFinal { return .null }
      if layout.slots[slot].destination.hasHeirs || key <= 0 {
        return .id(
          key <= 0
            ? object.objectID
            : NSManagedObjectID(layout: object.layout, store: .unresolved, key: key))
      }
      return .key(key)
    case .null, .integer, .double, .string, .data, .boxed, .key, .id: return value
    }
  }

  /// The unsaved changes of a to-many relationship that has any.
  func changes(_ slot: Int) -> ToManyStorage? {
    guard case .toMany(let storage)? = own?[slot], storage.isChanged else { return nil }
    return storage
  }

  /// Takes a row, or else the current snapshot, as committed: nothing is changed any more.
  ///
  /// Values that hold related objects, or transient ones, stay the object's own; all others are
  /// read from the shared snapshot again.
  func becomeClean(as row: Snapshot? = nil) {
    changed = SlotSet()
    extras = nil
    pendingKey = 0
    state.subtract([.inserted, .updated, .listed, .noted, .conflictChecked, .reinserted])
    guard let committed = row ?? snapshot else { return }
    if own != nil, !keepsOwnValues(over: committed) {
      share(committed)
    } else if row != nil {
      snapshot = committed
    }
  }

  /// Whether a transient value differs from what a row has in its place.
  var hasOwnTransients: Bool {
    layout.transientSlots.contains { slot in
      own?[slot].map { $0 != layout.slots[slot].unstored } ?? false
    }
  }

  /// Whether a save may yet insert the object: it is inserted, or no context has had it so far.
  private var mayBeInserted: Bool {
    isInserted || registry == nil && !state.contains(.detached)
  }

  /// Whether some value is only the object's, not the committed row's.
  ///
  /// Afterwards memberships count as saved. A reference that was stored as nil reads nil, or it
  /// would count as a change; it stays if a later save may still insert its destination.
  private func keepsOwnValues(over committed: Snapshot) -> Bool {
    guard let own, layout.hasOwnKinds else { return false }
    var keepsOwn = hasOwnTransients
    for slot in layout.transformableSlots {
      if case .boxed = own[slot] { keepsOwn = true }
    }
    for slot in layout.relationshipSlots {
      switch own[slot] {
      case .object(let other)
      where committed.row.tag(slot) == .null && layout.slots[slot].isColumn && !other.mayBeInserted:
        own[slot] = .null
      case .object: keepsOwn = true
      case .toMany(let storage):
        storage.commit()
        keepsOwn = true
      case nil, .null, .integer, .double, .string, .data, .boxed, .key, .id: break
      }
    }
    return keepsOwn
  }
}

extension UnsafeMutablePointer<Value?> {
  /// Lends the value that is there, without counting a reference to what it holds; meanwhile nobody
  /// else may look at it.
  @inline(__always)
  fileprivate func lend(_ body: (Value) -> Void) {
    let value = move().unsafelyUnwrapped
    body(value)
    initialize(to: value)
  }
}

extension Value? {
  /// Whether a row holds the value outside its word.
  fileprivate var isPackedApart: Bool {
    switch self {
    case .string, .data, .boxed, .id: true
    case nil, .null, .integer, .double, .key, .object, .toMany: false
    }
  }
}
