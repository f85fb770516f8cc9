import Foundation
import Synchronization

/// When the rows of a store were last read from its file.
///
/// Nothing is noted before the first context of the process has a positive staleness interval.
final class ReadTimes: Sendable {
  private static let noting = Atomic<Bool>(false)
  private static let countMin = 4096

  private struct Record: Hashable {
    let table: Int
    let key: Int64
  }

  private struct Book {
    var times: [Record: UInt64] = [:]
    /// The number of entries at which the oldest half is dropped.
    var countMax = countMin
  }

  private let book = Lock(Book())

  /// From now on reads are noted.
  static func begin() { noting.store(true, ordering: .relaxed) }

  /// As at the beginning of a process.
  static func end() { noting.store(false, ordering: .relaxed) }

  /// Whether reads are noted.
  static var isNoting: Bool { noting.load(ordering: .relaxed) }

  /// Notes that a row was read now.
  func note(_ row: Snapshot) {
    guard Self.isNoting else { return }
    note([Record(table: row.tableNumber, key: row.key)])
  }

  /// Notes that rows of one table were read now.
  func note(_ rows: [LoadedRow], table: Int) {
    guard Self.isNoting else { return }
    note(rows.map { Record(table: table, key: $0.key) })
  }

  private func note(_ records: [Record]) {
    let now = Scheduling.nowNanoseconds
    book.withLock { book in
      for record in records { book.times[record] = now }
      guard book.times.count > book.countMax else { return }
      let middle = book.times.values.sorted()[book.times.count / 2]
      book.times = book.times.filter { $0.value >= middle }
      book.countMax = max(Self.countMin, 2 * book.times.count)
    }
  }

  /// Whether a cached row was read at most so many seconds ago; always for a negative number, never
  /// for 0, and not if nobody noted when.
  func isFresh(_ row: Snapshot, ageMax: TimeInterval) -> Bool {
    if ageMax <= 0 { return ageMax < 0 }
    let record = Record(table: row.tableNumber, key: row.key)
    guard let time = book.withLock({ $0.times[record] }) else { return false }
    // Under control every party has a clock of its own, and the reader's may be behind.
    let now = max(time, Scheduling.nowNanoseconds)
    return Double(now - time) / 1e9 <= ageMax
  }
}
