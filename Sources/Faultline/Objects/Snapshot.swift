/// One immutable row: the values of an object as a store, or a parent context, last gave or took
/// them.
///
/// Contexts share it: an unchanged object reads straight out of the snapshot and owns no values of
/// its own. The row cache finds it for as long as some object holds it.
final class Snapshot: ManagedBuffer<Snapshot.Header, Value> {
  /// What stands before the values.
  struct Header {
    unowned(unsafe) let layout: EntityLayout
    let key: Int64
    let version: Int64
    let count: Int
    let table: Int
    var cache: WeakTable<Snapshot>?
  }

  /// Makes a snapshot; `fill` initialises every slot.
  static func make(
    _ layout: EntityLayout, key: Int64, version: Int64,
    fill: (UnsafeMutablePointer<Value>) throws -> Void
  ) rethrows -> Snapshot {
    let count = layout.slots.count
    let buffer = Snapshot.create(minimumCapacity: count) { _ in
      Header(
        layout: layout, key: key, version: version, count: 0,
        table: layout.rootNumber, cache: nil)
    }
    let snapshot = unsafeDowncast(buffer, to: Snapshot.self)
    try snapshot.withUnsafeMutablePointers { header, values in
      try fill(values)
      header.pointee = Header(
        layout: layout, key: key, version: version, count: count, table: layout.rootNumber,
        cache: nil)
    }
    return snapshot
  }

  deinit {
    header.cache?.remove(self)
    _ = withUnsafeMutablePointers { $1.deinitialize(count: $0.pointee.count) }
  }

  /// The entity.
  var layout: EntityLayout { header.layout }
  /// The version of the row, `Z_OPT`.
  var version: Int64 { header.version }
  /// The values; valid while the snapshot is held.
  var values: UnsafeMutablePointer<Value> { withUnsafeMutablePointerToElements { $0 } }

  /// One value.
  subscript(slot: Int) -> Value { values[slot] }

  /// Enters the snapshot into a row cache; called once, before it is shared.
  func enter(_ cache: WeakTable<Snapshot>) {
    header.cache = cache
    cache.insert(self)
  }
}

extension Snapshot: WeakTableMember {
  var tableNumber: Int { header.table }
  var key: Int64 { header.key }
}

// Shared by contexts though the compiler may not know it: immutable once made, and `enter` runs
// before any other thread can see it.
