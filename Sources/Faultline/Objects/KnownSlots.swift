import Synchronization

/// Where the storage key paths of `@Managed` properties lead, found once for each.
///
/// Every property of every new object asks once, so a look-up takes no lock: it scans a list that
/// is replaced, never changed. Key paths are told apart by address, since a literal is one object
/// for the life of the process. A replaced list is not freed; there are as many as the class has
/// properties.
final class KnownSlots: @unchecked Sendable {
  private struct Entry {
    let path: ObjectIdentifier
    let slot: Int32
  }

  /// The entries, closed by one whose slot is -1.
  private let entries = Atomic<UnsafePointer<Entry>?>(nil)
  private let writers = Lock<Int>(0)

  /// The slot of a key path, if it is known.
  func find(_ path: ObjectIdentifier) -> Int32? {
    guard var entry = entries.load(ordering: .acquiring) else { return nil }
    while entry.pointee.slot >= 0 {
      if entry.pointee.path == path { return entry.pointee.slot }
      entry += 1
    }
    return nil
  }

  /// Adds a key path.
  func add(_ path: ObjectIdentifier, _ slot: Int32) {
    writers.withLock { count in
      let list = UnsafeMutablePointer<Entry>.allocate(capacity: count + 2)
      if let old = entries.load(ordering: .acquiring) { list.update(from: old, count: count) }
      list[count] = Entry(path: path, slot: slot)
      list[count + 1] = Entry(path: path, slot: -1)
      count += 1
      entries.store(UnsafePointer(list), ordering: .releasing)
    }
  }
}

// Safe to share: `entries` is atomic and what it points to is never changed; `writers` is a lock.
