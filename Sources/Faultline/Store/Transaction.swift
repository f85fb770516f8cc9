import Foundation
import SQLiteConnection

/// The changes of one save on their way into the database, inside one SQL transaction.
final class Transaction {
  let connection: Connection
  let schema: Schema
  /// How many rows one statement inserts: the most that are left.
  private static let rowsPerInsert = [rowsPerInsertMax, 8, 1]
  /// The most rows that one statement inserts.
  static let rowsPerInsertMax = 64
  /// The hierarchy of the key that was handed out last, and its next key.
  @exclusivity(unchecked) private var series = KeySeries()
  private var pausedSeries: [KeySeries] = []
  /// The hierarchies of which rows were written, for a controlled scheduler.
  var written: Set<String> = []

  /// How the store keeps its history; nil if it keeps none.
  let history: History?
  /// What tells the history of this transaction, if it is to be told.
  var recorder: HistoryRecorder?

  /// The statement of the last insertion, which most often serves the next one too.
  @exclusivity(unchecked) private var lastInsert: InsertShape?

  private struct InsertShape {
    let layout: EntityLayout
    let rows: Int
    let columns: [EntityLayout.Column]
    let statement: Statement
  }

  /// Kept with the connection: most saves change what the one before did.
  private final class UpdateShape {
    let layout: EntityLayout
    let changed: SlotSet
    let rows: Int
    let columns: [EntityLayout.Column]
    let statement: Statement

    init(
      layout: EntityLayout, changed: SlotSet, rows: Int, columns: [EntityLayout.Column],
      statement: Statement
    ) {
      self.layout = layout
      self.changed = changed
      self.rows = rows
      self.columns = columns
      self.statement = statement
    }
  }

  /// A row one version on, and what of it is to be written.
  struct Update {
    /// The row as it is to be.
    let row: Snapshot
    /// The slots that are written.
    let changed: SlotSet
  }

  /// How many rows one statement updates.
  static let rowsPerUpdate = 128
  /// How many rows one statement removes.
  static let rowsPerDelete = 128

  private struct KeySeries {
    var rootNumber = 0
    var next: Int64 = 0
  }

  init(_ connection: Connection, _ schema: Schema, _ history: History? = nil) {
    self.connection = connection
    self.schema = schema
    self.history = history
  }

  /// The key of a new record; `keepKeys` must follow when all are handed out.
  func nextKey(_ layout: EntityLayout) throws -> Int64 {
    if series.rootNumber != layout.rootNumber { try changeSeries(to: layout.rootNumber) }
    defer { series.next += 1 }
    return schema.keyBase + series.next
  }

  private func changeSeries(to rootNumber: Int) throws {
    if series.rootNumber > 0 { pausedSeries.append(series) }
    if let index = pausedSeries.firstIndex(where: { $0.rootNumber == rootNumber }) {
      series = pausedSeries.remove(at: index)
      return
    }
    let select = try connection.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
    try select.bind(Int64(rootNumber), at: 1)
    let last = try select.step() ? select.int64(0) : 0
    select.reset()
    series = KeySeries(rootNumber: rootNumber, next: last + 1)
  }

  /// Writes down up to where keys have been handed out.
  func keepKeys() throws {
    if series.rootNumber > 0 { pausedSeries.append(series) }
    series = KeySeries()
    for series in pausedSeries.sorted(by: { $0.rootNumber < $1.rootNumber }) {
      let update = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
      try update.bind(series.next - 1, at: 1)
      try update.bind(Int64(series.rootNumber), at: 2)
      try update.run()
    }
    pausedSeries = []
  }

  /// Writes new rows of one entity, many to a statement.
  func insert(_ rows: ArraySlice<Snapshot>, of layout: EntityLayout) throws {
    var rest = rows
    for count in Self.rowsPerInsert where rest.count >= count {
      let shape = try insertShape(layout, rows: count)
      let statement = shape.statement
      while rest.count >= count {
        reachRows(rest.prefix(count))
        var index: Int32 = 1
        try rest.prefix(count).forEachHeld { _, row in
          try statement.bind(schema.row(row.key), at: index)
          try statement.bind(Int64(layout.number), at: index + 1)
          try statement.bind(row.version, at: index + 2)
          index += 3
          for column in shape.columns { index = try bind(row, column, statement, index) }
        }
        try statement.run()
        rest = rest.dropFirst(count)
      }
    }
  }

  private func insertShape(_ layout: EntityLayout, rows: Int) throws -> InsertShape {
    if let lastInsert, lastInsert.layout === layout, lastInsert.rows == rows { return lastInsert }
    let table = schema.table(layout)
    let columns = layout.columns(in: table)
    let shape = InsertShape(
      layout: layout, rows: rows, columns: columns,
      statement: try connection.statement(table.insertion(columns, of: layout, rows: rows)))
    lastInsert = shape
    return shape
  }

