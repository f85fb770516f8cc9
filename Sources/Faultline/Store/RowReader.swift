import SQLiteConnection

/// Reads rows of a database into snapshots.
struct RowReader {
  /// The connection that reads.
  let connection: Connection
  /// The tables.
  let schema: Schema

  init(_ connection: Connection, _ schema: Schema) {
    self.connection = connection
    self.schema = schema
  }

  /// One row by key; nil if there is none.
  func row(_ layout: EntityLayout, key: Int64) throws -> Snapshot? {
    let lookUp = try RowLookUp.one(with: connection, of: schema.table(layout), schema)
    try lookUp.statement.bind(schema.row(key), at: 1)
    defer { lookUp.statement.reset() }
    guard try lookUp.statement.step() else { return nil }
    EngineCounters.add(.rowsFetched)
    return lookUp.cursor.snapshot(key: key, version: lookUp.cursor.version)
  }

  /// The rows of a fetch; a row that the cache has in the same version is taken from there.
  func rows(_ plan: FetchPlan, filling: CacheFilling) throws -> [LoadedRow] {
    var rows: [LoadedRow] = []
    if plan.limit > 0 { rows.reserveCapacity(min(plan.limit, 1024)) }
    var steps = try steps(plan, filling)
    _ = try steps.load(.max, into: &rows)
    return rows
  }

  /// The rows of a fetch, before the first step.
  func steps(_ plan: FetchPlan, _ filling: CacheFilling) throws -> RowSteps {
    var query = SelectBuilder(plan, schema)
    let statement = try connection.statement(query.select(schema.table(plan.layout).selection))
    try query.bind(to: statement)
    return RowSteps(statement, plan.layout, schema, filling)
  }

  /// A read has put a newer row into the cache, where whoever fulfils a fault finds it: for a
  /// controlled scheduler that is a write.
  static func tellReplaced(_ layout: EntityLayout) {
    Scheduling.touch(.rows(of: layout.root.name), isWrite: true)
  }

  /// The keys and entity numbers of a fetch.
  func keys(_ plan: FetchPlan) throws -> [RecordName] {
    var query = SelectBuilder(plan, schema)
    let statement = try connection.statement(
      plan.isWholeTable
        // An index alone would have the keys too, in its own order.
        ? "SELECT \(plan.layout.number), Z_PK FROM \(schema.table(plan.layout).name) NOT INDEXED"
        : query.select("t0.Z_ENT, t0.Z_PK"))
    try query.bind(to: statement)
    defer { statement.reset() }
    var keys: [RecordName] = []
    while try statement.step() {
      keys.append(name(statement, plan.layout))
    }
    return keys
  }

  /// The number of rows of a fetch, whose limit and offset the caller applies.
  func count(_ plan: FetchPlan) throws -> Int {
    var query = SelectBuilder(plan, schema)
    let statement = try connection.statement(query.select("COUNT(*)", paged: false))
    try query.bind(to: statement)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int64(0)) : 0
  }

  /// The keys and entities of the members of a to-many relationship.
  func members(_ layout: EntityLayout, key: Int64, slot: Int) throws -> [RecordName] {
    let destination = layout.slots[slot].destination!
    guard schema.holds(destination) else { return [] }
    let join = MemberJoin(layout, slot, schema)
    let statement = try connection.statement(
      "SELECT t0.Z_ENT, t0.Z_PK FROM \(join.tables) WHERE \(join.owner) = ?\(join.order)")
    try statement.bind(schema.row(key), at: 1)
    defer { statement.reset() }
    var members: [RecordName] = []
    while try statement.step() {
      members.append(name(statement, destination))
    }
    return members
  }

  /// The record whose entity and key stand ready.
  @inline(__always)
  private func name(_ statement: Statement, _ expected: EntityLayout) -> RecordName {
    let (number, key) = (Int(statement.int64(0)), schema.keyBase + statement.int64(1))
    if number == expected.number { return RecordName(expected, key) }
    return RecordName(schema.layouts[number] ?? expected, key)
  }
}

/// A statement that finds rows of a table by their keys, kept with a connection from fault to
/// fault: neither is its text put together again, nor is it looked for by that.
final class RowLookUp {
  /// The statement.
  let statement: Statement
  /// What packs its rows.
  let cursor: RowCursor

  private init(_ connection: Connection, _ table: TableSchema, _ schema: Schema, _ keys: String)
    throws
  {
    statement = try connection.statement(
      "SELECT \(table.selection) FROM \(table.name) t0 WHERE t0.Z_PK \(keys)")
    cursor = RowCursor(statement, table, schema)
  }

  /// The one that finds a row by its key.
  static func one(
    with connection: Connection, of table: TableSchema, _ schema: Schema
  ) throws -> RowLookUp {
    try kept(ObjectIdentifier(table), with: connection) {
      try connection.widenCache(kibibytes: cacheKibibytes)
      return try RowLookUp(connection, table, schema, "= ?")
    }
  }

  /// The one that finds the rows between two keys.
  static func range(
    with connection: Connection, of table: TableSchema, _ schema: Schema
  ) throws -> RowLookUp {
    // Any object that the table holds names it as well as itself.
    try kept(ObjectIdentifier(table.root), with: connection) {
      try RowLookUp(connection, table, schema, "BETWEEN ? AND ?")
    }
  }

  private static func kept(
    _ id: ObjectIdentifier, with connection: Connection, _ make: () throws -> RowLookUp
  ) rethrows -> RowLookUp {
    if let kept = connection.kept[id] { return unsafeDowncast(kept, to: RowLookUp.self) }
    let new = try make()
    connection.kept[id] = new
    return new
  }

  /// How much room pages get on a connection that looks up one row after the other, in place of
  /// SQLite's 2 MB: it comes back to the same pages.
  ///
  /// It buys a fifth of the time of faults in random order over 9 MB of rows. A connection that
  /// only goes through rows keeps its 2 MB: with more, each page is new memory, which takes 7 %
  /// of the time.
  private static let cacheKibibytes = 8000
}
