import Foundation

/// Names a record without an id object: its concrete entity and its key.
typealias RecordName = (layout: EntityLayout, key: Int64)

/// What a context reads from: a coordinator, or a parent context with its unsaved state.
protocol ParentStore: AnyObject {
  /// The rows of a fetch, in order.
  func rows(_ plan: FetchPlan) throws -> [Snapshot]
  /// The records of a fetch, in order, without their rows.
  func names(_ plan: FetchPlan) throws -> [RecordName]
  /// The number of records that satisfy a fetch, before limit and offset.
  func count(_ plan: FetchPlan) throws -> Int
  /// One row, or nil if there is none; `isFresh` means that no cached row will do.
  func row(_ layout: EntityLayout, key: Int64, isFresh: Bool) throws -> Snapshot?
  /// The members of a to-many relationship.
  func members(_ layout: EntityLayout, key: Int64, slot: Int) throws -> [RecordName]
}

extension NSPersistentStoreCoordinator: ParentStore {
  func rows(_ plan: FetchPlan) throws -> [Snapshot] {
    let store = store(for: "a fetch")
    return try store.database.read { connection in
      try RowReader(connection, store.database.schema).rows(plan, cache: store.rowCache)
    }
  }

  func names(_ plan: FetchPlan) throws -> [RecordName] {
    let database = store(for: "a fetch").database
    return try database.read { try RowReader($0, database.schema).keys(plan) }
  }

  func count(_ plan: FetchPlan) throws -> Int {
    let database = store(for: "a count").database
    return try database.read { try RowReader($0, database.schema).count(plan) }
  }

  func row(_ layout: EntityLayout, key: Int64, isFresh: Bool) throws -> Snapshot? {
    if key < 0 { return nil }
    let store = store(for: "the fulfilment of a fault")
    let known = store.rowCache.member(table: layout.rootNumber, key: key)
    if let known, !isFresh { return known }
    let read = try store.database.read {
      try RowReader($0, store.database.schema).row(layout, key: key)
    }
    guard let read else { return nil }
    if let known, known.version >= read.version { return known }
    read.enter(store.rowCache)
    return read
  }

  func members(_ layout: EntityLayout, key: Int64, slot: Int) throws -> [RecordName] {
    if key < 0 { return [] }
    let database = store(for: "the fulfilment of a relationship fault").database
    return try database.read {
      try RowReader($0, database.schema).members(layout, key: key, slot: slot)
    }
  }
}
