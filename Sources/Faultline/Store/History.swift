import SQLiteConnection

/// The history of one store, in Core Data's three tables of the store's own file.
///
/// `ATRANSACTION` has a row for each save and batch request, `ACHANGE` one for each record that it
/// inserted, updated or deleted, `ATRANSACTIONSTRING` each name that transactions have in common.
/// They are written inside the transaction that they tell of (`HistoryRecorder`), so that they tell
/// of what was committed and of nothing else. Numbers are counted in `Z_PRIMARYKEY` and never used
/// again.
struct History: Sendable {
  /// The tables, by the numbers under which they are entered in `Z_PRIMARYKEY`.
  enum Table: Int, CaseIterable {
    case change = 16001
    case transaction = 16002
    case string = 16003

    /// The name of the entity that the table stands for.
    fileprivate var entityName: String {
      switch self {
      case .change: "CHANGE"
      case .transaction: "TRANSACTION"
      case .string: "TRANSACTIONSTRING"
      }
    }
  }

  /// How an entity's properties are numbered in a change, and what is kept of a deleted record.
  struct Numbering: Sendable {
    /// The slot of each bit, all stored properties in order of their names.
    let slots: [Int]
    /// The stored attributes whose values outlive the record, in order of their names.
    let preserved: [EntityLayout.Column]

    init(_ layout: EntityLayout, _ schema: Schema) {
      slots = layout.slots.indices.filter { !layout.slots[$0].isTransient }
        .sorted { layout.slots[$0].name < layout.slots[$1].name }
      let columns = schema.holds(layout) ? layout.columns(in: schema.table(layout)) : []
      preserved = slots.compactMap { slot in
        guard let attribute = layout.slots[slot].property as? NSAttributeDescription,
          attribute.preservesValueInHistoryOnDeletion
        else { return nil }
        return columns.first { $0.slot == slot }
      }
    }

    /// Slots as bits, the first in the highest bit of the first byte.
    func bits(of changed: SlotSet) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: (slots.count + 7) / 8)
      for (bit, slot) in slots.enumerated() where changed.contains(slot) {
        bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
      }
      return bytes
    }

    /// The slots of bits; nil if there is a bit that stands for nothing.
    func slots(in bytes: UnsafeRawBufferPointer) -> [Int]? {
      var found: [Int] = []
      for (index, byte) in bytes.enumerated() {
        for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
          guard index * 8 + bit < slots.count else { return nil }
          found.append(slots[index * 8 + bit])
        }
      }
      return found
    }
  }

  /// The numbering of each entity, by its number.
  let numberings: [Int: Numbering]
  /// The columns of values that outlive their records.
  let tombstones: [String]
  /// Whether the database is only read, so that nothing in it can follow the model.
  let isReadOnly: Bool

  /// Whether a database has, or once had, a history.
  static func exists(_ connection: Connection) throws -> Bool {
    let statement = try connection.statement(
      "SELECT 1 FROM sqlite_master WHERE name = 'ATRANSACTION'")
    defer { statement.reset() }
    return try statement.step()
  }

  /// Prepares a database to keep its history; nil if there is none and it cannot be written.
  init?(_ connection: Connection, _ schema: Schema, isReadOnly: Bool) throws {
    let numberings = schema.layouts.mapValues { Numbering($0, schema) }
    self.numberings = numberings
    self.isReadOnly = isReadOnly
    tombstones = Self.tombstones(numberings.values.map(\.preserved.count).max() ?? 0)
    let exists = try Self.exists(connection)
    if isReadOnly { if exists { return } else { return nil } }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      // Somebody else may have made the tables meanwhile.
      for sql in Self.creation { try connection.execute(sql) }
      try Self.makeTombstones(tombstones, connection)
      try follow(schema, connection)
      try connection.execute("COMMIT")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  private static let creation =
    [
      "CREATE TABLE IF NOT EXISTS ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        + "ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, "
        + "ZCOLUMNS BLOB)",
      "CREATE TABLE IF NOT EXISTS ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
        + "Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, "
        + "ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, "
        + "ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB)",
      "CREATE TABLE IF NOT EXISTS ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
        + "Z_OPT INTEGER, ZNAME VARCHAR)",
      "CREATE INDEX IF NOT EXISTS ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
      "CREATE UNIQUE INDEX IF NOT EXISTS Z_TRANSACTIONSTRING_UNIQUE_NAME "
        + "ON ATRANSACTIONSTRING (ZNAME)",
    ]
    + Table.allCases.map {
      "INSERT OR IGNORE INTO Z_PRIMARYKEY VALUES (\($0.rawValue), '\($0.entityName)', 0, 0)"
    }

  // MARK: Numbers

  /// The number of the newest transaction; 0 if there has been none.
  static func newest(_ connection: Connection) throws -> Int64 {
    try number(connection, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")
  }

  /// The number of the newest transaction that was deleted; 0 if none was.
  ///
  /// Only the oldest are ever deleted, so everything after it is there.
  static func newestDeleted(_ connection: Connection) throws -> Int64 {
    try number(
      connection,
      "SELECT IFNULL((SELECT MIN(Z_PK) - 1 FROM ATRANSACTION), "
        + "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002))")
  }

  private static func number(_ connection: Connection, _ sql: String) throws -> Int64 {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : 0
  }
}
