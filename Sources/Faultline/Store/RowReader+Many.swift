import SQLiteConnection

/// Rows of many records at a time: of a page of faults, or of what a relationship leads to.
extension RowReader {
  /// The most keys that one statement names; SQLite takes 32,766.
  private static let keyCountMax = 16_384
  /// Up to how many keys a statement has exactly as many places as there are keys.
  private static let exactCountMax = 256

  /// The rows of some records of one table, each named once, in any order.
  ///
  /// Keys without gaps, which is how most objects are stored, are asked for by the first and last
  /// of them: that takes less than half the time.
  func rows(
    _ layout: EntityLayout, keys: [Int64], filling: CacheFilling
  ) throws -> [LoadedRow] {
    let table = schema.table(layout)
    var found: [LoadedRow] = []
    found.reserveCapacity(keys.count)
    if let first = keys.min(), let last = keys.max(), last - first == keys.count - 1,
      keys.count > 1
    {
      let lookUp = try RowLookUp.range(with: connection, of: table, schema)
      try lookUp.statement.bind(schema.row(first), at: 1)
      try lookUp.statement.bind(schema.row(last), at: 2)
      var steps = RowSteps(lookUp.statement, layout, lookUp.cursor, filling)
      _ = try steps.load(.max, into: &found)
      return found
    }
    let select = "SELECT \(table.selection) FROM \(table.name) t0 WHERE t0.Z_PK IN"
    try forEachPart(of: keys, select) { statement in
      var steps = RowSteps(statement, layout, schema, filling)
      _ = try steps.load(.max, into: &found)
    }
    return found
  }

  /// The rows of the members that many records have in a to-many relationship; those of one record
  /// are in order if they have one.
  func memberRows(
    _ layout: EntityLayout, keys: [Int64], slot: Int, filling: CacheFilling
  ) throws -> [(owner: Int64, row: LoadedRow)] {
    let destination = layout.slots[slot].destination!
    guard schema.holds(destination) else { return [] }
    let join = MemberJoin(layout, slot, schema)
    let select =
      "SELECT \(schema.table(destination).selection), \(join.owner) FROM \(join.tables) "
      + "WHERE \(join.owner) IN"
    var owners: [Int64] = []
    var members: [LoadedRow] = []
    try forEachPart(of: keys, select, join.order) { statement in
      let column = statement.columnCount - 1
      var steps = RowSteps(statement, destination, schema, filling)
      _ = try steps.load(.max, into: &members) {
        owners.append(schema.keyBase + statement.int64(column))
      }
    }
    return zip(owners, members).map { ($0, $1) }
  }

  /// Runs a statement that ends in a list of keys, as often as there are too many for one.
  ///
  /// Longer lists are filled up to a power of two, so that a connection does not keep a prepared
  /// statement of each length.
  private func forEachPart(
    of keys: [Int64], _ head: String, _ tail: String = "", _ body: (Statement) throws -> Void
  ) throws {
    for start in stride(from: 0, to: keys.count, by: Self.keyCountMax) {
      let part = keys[start..<min(start + Self.keyCountMax, keys.count)]
      var places = part.count
      if places > Self.exactCountMax {
        places = 1 << (Int.bitWidth - (places - 1).leadingZeroBitCount)
      }
      let marks = repeatElement("?", count: places).joined(separator: ",")
      let statement = try connection.statement("\(head) (\(marks))\(tail)")
      for (index, key) in part.enumerated() {
        try statement.bind(schema.row(key), at: Int32(index + 1))
      }
      // A place without a key is NULL and names no row.
      try body(statement)
    }
  }
}

/// How the members of a to-many relationship are found: the tables, in which `t0` is theirs, the
/// column of the owner's key, and their order.
struct MemberJoin {
  /// What stands behind `FROM`.
  let tables: String
  /// The column of the owner's key.
  let owner: String
  /// The `ORDER BY` of an ordered relationship; else empty.
  let order: String

  /// The join of a slot whose destination the store holds.
  init(_ layout: EntityLayout, _ slot: Int, _ schema: Schema) {
    let destination = layout.slots[slot].destination!
    let table = schema.table(destination)
    if let join = JoinSchema(layout, slot: slot) {
      tables = "\(join.name) j JOIN \(table.name) t0 ON t0.Z_PK = j.\(join.destination)"
      owner = "j.\(join.source)"
    } else {
      tables = "\(table.name) t0"
      owner = "t0." + schema.column(destination, slot: layout.slots[slot].inverse ?? 0)
    }
    if layout.slots[slot].isOrdered {
      let position = OrderColumn(layout, slot: slot, schema).position
      order = " ORDER BY \(position) IS NULL, \(position), t0.Z_PK"
    } else {
      order = ""
    }
  }
}