  /// Writes the changed columns of rows, many of one shape to a statement.
  ///
  /// - Returns: false as soon as some row was not what it is written over; which one, nobody knows,
  ///   and the transaction is good for nothing but to be rolled back.
  func update(_ updates: ArraySlice<Update>) throws -> Bool {
    var start = updates.startIndex
    while start < updates.endIndex {
      let first = updates[start]
      var end = start + 1
      while end < updates.endIndex, end - start < Self.rowsPerUpdate,
        updates[end].row.layout === first.row.layout, updates[end].changed == first.changed
      {
        end += 1
      }
      if end - start == Self.rowsPerUpdate {
        if try !updateTogether(updates[start..<end], first.row.layout) { return false }
      } else {
        for update in updates[start..<end] where try !self.update(update) { return false }
      }
      start = end
    }
    return true
  }

  private func updateTogether(
    _ updates: ArraySlice<Update>, _ layout: EntityLayout
  ) throws -> Bool {
    reachRows(updates)
    let shape = try updateShape(updates[updates.startIndex], rows: updates.count)
    let (statement, columns) = (shape.statement, shape.columns)
    var index: Int32 = 1
    for number in updates.indices {
      try Unmanaged.passUnretained(updates[number].row)._withUnsafeGuaranteedRef { row in
        try statement.bind(schema.row(row.key), at: index)
        try statement.bind(row.version - 1, at: index + 1)
        index += 2
        for column in columns { index = try bind(row, column, statement, index) }
      }
    }
    try statement.run()
    return connection.changeCount == updates.count
  }

  /// Writes the changed columns of one row; false if it is not what it is written over.
  func update(_ update: Update) throws -> Bool {
    let row = update.row
    reachRow(update)
    let shape = try updateShape(update, rows: 1)
    let statement = shape.statement
    try statement.bind(row.version, at: 1)
    var index: Int32 = 2
    for column in shape.columns { index = try bind(row, column, statement, index) }
    try statement.bind(schema.row(row.key), at: index)
    try statement.bind(row.version - 1, at: index + 1)
    try statement.run()
    return connection.changeCount == 1
  }

  private func updateShape(_ update: Update, rows: Int) throws -> UpdateShape {
    let layout = update.row.layout
    let purpose = ObjectIdentifier(UpdateShape.self)
    if let kept = connection.kept[purpose] {
      let latest = unsafeDowncast(kept, to: UpdateShape.self)
      if latest.layout === layout, latest.rows == rows, latest.changed == update.changed {
        return latest
      }
    }
    let table = schema.table(layout)
    let columns = layout.columns(in: table).filter { update.changed.contains($0.slot) }
    let sql = rows == 1 ? table.updating(columns) : table.updating(columns, rows: rows)
    let shape = UpdateShape(
      layout: layout, changed: update.changed, rows: rows, columns: columns,
      statement: try connection.statement(sql))
    connection.kept[purpose] = shape
    return shape
  }

  /// Removes rows of one version; false if not all of them were there in it.
  func delete(_ layout: EntityLayout, keys: [Int64], version: Int64) throws -> Bool {
    if Scheduling.hook != nil { for key in keys { tell(layout, key: key, version: nil) } }
    let marks = keys.count == 1 ? "= ?" : "IN (?\(String(repeating: ",?", count: keys.count - 1)))"
    let statement = try connection.statement(
      "DELETE FROM \(schema.table(layout).name) WHERE Z_PK \(marks) AND Z_OPT = ?")
    var index: Int32 = 1
    for key in keys {
      try statement.bind(schema.row(key), at: index)
      index += 1
    }
    try statement.bind(version, at: index)
    try statement.run()
    return connection.changeCount == keys.count
  }

  /// Adds or removes one pair of a many-to-many relationship.
  func link(_ join: JoinSchema, source: Int64, destination: Int64, isAdded: Bool) throws {
    let sql =
      isAdded
      ? "INSERT OR IGNORE INTO \(join.name) (\(join.source), \(join.destination)) VALUES (?, ?)"
      : "DELETE FROM \(join.name) WHERE \(join.source) = ? AND \(join.destination) = ?"
    let statement = try connection.statement(sql)
    try statement.bind(schema.row(source), at: 1)
    try statement.bind(schema.row(destination), at: 2)
    try statement.run()
  }

  /// Removes every pair in which a deleted row takes part.
  func unlinkAll(_ join: JoinSchema, source: Int64) throws {
    let back = join.isReflexive ? " OR \(join.destination) = ?1" : ""
    let statement = try connection.statement(
      "DELETE FROM \(join.name) WHERE \(join.source) = ?1\(back)")
    try statement.bind(schema.row(source), at: 1)
    try statement.run()
  }

  /// The row as the database has it now, inside the transaction; nil if it is gone.
  func row(_ layout: EntityLayout, key: Int64) throws -> Snapshot? {
    try RowReader(connection, schema).row(layout, key: key)
  }

