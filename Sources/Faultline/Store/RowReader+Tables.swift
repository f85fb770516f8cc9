import Foundation
import SQLiteConnection

/// Rows that are no records: the columns of a projection.
extension RowReader {
  /// The rows of a projection, in order; a record is an id whose store nobody has filled in yet.
  func table(_ plan: FetchPlan, _ projection: FetchProjection) throws -> [[Value]] {
    var query = SelectBuilder(plan, schema)
    let (sql, records) = query.select(projection)
    let statement = try connection.statement(sql)
    try query.bind(to: statement)
    defer { statement.reset() }
    var rows: [[Value]] = []
    while try statement.step() {
      rows.append(
        records.enumerated().map { index, record in
          guard let record else { return value(statement, Int32(index)) }
          return id(statement, Int32(index), record)
        })
    }
    return rows
  }

  private func value(_ statement: Statement, _ column: Int32) -> Value {
    switch statement.columnType(column) {
    case .integer: .integer(statement.int64(column))
    case .float: .double(statement.double(column))
    case .text: .string(statement.text(column))
    case .blob: .data(statement.withBlob(column) { Data($0) })
    case .null: .null
    }
  }

  private func id(
    _ statement: Statement, _ column: Int32, _ record: SelectBuilder.RecordColumn
  ) -> Value {
    if statement.isNull(column) { return .null }
    let layout =
      record.entityColumn.flatMap { schema.layouts[Int(statement.int64($0))] } ?? record.layout
    return .id(
      NSManagedObjectID(
        layout: layout, store: .unresolved, key: schema.keyBase + statement.int64(column)))
  }
}
