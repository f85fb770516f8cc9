import Foundation

/// One store as a context reads it: at its last commit, or as it was when a generation was pinned.
struct StoreView {
  /// The store.
  let store: NSPersistentStore
  /// The state it is read in; nil means the last commit.
  let held: HeldRead?

  private var cache: WeakTable<Snapshot> { held?.rowCache ?? store.rowCache }

  private func read<T>(_ body: (RowReader) throws -> T) throws -> T {
    let database = store.database
    if let held { return try held.read { try body(RowReader($0, database.schema)) } }
    return try database.read { try body(RowReader($0, database.schema)) }
  }

  /// The rows of a fetch, in order.
  func rows(_ plan: FetchPlan) throws -> [LoadedRow] {
    let filling = CacheFilling(cache)
    let rows = try read { try $0.rows(plan, filling: filling) }
    tellLoaded(rows, plan.layout)
    return rows
  }

  /// The rows of a fetch, in order, part by part if there are many.
  func rowsInParts(_ plan: FetchPlan) throws -> LoadedRows {
    // Before the database is looked up: the store may move to another file meanwhile.
    let filling = CacheFilling(cache)
    let database = store.database
    guard held == nil, database.canReadInParts, !ReadTimes.isNoting,
      plan.limit == 0 || plan.limit > LoadedRows.partLength
    else { return LoadedRows(try rows(plan)) }
    return try database.rowsInParts {
      try RowReader($0, database.schema).steps(plan, filling)
    }
  }

  /// The rows of some records of one table.
  func rows(_ layout: EntityLayout, keys: [Int64]) throws -> [LoadedRow] {
    let filling = CacheFilling(cache)
    let rows = try read { try $0.rows(layout, keys: keys, filling: filling) }
    tellLoaded(rows, layout)
    return rows
  }

  private func tellLoaded(_ rows: [LoadedRow], _ layout: EntityLayout) {
    tellRead(layout)
    if Scheduling.hook != nil {
      for row in rows { row.look { tellRead($0) } }
    }
    if held == nil { store.readTimes.note(rows, table: layout.rootNumber) }
  }

  /// The records of a fetch, in order, without their rows.
  func names(_ plan: FetchPlan) throws -> [RecordName] {
    tellRead(plan.layout)
    return try read { try $0.keys(plan) }
  }

  /// The rows of a projection, in order.
  func table(_ plan: FetchPlan, _ projection: FetchProjection) throws -> [[Value]] {
    tellRead(plan.layout)
    return try read { try $0.table(plan, projection) }
  }

  /// The number of records that satisfy a fetch, before limit and offset.
  func count(_ plan: FetchPlan) throws -> Int {
    tellRead(plan.layout)
    return try read { try $0.count(plan) }
  }

  /// One row, or nil if there is none; a cached one if it was read at most so many seconds ago,
  /// which means always for a negative number and never for 0.
  func row(_ layout: EntityLayout, key: Int64, ageMax: TimeInterval) throws -> Snapshot? {
    tellRead(layout)
    let known = cache.member(table: layout.rootNumber, key: key)
    // What is held does not change, so a row of it is never too old.
    if let known, held != nil || store.readTimes.isFresh(known, ageMax: ageMax) {
      tellRead(known)
      return known
    }
    let era = cache.era
    guard let row = try read({ try $0.row(layout, key: key) }) else { return nil }
    tellRead(row)
    if held == nil { store.readTimes.note(row) }
    if let known, known.version >= row.version { return known }
    if known != nil { RowReader.tellReplaced(layout) }
    return row.enter(cache, since: era) ?? row
  }

  /// The members of a to-many relationship.
  func members(_ layout: EntityLayout, key: Int64, slot: Int) throws -> [RecordName] {
    tellRead(layout)
    tellRead(layout.slots[slot].destination)
    return try read { try $0.members(layout, key: key, slot: slot) }
  }

  /// The rows of the members that many records have in a to-many relationship.
  func memberRows(_ layout: EntityLayout, keys: [Int64], slot: Int) throws -> [MemberRow] {
    tellRead(layout)
    let filling = CacheFilling(cache)
    let found = try read {
      try $0.memberRows(layout, keys: keys, slot: slot, filling: filling)
    }
    tellLoaded(found.map(\.row), layout.slots[slot].destination)
    return found
  }

  /// Tells a controlled scheduler that rows of an entity are read.
  private func tellRead(_ layout: EntityLayout) {
    Scheduling.touch(.rows(of: layout.root.name))
  }

  /// Tells it which row, and which version of it.
  private func tellRead(_ row: Snapshot) {
    Scheduling.touch(
      .row(of: row.layout.name, key: store.database.schema.row(row.key)), version: row.version,
      values: row.told())
  }
}