  /// Binds a value, and beside it the entity of a destination; answers the next index.
  func bind(
    _ row: Snapshot, _ column: EntityLayout.Column, _ statement: Statement, _ index: Int32
  ) throws -> Int32 {
    if let text = row.row.text(column.slot) {
      // Whoever writes a row holds it until the transaction has ended.
      try statement.bindText(keptUTF8: text, at: index)
      return index + 1
    }
    let value = row[column.slot]
    if let key = value.referenceKey {
      try statement.bind(schema.row(key), at: index)
    } else {
      try statement.bind(attribute: value, at: index)
    }
    guard column.hasEntityColumn else { return index + 1 }
    switch value {
    case .id(let id): try statement.bind(Int64(id.layout.number), at: index + 1)
    case .object(let object): try statement.bind(Int64(object.layout.number), at: index + 1)
    default: try statement.bindNull(at: index + 1)
    }
    return index + 2
  }
}

extension Statement {
  /// Binds the value of an attribute as its column keeps it.
  @inline(__always)
  func bind(attribute value: Value, at index: Int32) throws {
    switch value {
    case .null, .toMany, .key, .id, .object: try bindNull(at: index)
    case .integer(let number): try bind(number, at: index)
    case .double(let number): try bind(number, at: index)
    case .string(let text): try bind(text, at: index)
    case .data(let data):
      try data.withUnsafeBytes { try bind($0, at: index) }
    case .boxed(let box): try bind(box, at: index)
    }
  }

  private func bind(_ box: Boxed, at index: Int32) throws {
    switch box.content {
    case .uuid(let uuid):
      try withUnsafeBytes(of: uuid.uuid) { (bytes: UnsafeRawBufferPointer) throws in
        try bind(bytes, at: index)
      }
    case .url(let url): try bind(url.absoluteString, at: index)
    case .decimal(let decimal): try bind("\(decimal)", at: index)
    case .opaque: ProgrammerError.impossible("a row holds a value that was not made data of")
    }
  }
}

extension EntityLayout {
  /// A slot that is stored, and where.
  ///
  /// It holds numbers only: whoever binds a million values goes over columns as often.
  struct Column {
    let slot: Int
    /// Which column of the table it is.
    let number: Int
    /// Which is the column beside it that names the destination's entity, if there is one.
    let entityNumber: Int?
    var hasEntityColumn: Bool { entityNumber != nil }
  }

  /// The stored slots of the entity in order.
  func columns(in table: TableSchema) -> [Column] {
    guard let columns = table.columnOfSlot[number] else { return [] }
    return slots.indices.compactMap { slot in
      let column = columns[slot]
      guard column >= 0 else { return nil }
      return Column(slot: slot, number: column, entityNumber: table.entityColumn[column])
    }
  }
}

extension TableSchema {
  /// The name of a column.
  func name(of column: EntityLayout.Column) -> String { columns[column.number].name }

  /// The names of columns and of those beside them.
  func names(of stored: [EntityLayout.Column]) -> [String] {
    stored.flatMap { [$0.number, $0.entityNumber] }.compactMap { $0.map { columns[$0].name } }
  }

  /// The statement that inserts so many rows.
  fileprivate func insertion(
    _ columns: [EntityLayout.Column], of layout: EntityLayout, rows: Int
  ) -> String {
    insertions.withLock { kept in
      if let text = kept[layout.number]?[rows] { return text }
      let text = insertion(columns, rows: rows)
      kept[layout.number, default: [:]][rows] = text
      return text
    }
  }

  private func insertion(_ columns: [EntityLayout.Column], rows: Int) -> String {
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + names(of: columns)
    let marks = "(" + Array(repeating: "?", count: names.count).joined(separator: ",") + ")"
    // OR FAIL spares SQLite a journal for the one statement: after an error the whole transaction
    // goes.
    return "INSERT OR FAIL INTO \(name) (\(names.joined(separator: ","))) VALUES "
      + Array(repeating: marks, count: rows).joined(separator: ",")
  }

  /// The statement that updates columns of one row of a known version.
  fileprivate func updating(_ columns: [EntityLayout.Column]) -> String {
    let names = names(of: columns)
    return "UPDATE \(name) SET " + (["Z_OPT"] + names).map { "\($0) = ?" }.joined(separator: ", ")
      + " WHERE Z_PK = ? AND Z_OPT = ?"
  }
  /// The statement that updates columns of many rows of known versions, each to its next version.
  fileprivate func updating(_ columns: [EntityLayout.Column], rows: Int) -> String {
    let names = names(of: columns)
    let new = names.enumerated().map { "\($1) = new.column\($0 + 3)" }
    let marks = "(" + Array(repeating: "?", count: names.count + 2).joined(separator: ",") + ")"
    return "UPDATE OR FAIL \(name) SET " + (["Z_OPT = Z_OPT + 1"] + new).joined(separator: ", ")
      + " FROM (VALUES " + Array(repeating: marks, count: rows).joined(separator: ",")
      + ") AS new WHERE Z_PK = new.column1 AND Z_OPT = new.column2"
  }
}
