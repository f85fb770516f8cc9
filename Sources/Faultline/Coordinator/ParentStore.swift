import Foundation

/// The row of a member of a to-many relationship, and the key of the record it is a member of.
typealias MemberRow = (owner: Int64, row: LoadedRow)

/// What a context reads from: a coordinator, or a parent context with its unsaved state.
protocol ParentStore: AnyObject {
  /// The rows of a fetch, in order.
  func rows(_ plan: FetchPlan) throws -> [LoadedRow]
  /// The same, which may come part by part; whoever asked takes them at once.
  func rowsInParts(_ plan: FetchPlan) throws -> LoadedRows
  /// The records of a fetch, in order, without their rows.
  func names(_ plan: FetchPlan) throws -> [RecordName]
  /// The rows of a projection, in order; what is unsaved in contexts plays no part.
  func table(_ plan: FetchPlan, _ projection: FetchProjection) throws -> [[Value]]
  /// The number of records that satisfy a fetch, before limit and offset.
  func count(_ plan: FetchPlan) throws -> Int
  /// One row, or nil if there is none; a cached one if it was read at most so many seconds ago,
  /// which means always for a negative number and never for 0.
  func row(_ layout: EntityLayout, key: Int64, ageMax: TimeInterval) throws -> Snapshot?
  /// The rows of records of one table, each named once, in any order; of a record that is gone
  /// there is none.
  func rows(_ layout: EntityLayout, keys: [Int64]) throws -> [LoadedRow]
  /// The members of a to-many relationship.
  func members(_ layout: EntityLayout, key: Int64, slot: Int) throws -> [RecordName]
  /// The rows of the members that many records have in a to-many relationship; those of one record
  /// are in order if they have one.
  func memberRows(_ layout: EntityLayout, keys: [Int64], slot: Int) throws -> [MemberRow]
}

extension ParentStore {
  func rowsInParts(_ plan: FetchPlan) throws -> LoadedRows { LoadedRows(try rows(plan)) }
}
