import Foundation
import SQLiteConnection

/// What one SQL transaction adds to the history of its store.
///
///     new ──first change──▶ begun ──finish──▶ done
///
/// - new: nothing is written, and nothing will be if nothing changes.
/// - begun: the transaction has its number and its row; changes are written as they come.
/// - done: the numbers handed out are written down; the commit follows.
final class HistoryRecorder {
  private unowned let transaction: Transaction
  private let history: History
  private let author: String?
  private let contextName: String?
  /// The transaction's number, once it has begun.
  private var number: Int64 = 0
  private var nextChange: Int64 = 0
  /// What deletions empty in rows that stay, which may be several properties of one row.
  private var emptied: [Row: SlotSet] = [:]
  private var latestBits: (layout: EntityLayout, slots: SlotSet, bits: [UInt8])?

  private struct Row: Hashable {
    let entity: Int
    let key: Int64
  }

  init(_ transaction: Transaction, _ history: History, author: String?, contextName: String?) {
    self.transaction = transaction
    self.history = history
    self.author = author
    self.contextName = contextName
  }

  private var connection: Connection { transaction.connection }

  // MARK: Beginning and ending

  private func begin() throws {
    if number > 0 { return }
    number = try advance(.transaction, by: 1)
    nextChange = try advance(.change, by: 0) + 1
    let insert = try connection.statement(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, "
        + "ZPROCESSIDTS, ZTIMESTAMP) VALUES (?, 16002, ?, ?, ?, ?, ?)")
    let process = ProcessInfo.processInfo.processName
    let names = [author, Bundle.main.bundleIdentifier ?? process, contextName, process]
    let keys = try names.map { try $0.map(key) }
    try insert.bind(number, at: 1)
    for (index, key) in keys.enumerated() {
      if let key { try insert.bind(key, at: Int32(index) + 2) }
    }
    try insert.bind(Scheduling.date.timeIntervalSinceReferenceDate, at: 6)
    try insert.run()
  }

  /// Writes down what is still to be told; the last thing before the commit.
  func finish() throws {
    let order = emptied.keys.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    for row in order {
      guard let layout = transaction.schema.layouts[row.entity], let slots = emptied[row] else {
        continue
      }
      try append("VALUES (?, 16001, 1, ?, ?, ?, ?)") { statement in
        try statement.bind(nextChange, at: 1)
        try statement.bind(Int64(row.entity), at: 2)
        try statement.bind(row.key, at: 3)
        try statement.bind(number, at: 4)
        try bind(layout, slots, statement, 5)
      }
    }
    guard number > 0 else { return }
    let update = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = 16001")
    try update.bind(nextChange - 1, at: 1)
    try update.run()
  }

