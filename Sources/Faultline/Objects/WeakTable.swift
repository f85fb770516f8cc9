import CSwiftRuntime

/// An object that a `WeakTable` can find by its key.
protocol WeakTableMember: AnyObject {
  /// The number of the root entity whose table holds the record.
  var tableNumber: Int { get }
  /// The key of the record in that table; negative for records without a permanent id.
  var key: Int64 { get }
}

/// Objects by key, without owning them: the identity map of a context and the row cache of a
/// coordinator.
///
/// Pages of 1,024 pointers by dense key are cheaper than a dictionary of weak references. An object
/// removes itself in its `deinit`, under the same lock under which others look it up; a look-up
/// that finds an object whose last reference is gone sees `faultline_try_retain` fail and reports
/// nothing.
final class WeakTable<Member: WeakTableMember>: @unchecked Sendable {
  private final class Page {
    let pointers: UnsafeMutablePointer<UnsafeRawPointer?>
    var count = 0

    init() {
      pointers = .allocate(capacity: 1024)
      pointers.initialize(repeating: nil, count: 1024)
    }

    deinit { pointers.deallocate() }
  }

  private struct Pages {
    var pages: [Int64: Page] = [:]
    var latestNumber = Int64.min
    var latest: Page?

    mutating func page(_ number: Int64) -> Page? {
      if number == latestNumber { return latest }
      guard let page = pages[number] else { return nil }
      latestNumber = number
      latest = page
      return page
    }

    mutating func makePage(_ number: Int64) -> Page {
      if let page = page(number) { return page }
      let page = Page()
      pages[number] = page
      latestNumber = number
      latest = page
      return page
    }

    mutating func drop(_ number: Int64) {
      pages[number] = nil
      if number == latestNumber {
        latestNumber = .min
        latest = nil
      }
    }
  }

  /// The pages of each table, by its number.
  private struct State {
    var tables: ContiguousArray<Pages> = []

    mutating func reach(_ table: Int) {
      while tables.count <= table { tables.append(Pages()) }
    }
  }

  private let state = Lock(State())

  /// The living object with this key, retained.
  func member(table: Int, key: Int64) -> Member? {
    state.withLock { state -> Member? in
      guard table < state.tables.count, let page = state.tables[table].page(key >> 10) else {
        return nil
      }
      return Self.retain(page.pointers[Int(key & 1023)])
    }
  }

  /// Enters an object, in place of another with the same key.
  func insert(_ member: Member) {
    let pointer = UnsafeRawPointer(Unmanaged.passUnretained(member).toOpaque())
    let (table, key) = (member.tableNumber, member.key)
    state.withLock { state in
      state.reach(table)
      let page = state.tables[table].makePage(key >> 10)
      if page.pointers[Int(key & 1023)] == nil { page.count += 1 }
      page.pointers[Int(key & 1023)] = pointer
    }
  }

  /// Removes an object, unless another has taken its place; every member calls this in its
  /// `deinit`.
  func remove(_ member: Member) {
    remove(
      UnsafeRawPointer(Unmanaged.passUnretained(member).toOpaque()), member.tableNumber, member.key)
  }

  private func remove(_ pointer: UnsafeRawPointer, _ table: Int, _ key: Int64) {
    state.withLock { state in
      guard table < state.tables.count, let page = state.tables[table].page(key >> 10),
        page.pointers[Int(key & 1023)] == pointer
      else { return }
      page.pointers[Int(key & 1023)] = nil
      page.count -= 1
      if page.count == 0 { state.tables[table].drop(key >> 10) }
    }
  }

  /// All living objects, in order of table and key.
  func members() -> [Member] {
    state.withLock { state in
      state.tables.flatMap { table -> [Member] in
        let pages = table.pages
        return pages.keys.sorted().flatMap { number in
          (0..<1024).compactMap { Self.retain(pages[number]?.pointers[$0]) }
        }
      }
    }
  }

  private static func retain(_ pointer: UnsafeRawPointer?) -> Member? {
    guard let pointer, let retained = faultline_try_retain(pointer) else { return nil }
    return Unmanaged<Member>.fromOpaque(retained).takeRetainedValue()
  }
}

// Safe to share: `state` is a lock around everything; a `Page` is reached only under it.
