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
    let lookUp = try RowLookUp.kept(with: connection, for: schema.table(layout), schema)
    try lookUp.statement.bind(schema.row(key), at: 1)
    defer { lookUp.statement.reset() }
    guard try lookUp.statement.step() else { return nil }
    EngineCounters.add(.rowsFetched)
    return lookUp.cursor.snapshot(key: key, version: lookUp.cursor.version)
  }

  /// The rows of a fetch; a row that the cache has in the same version is taken from there.
  func rows(_ plan: FetchPlan, filling: CacheFilling) throws -> [LoadedRow] {
    var query = SelectBuilder(plan, schema)
    let statement = try connection.statement(query.select(schema.table(plan.layout).selection))
    try query.bind(to: statement)
    var rows: [LoadedRow] = []
    if plan.limit > 0 { rows.reserveCapacity(min(plan.limit, 1024)) }
    try load(statement, plan.layout, filling, into: &rows)
    return rows
  }

  /// Steps through rows whose first columns are those of the table's selection; those that the
  /// cache has are taken from there, the others are entered.
  @inline(__always)
  func load(
    _ statement: Statement, _ layout: EntityLayout, _ filling: CacheFilling,
    into rows: inout [LoadedRow], hearing each: () -> Void = {}
  ) throws {
    defer { statement.reset() }
    let cursor = RowCursor(statement, schema.table(layout), schema)
    var run = WeakTable.Run(filling.cache, table: cursor.tableNumber)
    let start = rows.count
    while try statement.step() {
      rows.append(load(cursor, layout, &run, filling.era))
      each()
    }
    EngineCounters.add(.rowsFetched, rows.count - start)
  }

  /// The row that stands ready, from the cache if that has it.
  @inline(__always)
  private func load(
    _ cursor: RowCursor, _ layout: EntityLayout, _ cache: inout WeakTable<Snapshot>.Run,
    _ era: UInt64
  ) -> LoadedRow {
    let (key, version) = (cursor.key, cursor.version)
    let known = cache.member(key)
    // A newer row in the cache was committed after this read began, and stays.
    if let known, known.version >= version { return LoadedRow(known) }
    if known != nil { Self.tellReplaced(layout) }
    let row = cursor.snapshot(key: key, version: version)
    return LoadedRow(row, entering: cache.objects, since: era)
  }

  /// A read has put a newer row into the cache, where whoever fulfils a fault finds it: for a
  /// controlled scheduler that is a write.
  static func tellReplaced(_ layout: EntityLayout) {
    Scheduling.touch(.rows(of: layout.root.name), isWrite: true)
  }

  /// The keys and entity numbers of a fetch.
  func keys(_ plan: FetchPlan) throws -> [(layout: EntityLayout, key: Int64)] {
    var query = SelectBuilder(plan, schema)
    let statement = try connection.statement(query.select("t0.Z_ENT, t0.Z_PK"))
    try query.bind(to: statement)
    defer { statement.reset() }
    var keys: [(layout: EntityLayout, key: Int64)] = []
    while try statement.step() {
      keys.append(
        (layout(statement.int64(0), of: plan.layout), schema.keyBase + statement.int64(1)))
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
  func members(_ layout: EntityLayout, key: Int64, slot: Int) throws
    -> [(layout: EntityLayout, key: Int64)]
  {
    let destination = layout.slots[slot].destination!
    guard schema.holds(destination) else { return [] }
    let join = MemberJoin(layout, slot, schema)
    let statement = try connection.statement(
      "SELECT t0.Z_ENT, t0.Z_PK FROM \(join.tables) WHERE \(join.owner) = ?\(join.order)")
    try statement.bind(schema.row(key), at: 1)
    defer { statement.reset() }
    var members: [(layout: EntityLayout, key: Int64)] = []
    while try statement.step() {
      members.append(
        (self.layout(statement.int64(0), of: destination), schema.keyBase + statement.int64(1)))
    }
    return members
  }

  private func layout(_ number: Int64, of expected: EntityLayout) -> EntityLayout {
    number == Int64(expected.number) ? expected : schema.layouts[Int(number)] ?? expected
  }
}

/// The statement that finds a row of a table by its key, kept with a connection from fault to
/// fault: neither is its text put together again, nor is it looked for by that.
private final class RowLookUp {
  let statement: Statement
  let cursor: RowCursor

  private init(_ connection: Connection, _ table: TableSchema, _ schema: Schema) throws {
    statement = try connection.statement(
      "SELECT \(table.selection) FROM \(table.name) t0 WHERE t0.Z_PK = ?")
    cursor = RowCursor(statement, table, schema)
  }

  static func kept(
    with connection: Connection, for table: TableSchema, _ schema: Schema
  ) throws -> RowLookUp {
    let id = ObjectIdentifier(table)
    if let kept = connection.kept[id] { return unsafeDowncast(kept, to: RowLookUp.self) }
    let new = try RowLookUp(connection, table, schema)
    try connection.widenCache(kibibytes: cacheKibibytes)
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
