import CSQLiteRaw
import Foundation

/// Every trick that pays, without objects or uniquing; it proves what is possible.
///
/// Many rows a statement, texts bound in place, reads in runs of keys, and checkpoints off the
/// commit: nobody copies the log while the clock runs.
final class BestPeer: RawPeer {
  private let quick: RawConnection

  override init(_ file: URL, synchronous: String) {
    quick = RawConnection(file, synchronous: synchronous, checkpoints: false)
    super.init(file, synchronous: synchronous)
  }

  override func insert(_ rows: [ArticleRow], _ perSave: Int) -> Tally {
    for start in stride(from: 0, to: rows.count, by: perSave) {
      quick.run("BEGIN IMMEDIATE")
      var rest = rows[start..<min(start + perSave, rows.count)]
      for count in [64, 1] where rest.count >= count {
        let marks = Array(repeating: "(?,?,?,?,?,?,1)", count: count).joined(separator: ",")
        let insert = quick.prepare("INSERT OR FAIL INTO article VALUES \(marks)")
        while rest.count >= count {
          bind(rest.prefix(count)[...], to: insert) { quick.step(insert) }
          rest = rest.dropFirst(count)
        }
        sqlite3_finalize(insert)
      }
      quick.run("COMMIT")
    }
    return Tally(checksum: Int64(rows.count))
  }

  /// Binds rows one inside the other, so that every text stays where it is until the step.
  private func bind(
    _ rows: ArraySlice<ArticleRow>, to statement: OpaquePointer, at index: Int32 = 1,
    then step: () -> Void
  ) {
    guard var row = rows.first else { return step() }
    sqlite3_bind_int64(statement, index, row.id)
    row.name.withUTF8 { name in
      bindText(name, statement, index + 1)
      row.content.withUTF8 { content in
        bindText(content, statement, index + 2)
        sqlite3_bind_int64(statement, index + 3, row.views)
        sqlite3_bind_double(statement, index + 4, row.timestamp.timeIntervalSinceReferenceDate)
        sqlite3_bind_int64(statement, index + 5, row.authorID)
        bind(rows.dropFirst(), to: statement, at: index + 6, then: step)
      }
    }
  }

  private func bindText(
    _ text: UnsafeBufferPointer<UInt8>, _ statement: OpaquePointer, _ index: Int32
  ) {
    sqlite3_bind_text(statement, index, text.baseAddress, Int32(text.count), nil)
  }

  override func fetch() -> Tally {
    // Read and folded in one pass: no row outlives its step.
    var sum: Int64 = 0
    let select = quick.prepare("SELECT \(Self.columns) FROM article")
    while sqlite3_step(select) == SQLITE_ROW { sum &+= quick.row(select).folded }
    sqlite3_finalize(select)
    return Tally(checksum: sum)
  }

  override func faults(_ keys: [Int64], inOne: Bool) -> Tally {
    let isDense = zip(keys, keys.dropFirst()).allSatisfy { $1 == $0 + 1 }
    guard isDense else { return super.faults(keys, inOne: inOne) }
    var sum: Int64 = 0
    let select = quick.prepare("SELECT \(Self.columns) FROM article WHERE id BETWEEN ? AND ?")
    for start in stride(from: 0, to: keys.count, by: 100) {
      sqlite3_bind_int64(select, 1, keys[start])
      sqlite3_bind_int64(select, 2, keys[min(start + 99, keys.count - 1)])
      while sqlite3_step(select) == SQLITE_ROW { sum &+= quick.row(select).folded }
      sqlite3_reset(select)
    }
    sqlite3_finalize(select)
    return Tally(checksum: sum)
  }

  override func updating(isVersioned: Bool) -> () -> Tally {
    var rows = load()
    return { [quick] in
      var sum: Int64 = 0
      quick.run("BEGIN IMMEDIATE")
      var rest = rows.indices
      for count in [128, 1] where rest.count >= count {
        let marks = Array(repeating: "(?,?)", count: count).joined(separator: ",")
        let update = quick.prepare(
          "UPDATE OR FAIL article SET views = new.column2, version = 2 "
            + "FROM (VALUES \(marks)) AS new WHERE id = new.column1 AND version = 1")
        while rest.count >= count {
          var index: Int32 = 1
          for place in rest.prefix(count) {
            rows[place].views += 1
            sum += rows[place].views
            sqlite3_bind_int64(update, index, rows[place].id)
            sqlite3_bind_int64(update, index + 1, rows[place].views)
            index += 2
          }
          quick.step(update)
          precondition(sqlite3_changes(quick.database) == count)
          rest = rest.dropFirst(count)
        }
        sqlite3_finalize(update)
      }
      quick.run("COMMIT")
      return Tally(checksum: sum)
    }
  }

  override func deleting() -> () -> Tally {
    let keys = load().map(\.id)
    return { [quick] in
      quick.run("BEGIN IMMEDIATE")
      let marks = Array(repeating: "?", count: 1000).joined(separator: ",")
      let delete = quick.prepare("DELETE FROM article WHERE id IN (\(marks))")
      for start in stride(from: 0, to: keys.count, by: 1000) {
        for index in 0..<1000 {
          let key = start + index < keys.count ? keys[start + index] : -1
          sqlite3_bind_int64(delete, Int32(index + 1), key)
        }
        quick.step(delete)
      }
      sqlite3_finalize(delete)
      quick.run("COMMIT")
      return Tally(checksum: Int64(keys.count))
    }
  }

  override func batchDelete() -> Tally {
    quick.run("BEGIN IMMEDIATE")
    quick.run("DELETE FROM article WHERE views >= 0")
    let count = Int64(sqlite3_changes(quick.database))
    quick.run("COMMIT")
    return Tally(checksum: count)
  }
}
