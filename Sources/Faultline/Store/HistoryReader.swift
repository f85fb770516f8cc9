import Foundation
import SQLiteConnection

/// Reads and deletes the history of one store.
struct HistoryReader {
  let connection: Connection
  let database: Database
  let history: History

  /// Where a fetch of history begins.
  enum Start {
    /// After a transaction; 0 is the place before the first that the store ever had.
    case number(Int64)
    /// After a moment.
    case date(Date)
  }

  /// The transactions after a start, or all that there are, in order; of each its changes, if they
  /// are asked for.
  ///
  /// - Throws: 134301 if some of them were deleted.
  func transactions(
    after start: Start?, withChanges: Bool
  ) throws -> [NSPersistentHistoryTransaction] {
    var condition = "t.Z_PK > ?"
    if case .date = start { condition = "t.ZTIMESTAMP > ?" }
    if case .number(let number) = start {
      let isReached = try History.newestDeleted(connection) <= number
      guard try isReached && number <= History.newest(connection) else {
        throw StoreError.expiredToken(database.url)
      }
    }
    let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
    let statement = try connection.statement(
      "SELECT t.Z_PK, t.ZTIMESTAMP"
        + names.map {
          ", IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\($0)TS), t.\($0))"
        }
        .joined() + " FROM ATRANSACTION t WHERE \(condition) ORDER BY t.Z_PK")
    switch start {
    case .number(let number): try statement.bind(number, at: 1)
    case .date(let date): try statement.bind(date.timeIntervalSinceReferenceDate, at: 1)
    case nil: try statement.bind(Int64(0), at: 1)
    }
    defer { statement.reset() }
    var found: [NSPersistentHistoryTransaction] = []
    while try statement.step() {
      found.append(
        NSPersistentHistoryTransaction(
          number: statement.int64(0),
          timestamp: Date(timeIntervalSinceReferenceDate: statement.double(1)),
          storeID: database.identity.uuid, author: text(statement, 2),
          bundleID: text(statement, 3) ?? "", contextName: text(statement, 4),
          processID: text(statement, 5) ?? ""))
    }
    if withChanges { try addChanges(to: found) }
    return found
  }

  private func text(_ statement: Statement, _ column: Int32) -> String? {
    statement.isNull(column) ? nil : statement.text(column)
  }

  private func addChanges(to transactions: [NSPersistentHistoryTransaction]) throws {
    guard let first = transactions.first else { return }
    let kept = try history.kept(connection, database.schema)
    let statement = try connection.statement(
      "SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS"
        + kept.columns.map { ", \($0)" }.joined()
        + " FROM ACHANGE WHERE ZTRANSACTIONID >= ? ORDER BY ZTRANSACTIONID, Z_PK")
    try statement.bind(first.transactionNumber, at: 1)
    defer { statement.reset() }
    var rest = transactions[...]
    var changes: [NSPersistentHistoryChange] = []
    while try statement.step() {
      let number = statement.int64(1)
      while let transaction = rest.first, transaction.transactionNumber < number {
        transaction.take(changes)
        changes = []
        rest.removeFirst()
      }
      // One of a transaction that was left out, because the clock had been set back.
      guard rest.first?.transactionNumber == number else { continue }
      if let change = change(statement, kept) { changes.append(change) }
    }
    for transaction in rest {
      transaction.take(changes)
      changes = []
    }
  }

  private func change(
    _ statement: Statement, _ kept: History.Kept
  ) -> NSPersistentHistoryChange? {
    guard let layout = database.schema.layouts[Int(statement.int64(3))],
      let numbering = history.numberings[layout.number],
      let type = NSPersistentHistoryChangeType(rawValue: Int(statement.int64(2)))
    else { return nil }
    let id = NSManagedObjectID(
      layout: layout, store: database.identity, key: database.identity.keyBase + statement.int64(4))
    let slots = type == .update ? statement.withBlob(5) { numbering.slots(in: $0) } : nil
    var tombstone: [String: Any] = [:]
    if type == .delete {
      for (index, column) in numbering.preserved.enumerated() {
        guard let place = kept.column(index, of: layout.number) else { continue }
        let value = value(column.slot, layout, statement, 6 + Int32(place))
        tombstone[layout.slots[column.slot].name] = value
      }
    }
    return NSPersistentHistoryChange(
      changeID: statement.int64(0), changedObjectID: id, changeType: type,
      updatedProperties: slots.map { Set($0.map { layout.slots[$0].property }) },
      tombstone: type == .delete && !numbering.preserved.isEmpty ? tombstone : nil)
  }

  /// A value that outlived its record.
  private func value(
    _ slot: Int, _ layout: EntityLayout, _ statement: Statement, _ column: Int32
  ) -> Any? {
    guard !statement.isNull(column), case .attribute(let type) = layout.slots[slot].kind,
      let reader = database.schema.table(layout).readers[layout.number]?[slot]
    else { return nil }
    let value: Value =
      switch reader.kind {
      case .integer: .integer(statement.int64(column))
      case .double: .double(statement.double(column))
      case .text: .string(statement.text(column))
      case .data: .data(statement.withBlob(column) { Data($0) })
      case .url: URL(string: statement.text(column)).map { .boxed(Boxed(.url($0))) } ?? .null
      case .decimal:
        Decimal(string: statement.text(column)).map { .boxed(Boxed(.decimal($0))) } ?? .null
      case .uuid:
        statement.withBlob(column) { bytes in
          bytes.count == 16
            ? .boxed(Boxed(.uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))))) : .null
        }
      case .nothing, .unstored, .key, .polymorphicKey: .null
      }
    return layout.slots[slot].any(value, type)
  }

  /// Deletes the transactions before an end; the answer is how many they were.
  ///
  /// Those before a moment are deleted up to the first that is not.
  func delete(before end: Start) throws -> Int {
    var number: Int64
    switch end {
    case .number(let given): number = given
    case .date(let date):
      let select = try connection.statement(
        "SELECT IFNULL((SELECT MIN(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP >= ?), "
          + "(SELECT Z_MAX + 1 FROM Z_PRIMARYKEY WHERE Z_ENT = 16002))")
      try select.bind(date.timeIntervalSinceReferenceDate, at: 1)
      number = try select.step() ? select.int64(0) : 0
      select.reset()
    }
    // The newest number stays the newest, whatever somebody asks for.
    number = min(number, try History.newest(connection) + 1)
    let columns = [("ACHANGE", "ZTRANSACTIONID"), ("ATRANSACTION", "Z_PK")]
    for (table, column) in columns {
      let delete = try connection.statement("DELETE FROM \(table) WHERE \(column) < ?")
      try delete.bind(number, at: 1)
      try delete.run()
    }
    return connection.changeCount
  }
}

extension Database {
  /// Reads the history; nil if the store keeps none.
  func readHistory<T>(_ body: (HistoryReader) throws -> T) throws -> T? {
    guard let history else { return nil }
    Scheduling.touch(.allRows)
    return try read { connection in
      // Nobody may purge between two looks. The connection may be in a transaction already.
      try connection.statement("SAVEPOINT history").run()
      defer { try? connection.statement("RELEASE history").run() }
      return try body(HistoryReader(connection: connection, database: self, history: history))
    }
  }
}
