import Synchronization

/// One immutable row: the values of an object as a store, or a parent context, last gave or took
/// them.
///
/// Contexts share it: an unchanged object reads straight out of the snapshot and owns no values of
/// its own. The row cache finds it for as long as some object holds it. It is one allocation: its
/// values stand packed behind the header (`PackedRow`).
final class Snapshot: ManagedBuffer<Snapshot.Header, UInt64> {
  /// What stands before the values.
  struct Header {
    unowned(unsafe) let layout: EntityLayout
    let key: Int64
    let version: Int64
    /// The row cache that it was entered into; a cache lives for as long as it has members.
    var cache: Unmanaged<WeakTable<Snapshot>>?
    let table: Int32
    let slotCount: UInt16
    var wideCount: UInt16
    /// Where an `Atomic<Bool>` lies: whether a row cache has it.
    var isCached = false
  }

  /// Makes a snapshot with room for values of this extent; `fill` writes every slot once.
  @inline(__always)
  static func make(
    _ layout: EntityLayout, key: Int64, version: Int64, _ extent: PackedRow.Extent,
    fill: (inout PackedRow.Writer) -> Void
  ) -> Snapshot {
    let count = layout.slots.count
    let bytes = extent.wideCount * MemoryLayout<Value>.stride + extent.textBytes
    let buffer = Snapshot.create(
      minimumCapacity: tagWords(count) + count + (bytes + 7) / 8
    ) { _ in
      Header(
        layout: layout, key: key, version: version, cache: nil,
        table: Int32(truncatingIfNeeded: layout.rootNumber),
        slotCount: UInt16(truncatingIfNeeded: count),
        wideCount: 0)
    }
    let words = buffer.withUnsafeMutablePointerToElements { $0 + tagWords(count) }
    var writer = PackedRow.Writer(PackedRow(words: words), slotCount: count, extent)
    fill(&writer)
    if writer.wideCount > 0 {
      buffer.withUnsafeMutablePointerToHeader { $0.pointee.wideCount = UInt16(writer.wideCount) }
    }
    let snapshot = unsafeDowncast(buffer, to: Snapshot.self)
    snapshot.count(1)
    return snapshot
  }

  /// Counts its bytes under control, where budgets are held against them.
  @inline(__always)
  private func count(_ sign: Int) {
    if Scheduling.hook != nil { countBytes(sign) }
  }

  @inline(never)
  private func countBytes(_ sign: Int) {
    let slots = Int(head.pointee.slotCount)
    let words = Self.tagWords(slots) + row(slots).wordCount(slots)
    let wide = Int(head.pointee.wideCount) * MemoryLayout<Value>.stride
    EngineCounters.add(.rowBytes, sign * (MemoryLayout<Header>.stride + 8 * words + wide))
  }

  /// A copy with another version, into which values that fit into their words may be written; nil
  /// if the row has wide values, which are counted.
  func copy(version: Int64) -> Snapshot? {
    guard head.pointee.wideCount == 0 else { return nil }
    let count = Int(head.pointee.slotCount)
    let source = row(count)
    let words = Self.tagWords(count) + source.wordCount(count)
    let buffer = Snapshot.create(minimumCapacity: words) { _ in
      Header(
        layout: layout, key: key, version: version, cache: nil, table: head.pointee.table,
        slotCount: head.pointee.slotCount, wideCount: 0)
    }
    buffer.withUnsafeMutablePointerToElements {
      $0.initialize(from: source.words - Self.tagWords(count), count: words)
    }
    let snapshot = unsafeDowncast(buffer, to: Snapshot.self)
    snapshot.count(1)
    return snapshot
  }

  deinit {
    count(-1)
    head.pointee.cache?._withUnsafeGuaranteedRef { $0.remove(self) }
    if head.pointee.wideCount > 0 { dropWideValues() }
  }

  /// The header, without the run-time test for overlapping access that `header` brings.
  private var head: UnsafeMutablePointer<Header> { withUnsafeMutablePointerToHeader { $0 } }

  private func dropWideValues() {
    let count = Int(head.pointee.slotCount)
    UnsafeMutableRawPointer(row(count).words + count).assumingMemoryBound(to: Value.self)
      .deinitialize(count: Int(head.pointee.wideCount))
  }

