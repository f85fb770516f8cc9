import Foundation
import SQLiteConnection

/// Reads rows of a database into snapshots.
struct RowReader {
  private let connection: Connection
  private let schema: Schema

  init(_ connection: Connection, _ schema: Schema) {
    self.connection = connection
    self.schema = schema
  }

  /// One row by key; nil if there is none.
  func row(_ layout: EntityLayout, key: Int64) throws -> Snapshot? {
    let table = schema.table(layout)
    let statement = try connection.statement(
      "SELECT \(table.selection) FROM \(table.name) t0 WHERE t0.Z_PK = ?")
    try statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    EngineCounters.add(.rowsFetched)
    return snapshot(statement, table)
  }

  /// The rows of a fetch; a row that the cache has in the same version is taken from there.
  func rows(_ plan: FetchPlan, cache: WeakTable<Snapshot>) throws -> [Snapshot] {
    let table = schema.table(plan.layout)
    var query = SelectBuilder(plan, schema)
    let statement = try connection.statement(query.select(table.selection))
    try query.bind(to: statement)
    defer { statement.reset() }
    var rows: [Snapshot] = []
    while try statement.step() {
      rows.append(cached(statement, table, cache))
    }
    EngineCounters.add(.rowsFetched, rows.count)
    return rows
  }

  /// The keys and entity numbers of a fetch.
  func keys(_ plan: FetchPlan) throws -> [(layout: EntityLayout, key: Int64)] {
    var query = SelectBuilder(plan, schema)
    let statement = try connection.statement(query.select("t0.Z_ENT, t0.Z_PK"))
    try query.bind(to: statement)
    defer { statement.reset() }
    var keys: [(EntityLayout, Int64)] = []
    while try statement.step() {
      keys.append((layout(statement.int64(0), of: plan.layout), statement.int64(1)))
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
    let table = schema.table(destination)
    let sql: String
    if let join = JoinSchema(layout, slot: slot) {
      sql =
        "SELECT t0.Z_ENT, t0.Z_PK FROM \(join.name) j JOIN \(table.name) t0 "
        + "ON t0.Z_PK = j.\(join.destination) WHERE j.\(join.source) = ?"
    } else {
      let inverse = destination.slots[layout.slots[slot].inverse ?? 0].name.uppercased()
      sql = "SELECT t0.Z_ENT, t0.Z_PK FROM \(table.name) t0 WHERE t0.Z\(inverse) = ?"
    }
    let statement = try connection.statement(sql)
    try statement.bind(key, at: 1)
    defer { statement.reset() }
    var members: [(EntityLayout, Int64)] = []
    while try statement.step() {
      members.append((self.layout(statement.int64(0), of: destination), statement.int64(1)))
    }
    return members
  }

  private func layout(_ number: Int64, of expected: EntityLayout) -> EntityLayout {
    number == Int64(expected.number) ? expected : schema.layouts[Int(number)] ?? expected
  }

  private func cached(
    _ statement: Statement, _ table: TableSchema, _ cache: WeakTable<Snapshot>
  ) -> Snapshot {
    let key = statement.int64(0)
    // A newer row in the cache was committed after this read began, and stays.
    if let known = cache.member(table: table.root.number, key: key),
      known.version >= statement.int64(2)
    {
      return known
    }
    let row = snapshot(statement, table)
    row.enter(cache)
    return row
  }

  private func snapshot(_ statement: Statement, _ table: TableSchema) -> Snapshot {
    let layout = layout(statement.int64(1), of: table.root)
    let columns = table.readers[layout.number] ?? []
    return Snapshot.make(layout, key: statement.int64(0), version: statement.int64(2)) { values in
      for slot in columns.indices {
        (values + slot).initialize(to: value(columns[slot], statement, layout, slot))
      }
    }
  }

  @inline(__always)
  private func value(
    _ reader: TableSchema.Reader, _ statement: Statement, _ layout: EntityLayout, _ slot: Int
  ) -> Value {
    let index = reader.index
    if reader.kind == .nothing || statement.isNull(index) { return .null }
    switch reader.kind {
    case .nothing: return .null
    case .integer: return .integer(statement.int64(index))
    case .double: return .double(statement.double(index))
    case .text: return .string(statement.text(index))
    case .key: return .key(statement.int64(index))
    case .polymorphicKey:
      let number = statement.int64(reader.entityIndex)
      return .id(
        NSManagedObjectID(
          layout: self.layout(number, of: layout.slots[slot].destination), store: .unresolved,
          key: statement.int64(index)))
    case .url, .decimal, .uuid, .data: return wide(reader, statement)
    }
  }

  private func wide(_ reader: TableSchema.Reader, _ statement: Statement) -> Value {
    let index = reader.index
    switch reader.kind {
    case .url: return URL(string: statement.text(index)).map { .boxed(Boxed(.url($0))) } ?? .null
    case .decimal:
      return Decimal(string: statement.text(index)).map { .boxed(Boxed(.decimal($0))) } ?? .null
    case .uuid:
      return statement.withBlob(index) { bytes in
        guard bytes.count == 16 else { return .null }
        return .boxed(Boxed(.uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))))
      }
    case .data: return .data(statement.withBlob(index) { Data($0) })
    case .nothing, .integer, .double, .text, .key, .polymorphicKey: return .null
    }
  }
}

extension StoreIdentity {
  /// The identity of a destination whose store the context fills in when it makes the object.
  static let unresolved = StoreIdentity(uuid: "")
}

extension TableSchema {
  /// The columns of a whole row: key, entity, version, then the table's own.
  var selection: String {
    (["t0.Z_PK", "t0.Z_ENT", "t0.Z_OPT"] + columns.map { "t0.\($0.name)" }).joined(separator: ", ")
  }
}
