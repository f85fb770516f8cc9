import CSwiftRuntime
import Synchronization

/// An object that a `WeakTable` can find by its key.
protocol WeakTableMember: AnyObject {
  /// The number of the root entity whose table holds the record.
  var tableNumber: Int { get }
  /// The key of the record in that table; negative for records without a permanent id.
  var key: Int64 { get }
  /// Hears whether it is the one that is found under its key; told under the table's lock.
  func listed(_ isListed: Bool)
  /// Whether it stays under its key if another one with the same key is to be entered.
  func prevails(over other: Self) -> Bool
}

/// Objects by key, without owning them: the identity map of a context and the row cache of a
/// coordinator.
///
/// Pages of 1,024 pointers by dense key are cheaper than a dictionary of weak references. An object
/// removes itself in its `deinit`, under the same lock under which others look it up; a look-up
/// that finds an object whose last reference is gone sees `faultline_try_retain` fail and reports
/// nothing.
///
/// The table keeps itself for as long as it has members, so that they need not hold it: what each
/// would retain and release is shared by all threads, and they would wait for each other there.
///
/// Where members are read from a file, a reader may be late: what it read has been written anew
/// since, and the newer member is gone again, so that nobody prevails. Therefore the table counts
/// eras. Whoever wrote members begins one and marks their keys with it; a reader notes the era
/// before it reads, and what it read is not entered under a key that was marked since.
final class WeakTable<Member: WeakTableMember>: @unchecked Sendable {
  /// 1,024 pointers, behind them how many are set and where the marks are; raw memory, because an
  /// object would be retained at each look.
  private struct Page {
    private static var length: Int64 { 1024 }
    /// How many pages without members stay; 16 take 128 KB.
    static var emptyMax: Int { 16 }
    private let words: UnsafeMutablePointer<UInt>

    init() {
      words = .allocate(capacity: Int(Self.length) + 2)
      words.initialize(repeating: 0, count: Int(Self.length) + 2)
    }

    func free() {
      marks?.deallocate()
      words.deallocate()
    }

    /// The era in which each key was marked; nil if none was.
    private var marks: UnsafeMutablePointer<UInt64>? {
      get { UnsafeMutablePointer(bitPattern: words[Int(Self.length) + 1]) }
      nonmutating set { words[Int(Self.length) + 1] = UInt(bitPattern: newValue) }
    }

    /// The era in which a key was marked; 0 if it was not.
    @inline(__always)
    func mark(_ key: Int64) -> UInt64 { marks?[Int(key & (Self.length - 1))] ?? 0 }

    var latestMark: UInt64 {
      marks.flatMap { UnsafeBufferPointer(start: $0, count: Int(Self.length)).max() } ?? 0
    }

    func setMark(_ key: Int64, _ era: UInt64) {
      let marks = marks ?? .allocate(capacity: Int(Self.length))
      if self.marks == nil {
        marks.initialize(repeating: 0, count: Int(Self.length))
        self.marks = marks
      }
      // Who began an era first may come to its keys last.
      let index = Int(key & (Self.length - 1))
      marks[index] = max(marks[index], era)
    }

    static func number(_ key: Int64) -> Int64 { key >> 10 }

    /// The number of the 64 keys in a row to which a key belongs.
    static func stretch(_ key: Int64) -> Int64 { key >> 6 }

    /// Whether a pointer is set among those 64.
    func hasAnybody(around key: Int64) -> Bool {
      let first = Int(key & (Self.length - 64))
      var all: UInt = 0
      for index in first..<first + 64 { all |= words[index] }
      return all != 0
    }

    var count: UInt {
      get { words[Int(Self.length)] }
      nonmutating set { words[Int(Self.length)] = newValue }
    }

    subscript(key: Int64) -> UnsafeRawPointer? {
      get { UnsafeRawPointer(bitPattern: words[Int(key & (Self.length - 1))]) }
      nonmutating set { words[Int(key & (Self.length - 1))] = UInt(bitPattern: newValue) }
    }

    /// All pointers, by their keys; the search ends with the last of them.
    var pointers: [UnsafeRawPointer] {
      var found: [UnsafeRawPointer] = []
      var slot = 0
      while found.count < Int(count), slot < Int(Self.length) {
        if let pointer = UnsafeRawPointer(bitPattern: words[slot]) { found.append(pointer) }
        slot += 1
      }
      return found
    }
  }

  private struct Pages {
    var pages: [Int64: Page] = [:]
    /// The latest era in which a key without a page was marked.
    private var mark: UInt64 = 0
    /// The pages met last, one of temporary and one of permanent keys: a save goes from one to the
    /// other with each object.
    private var latestTemporary = Latest()
    private var latestPermanent = Latest()