  /// Counts a table's numbers up; the answer is the last.
  private func advance(_ table: History.Table, by count: Int64) throws -> Int64 {
    let statement = try connection.statement(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ? WHERE Z_ENT = ? RETURNING Z_MAX")
    try statement.bind(count, at: 1)
    try statement.bind(Int64(table.rawValue), at: 2)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : 0
  }

  /// The key of a name, which is kept once however many transactions have it.
  private func key(of name: String) throws -> Int64 {
    let select = try connection.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
    try select.bind(name, at: 1)
    defer { select.reset() }
    if try select.step() { return select.int64(0) }
    let key = try advance(.string, by: 1)
    let insert = try connection.statement(
      "INSERT INTO ATRANSACTIONSTRING VALUES (?, 16003, NULL, ?)")
    try insert.bind(key, at: 1)
    try insert.bind(name, at: 2)
    try insert.run()
    return key
  }

  // MARK: Changes of a save

  private static let rowsPerInsert = [64, 1]

  /// Rows were inserted.
  func insert(_ rows: some Collection<Snapshot>) throws {
    let marks = "(?, 16001, 0, ?, ?, ?)"
    try write(rows, "(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)", marks) {
      try head($0, $1, $2)
    }
  }

  /// Rows were updated.
  func update(_ updates: some Collection<Transaction.Update>) throws {
    let marks = "(?, 16001, 1, ?, ?, ?, ?)"
    try write(
      updates, "(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)", marks
    ) { update, statement, index in
      try bind(update.row.layout, update.changed, statement, head(update.row, statement, index))
    }
  }

  /// Rows were deleted that had these values.
  func delete(_ rows: some Collection<Snapshot>) throws {
    for row in rows {
      let preserved = history.numberings[row.layout.number]?.preserved ?? []
      let marks = String(repeating: ", ?", count: preserved.count)
      try append(
        "VALUES (?, 16001, 2, ?, ?, ?, NULL\(marks))", tombstones: preserved.count
      ) { statement in
        var index = try head(row, statement, 1)
        for column in preserved { index = try transaction.bind(row, column, statement, index) }
      }
    }
  }

  private func write<Change>(
    _ changes: some Collection<Change>, _ names: String, _ marks: String,
    bind: (Change, Statement, Int32) throws -> Int32
  ) throws {
    if changes.isEmpty { return }
    try begin()
    var rest = Array(changes)[...]
    for count in Self.rowsPerInsert where rest.count >= count {
      let statement = try connection.statement(
        "INSERT INTO ACHANGE \(names) VALUES "
          + Array(repeating: marks, count: count).joined(separator: ", "))
      while rest.count >= count {
        var index: Int32 = 1
        for change in rest.prefix(count) {
          index = try bind(change, statement, index)
          nextChange += 1
        }
        try statement.run()
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Binds what every change begins with; the answer is the next index.
  private func head(_ row: Snapshot, _ statement: Statement, _ index: Int32) throws -> Int32 {
    try statement.bind(nextChange, at: index)
    try statement.bind(Int64(row.layout.number), at: index + 1)
    try statement.bind(transaction.schema.row(row.key), at: index + 2)
    try statement.bind(number, at: index + 3)
    return index + 4
  }

  @discardableResult
  private func bind(
    _ layout: EntityLayout, _ slots: SlotSet, _ statement: Statement, _ index: Int32
  ) throws -> Int32 {
    var bits = latestBits.flatMap { $0.layout === layout && $0.slots == slots ? $0.bits : nil }
    if bits == nil {
      bits = history.numberings[layout.number]?.bits(of: slots) ?? []
      latestBits = (layout, slots, bits ?? [])
    }
    try (bits ?? []).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws in
      try statement.bind(bytes, at: index)
    }
    return index + 1
  }

  // MARK: Changes of a batch request

  /// Adds what a statement selects, or given values, to the changes.
  private func append(
    _ source: String, tombstones count: Int = 0, _ bind: (Statement) throws -> Void
  ) throws {
    try begin()
    let names =
      ["Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
      + history.tombstones.prefix(count)
    let statement = try connection.statement(
      "INSERT INTO ACHANGE (\(names.joined(separator: ", "))) \(source)")
    try bind(statement)
    try statement.run()
    nextChange += Int64(connection.changeCount)
  }

  /// The rows of one entity that have these keys, a statement, are updated.
  func update(_ layout: EntityLayout, keys: String, _ slots: SlotSet) throws {
    try append(
      "SELECT ? + ROW_NUMBER() OVER (ORDER BY Z_PK), 16001, 1, \(layout.number), Z_PK, ?, ? "
        + "FROM (\(keys))"
    ) { statement in
      try statement.bind(nextChange - 1, at: 1)
      try statement.bind(number, at: 2)
      try bind(layout, slots, statement, 3)
    }
  }

  /// The rows of one entity that have these keys, a statement, are about to be deleted.
  func delete(_ layout: EntityLayout, keys: String) throws {
    let preserved = history.numberings[layout.number]?.preserved ?? []
    let table = transaction.schema.table(layout)
    try append(
      "SELECT ? + ROW_NUMBER() OVER (ORDER BY Z_PK), 16001, 2, \(layout.number), Z_PK, ?, NULL"
        + preserved.map { ", \(table.name(of: $0))" }.joined()
        + " FROM \(table.name) WHERE Z_PK IN (\(keys))",
      tombstones: preserved.count
    ) { statement in
      try statement.bind(nextChange - 1, at: 1)
      try statement.bind(number, at: 2)
    }
  }

  /// A slot of rows, whose entities and keys a statement selects, is about to be emptied.
  func empty(_ slot: Int, of rows: String) throws {
    let select = try connection.statement(rows)
    defer { select.reset() }
    while try select.step() {
      let row = Row(entity: Int(select.int64(0)), key: select.int64(1))
      emptied[row, default: SlotSet()].insert(slot)
    }
  }
}

extension Transaction {
  /// From now on the store's history, if it keeps one, is told what is written.
  func record(author: String?, contextName: String?) {
    guard let history else { return }
    recorder = HistoryRecorder(self, history, author: author, contextName: contextName)
  }
}