  private static func tagWords(_ slotCount: Int) -> Int { (slotCount + 7) / 8 }

  /// The values; valid while the snapshot is held.
  var row: PackedRow { row(Int(head.pointee.slotCount)) }

  /// The values of a snapshot that is known to have so many.
  @inline(__always)
  func row(_ slotCount: Int) -> PackedRow {
    PackedRow(words: withUnsafeMutablePointerToElements { $0 + Self.tagWords(slotCount) })
  }

  /// The entity.
  var layout: EntityLayout { head.pointee.layout }
  /// The version of the row, `Z_OPT`.
  var version: Int64 { head.pointee.version }

  /// One value.
  subscript(slot: Int) -> Value { row[slot] }

  /// Whether a row cache has it, and no newer one in its place.
  var isCached: Bool { cachedFlag.pointee.load(ordering: .acquiring) }

  /// The flag of the header, which other threads change while this one looks.
  private var cachedFlag: UnsafeMutablePointer<Atomic<Bool>> {
    let offset = MemoryLayout<Header>.offset(of: \.isCached).unsafelyUnwrapped
    return (UnsafeMutableRawPointer(head) + offset).assumingMemoryBound(to: Atomic<Bool>.self)
  }

  /// Enters the snapshot into a row cache; called once, before it is shared. The answer is what the
  /// cache keeps instead, if that is as new or newer. Whoever holds a version of a row holds the
  /// one snapshot of it, so that the cache has it for as long as anybody does.
  ///
  /// - Parameters:
  ///   - era: the one of the cache before the row was read, or before it was committed.
  ///   - mark: the one that began after it was committed; 0 if it was read, or is new.
  @discardableResult
  func enter(_ cache: WeakTable<Snapshot>, since era: UInt64, mark: UInt64 = 0) -> Snapshot? {
    head.pointee.cache = .passUnretained(cache)
    switch cache.insert(self, since: era, mark: mark) {
    case .listed: return nil
    case .prevailed(let known):
      head.pointee.cache = nil
      return known
    case .outdated:
      head.pointee.cache = nil
      return nil
    }
  }
}

/// A row cache as a read fills it.
struct CacheFilling {
  /// The cache.
  let cache: WeakTable<Snapshot>
  /// The era before the read began.
  let era: UInt64

  /// Call it before the read begins.
  init(_ cache: WeakTable<Snapshot>) {
    self.cache = cache
    era = cache.era
  }
}

/// A row on its way from a store to the object that will hold it.
///
/// The key stands beside the snapshot, and the snapshot is moved and not copied, because a fetch
/// that made many would wait for memory if it touched each of them once more.
struct LoadedRow {
  /// The key of the record.
  let key: Int64
  private var snapshot: Snapshot?

  init(_ snapshot: consuming Snapshot) {
    key = snapshot.key
    self.snapshot = snapshot
  }

  /// A row that nobody has seen yet, which a row cache is to find.
  init(_ snapshot: consuming Snapshot, entering cache: WeakTable<Snapshot>, since era: UInt64) {
    if let known = snapshot.enter(cache, since: era) {
      self.init(known)
    } else {
      self.init(snapshot)
    }
  }

  /// The entity of the record, if the rows of its table can be of several; a look at the snapshot.
  func layout(in table: EntityLayout) -> EntityLayout {
    table.isPolymorphic ? snapshot?.layout ?? table : table
  }

  /// The version of the row, until it is given away; a look at the snapshot.
  var version: Int64 { snapshot.unsafelyUnwrapped.version }

  /// Looks at the snapshot, until it is given away.
  func look(_ body: (Snapshot) -> Void) { body(snapshot.unsafelyUnwrapped) }

  /// Gives the snapshot away; called once.
  mutating func take() -> Snapshot { snapshot.take().unsafelyUnwrapped }
}

extension Snapshot: WeakTableMember {
  var tableNumber: Int { Int(head.pointee.table) }
  var key: Int64 { head.pointee.key }
  func listed(_ isListed: Bool) { cachedFlag.pointee.store(isListed, ordering: .releasing) }
  func prevails(over other: Snapshot) -> Bool { version >= other.version }
}

// Shared by contexts though the compiler may not know it: immutable once made, and `enter` runs
// before any other thread can see it.