    private struct Latest {
      var number = Int64.min
      var page: Page?
    }

    @inline(__always)
    mutating func page(of key: Int64) -> Page? {
      let number = Page.number(key)
      let latest = key < 0 ? latestTemporary : latestPermanent
      return number == latest.number ? latest.page : turn(to: number)
    }

    private mutating func turn(to number: Int64) -> Page? {
      guard let page = pages[number] else { return nil }
      remember(Latest(number: number, page: page), number)
      return page
    }

    private mutating func remember(_ latest: Latest, _ number: Int64) {
      if number < 0 { latestTemporary = latest } else { latestPermanent = latest }
    }

    /// The latest era in which a key may have been marked; 0 if it never was.
    @inline(__always)
    mutating func mark(_ key: Int64) -> UInt64 { max(mark, page(of: key)?.mark(key) ?? 0) }

    mutating func setMark(_ key: Int64, _ era: UInt64) {
      if let page = page(of: key) { page.setMark(key, era) } else { mark = max(mark, era) }
    }

    mutating func makePage(of key: Int64) -> Page {
      // Many objects are about to come.
      HugePages.follow()
      let (page, number) = (Page(), Page.number(key))
      pages[number] = page
      remember(Latest(number: number, page: page), number)
      return page
    }

    /// Drops the pages without members, and keeps of their marks the latest.
    mutating func dropEmptyPages() {
      for (number, page) in pages where page.count == 0 {
        mark = max(mark, page.latestMark)
        pages[number] = nil
        page.free()
      }
      latestTemporary = Latest()
      latestPermanent = Latest()
    }
  }

  /// The pages of each table, by its number.
  private struct State {
    var tables: ContiguousArray<Pages> = []
    /// The era in which everything was forgotten last; it counts as the mark of every key.
    var floor: UInt64 = 0
    /// How many pages have no members. Some stay, or the next fetch would clear their memory anew.
    var emptyPages = 0
    /// How many members have been entered and not removed.
    var population = 0

    mutating func reach(_ table: Int) {
      while tables.count <= table { tables.append(Pages()) }
    }

    /// Takes an object out, unless another has taken its place.
    @inline(__always)
    mutating func forget(_ member: Member) {
      let pointer = UnsafeRawPointer(Unmanaged.passUnretained(member).toOpaque())
      let (table, key) = (member.tableNumber, member.key)
      guard table < tables.count, let page = tables[table].page(of: key), page[key] == pointer
      else { return }
      page[key] = nil
      page.count -= 1
      if page.count == 0 { keepEmptyPage() }
      member.listed(false)
    }

    /// The page of a key, on which a member is about to be entered.
    @inline(__always)
    mutating func page(_ table: Int, for key: Int64) -> Page {
      let known = tables[table].page(of: key)
      guard let known else { return tables[table].makePage(of: key) }
      if known.count == 0 { emptyPages -= 1 }
      return known
    }

    @inline(never)
    private mutating func keepEmptyPage() {
      emptyPages += 1
      guard emptyPages > Page.emptyMax else { return }
      for index in tables.indices { tables[index].dropEmptyPages() }
      emptyPages = 0
    }
  }

  private let state = Lock(State())
  private let eras = Atomic<UInt64>(0)

  deinit {
    state.withLock { for table in $0.tables { for page in table.pages.values { page.free() } } }
  }

  /// The living object with this key, retained.
  func member(table: Int, key: Int64) -> Member? {
    state.withLock { state in
      guard table < state.tables.count, let page = state.tables[table].page(of: key)
      else { return nil }
      return Self.retain(page[key])
    }
  }

  /// Looks up one key after the other, as a fetch does. Where nobody was on a page, or under 64
  /// keys in a row, when the run came there it does not look again, for that takes a lock; whoever
  /// is entered there meanwhile is not seen. Where others enter members too, what `insert` answers
  /// has to be used.
  struct Run {
    /// Where the run looks.
    let objects: WeakTable
    private let table: Int
    private var emptyPage = Int64.min
    private var stretch = Int64.min
    private var isEmpty = false

    /// Begins a run over the keys of one table.
    init(_ objects: WeakTable, table: Int) {
      self.objects = objects
      self.table = table
    }

    /// The living object with this key, retained.
    @inline(__always)
    mutating func member(_ key: Int64) -> Member? {
      if Page.number(key) == emptyPage { return nil }
      if Page.stretch(key) == stretch {
        return isEmpty ? nil : objects.member(table: table, key: key)
      }
      return look(key)
    }

    private mutating func look(_ key: Int64) -> Member? {
      stretch = Page.stretch(key)
      isEmpty = true
      switch objects.look(table, key) {
      case .nobodyOnPage: emptyPage = Page.number(key)
      case .nobodyAround: break
      case .somebody(let found):
        isEmpty = false
        return found
      }
      return nil
    }

    /// Looks again where it is.
    mutating func forget() {
      emptyPage = .min
      stretch = .min
    }
  }

  private enum Look {
    case nobodyOnPage, nobodyAround
    case somebody(Member?)
  }

  /// The living object with this key, retained, or whether there is nobody around.
  private func look(_ table: Int, _ key: Int64) -> Look {
    state.withLock { state in
      guard table < state.tables.count, let page = state.tables[table].page(of: key),
        page.count > 0
      else { return .nobodyOnPage }
      return page.hasAnybody(around: key) ? .somebody(Self.retain(page[key])) : .nobodyAround
    }
  }

  /// What became of an object that was to be entered.
  enum Entry {
    /// It is the one that is found under its key.
    case listed
    /// Another one prevailed, and is found there from now on.
    case prevailed(Member)
    /// The key was marked since the object was read, and none that prevails is there.
    case outdated
  }

  /// Enters an object, in place of another with the same key unless that one prevails.
  ///
  /// - Parameters:
  ///   - era: the one in which it was read or written, or an earlier one; the greatest number if
  ///     reads are never late here.
  ///   - mark: the era to mark its key with, because it was written; 0 if it was not.
  @inline(__always)
  @discardableResult
  func insert(_ member: Member, since era: UInt64 = .max, mark: UInt64 = 0) -> Entry {
    let pointer = UnsafeRawPointer(Unmanaged.passUnretained(member).toOpaque())
    let (table, key) = (member.tableNumber, member.key)
    // The other one leaves the lock with us, because its `deinit` would wait for it.
    let (other, entry) = state.withLock { state -> (Member?, Entry) in
      state.reach(table)
      if max(state.floor, state.tables[table].mark(key)) > era {
        // A writer marks the key even if others have come first.
        if mark > 0 { state.tables[table].setMark(key, mark) }
        let other = Self.retain(state.tables[table].page(of: key)?[key])
        if let other, other.prevails(over: member) { return (nil, .prevailed(other)) }
        return (other, .outdated)
      }
      let page = state.page(table, for: key)
      if mark > 0 { page.setMark(key, mark) }
      let other = Self.retain(page[key])
      if let other, other !== member {
        if other.prevails(over: member) { return (nil, .prevailed(other)) }
        other.listed(false)
      }
      if page[key] == nil { page.count += 1 }
      page[key] = pointer
      member.listed(true)
      state.population += 1
      if state.population == 1 { _ = Unmanaged.passUnretained(self).retain() }
      return (other, .listed)
    }
    withExtendedLifetime(other) {}
    return entry
  }

  /// The era: how often somebody wrote.
  var era: UInt64 { eras.load(ordering: .acquiring) }

  /// Begins an era, after something was written that reads of earlier ones may not have seen.
  func beginEra() -> UInt64 { eras.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

  /// Removes an object that was entered; every member calls this in its `deinit`.
  func remove(_ member: Member) {
    let isLast = state.withLock { state in
      state.forget(member)
      state.population -= 1
      return state.population == 0
    }
    if isLast { Unmanaged.passUnretained(self).release() }
  }

  /// Lets nobody be found under a key, nor enter there who was read before an era.
  func forget(table: Int, key: Int64, mark: UInt64) {
    // It leaves the lock with us, because its `deinit` would wait for it.
    let known = state.withLock { state -> Member? in
      state.reach(table)
      state.tables[table].setMark(key, mark)
      let known = Self.retain(state.tables[table].page(of: key)?[key])
      if let known { state.forget(known) }
      return known
    }
    withExtendedLifetime(known) {}
  }

  /// Lets an object be found no more, though it is still a member.
  func forget(_ member: Member) { state.withLock { $0.forget(member) } }

  /// Lets no object be found any more, nor enter that was read before.
  func forgetAll() {
    let era = beginEra()
    state.withLock { $0.floor = max($0.floor, era) }
    for member in members() { forget(member) }
  }

  /// All living objects, in order of table and key.
  func members() -> [Member] {
    state.withLock { state in
      state.tables.flatMap { table -> [Member] in
        table.pages.sorted { $0.key < $1.key }.flatMap { _, page in
          page.pointers.compactMap { Self.retain($0) }
        }
      }
    }
  }

  private static func retain(_ pointer: UnsafeRawPointer?) -> Member? {
    guard let pointer, let retained = faultline_try_retain(pointer) else { return nil }
    return Unmanaged<Member>.fromOpaque(retained).takeRetainedValue()
  }
}

// Safe to share: `eras` is atomic and `state` a lock around the rest, under which alone a `Page` is
// reached.
