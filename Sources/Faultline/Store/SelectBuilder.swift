import SQLiteConnection

/// Writes the SQL of a fetch, with a placeholder for every constant.
struct SelectBuilder {
  private let plan: FetchPlan
  private let schema: Schema
  private var writer: PredicateWriter

  init(_ plan: FetchPlan, _ schema: Schema) {
    self.plan = plan
    self.schema = schema
    writer = PredicateWriter(plan.layout, schema)
  }

  /// The statement that selects these columns; `bind` must follow.
  mutating func select(_ columns: String, paged: Bool = true) -> String {
    select(columns, paged: paged) { _ in "" }
  }

  /// A column of a projection that names records.
  struct RecordColumn {
    /// The entity, or the parent of it.
    let layout: EntityLayout
    /// The column of the entity's number, if there can be several.
    let entityColumn: Int32?
  }

  /// The statement that selects the columns of a projection, and which of them name records;
  /// `bind` must follow.
  mutating func select(_ projection: FetchProjection) -> (sql: String, records: [RecordColumn?]) {
    writer.isGrouped = true
    writer.isBesideRows = projection.groups.isEmpty && mixesRows(projection)
    var columns: [String] = []
    var entities: [String] = []
    var records: [RecordColumn?] = []
    for column in projection.columns {
      let value = writer.value(column.expression)
      columns.append(value.text)
      guard case .record(let layout) = value.kind else {
        records.append(nil)
        continue
      }
      let place = Int32(projection.columns.count + entities.count)
      records.append(
        RecordColumn(layout: layout, entityColumn: layout.isPolymorphic ? place : nil))
      guard layout.isPolymorphic else { continue }
      entities.append(
        "(SELECT Z_ENT FROM \(schema.table(layout).name) WHERE Z_PK = \(value.text))")
    }
    (writer.isGrouped, writer.isBesideRows) = (false, false)
    let list = (columns + entities).joined(separator: ", ")
    let sql = select((projection.isDistinct ? "DISTINCT " : "") + list, paged: true) { writer in
      if projection.groups.isEmpty { return "" }
      let groups = projection.groups.map { writer.value($0).text }
      writer.isGrouped = true
      defer { writer.isGrouped = false }
      return " GROUP BY " + groups.joined(separator: ", ")
        + (projection.having.map { " HAVING " + writer.condition(of: $0) } ?? "")
    }
    return (sql, records)
  }

  /// Whether some columns are functions over all rows, and others values of each.
  private func mixesRows(_ projection: FetchProjection) -> Bool {
    var writer = writer
    var isOverRows: Set<Bool> = []
    for column in projection.columns {
      if case .constant = column.expression.node { continue }
      let before = writer.rowFunctionCount
      _ = writer.value(column.expression)
      isOverRows.insert(writer.rowFunctionCount > before)
    }
    return isOverRows.count > 1
  }

  private mutating func select(
    _ columns: String, paged: Bool, _ grouping: (inout PredicateWriter) -> String
  ) -> String {
    var rest = condition()
    rest += grouping(&writer)
    if paged {
      for (index, term) in plan.order.enumerated() {
        rest += index == 0 ? " ORDER BY " : ", "
        rest += writer.order(term)
      }
      if plan.limit > 0 || plan.offset > 0 {
        rest += " LIMIT "
        rest += String(plan.limit > 0 ? plan.limit : -1)
        rest += " OFFSET "
        rest += String(plan.offset)
      }
    }
    // The paths of the columns, the condition and the order have said by now what to join.
    let (table, joins) = (schema.table(plan.layout).name, writer.source.joins)
    var sql = "SELECT "
    sql.reserveCapacity(
      [columns, table, joins, rest].reduce("SELECT  FROM  t0".utf8.count) { $0 + $1.utf8.count })
    sql += columns
    sql += " FROM "
    sql += table
    sql += " t0"
    sql += joins
    sql += rest
    return sql
  }

  /// What stands from `WHERE` on; empty if every record of the table will do.
  private mutating func condition() -> String {
    var text = ""
    if plan.layout.isPolymorphic {
      let numbers =
        plan.includesSubentities ? plan.layout.family.map(\.layout.number) : [plan.layout.number]
      text = " WHERE t0.Z_ENT IN (\(numbers.map(String.init).joined(separator: ",")))"
    }
    if let predicate = plan.predicate {
      let condition = writer.condition(of: predicate)
      if condition != "1" {
        text += text.isEmpty ? " WHERE " : " AND "
        text += condition
      }
    }
    return text
  }

  /// An expression of the record that a statement writes to; one that needs other records, or is
  /// of another type than the attribute, stops.
  mutating func computed(_ expression: NSExpression, for slot: Int) -> String {
    let value = writer.value(expression).exact
    guard writer.source.joins.isEmpty else {
      writer.refuse(
        "a batch update computes from attributes of the record itself, not with \(expression)")
    }
    guard case .attribute(let type) = plan.layout.slots[slot].kind else { return value.text }
    switch (SQLValue.Kind(type), value.kind) {
    case (.number, .number), (.real, .number), (.text, .text), (.data, .data), (.uuid, .uuid),
      (_, .unknown):
      return value.text
    default:
      writer.refuse("\(expression) is of another type than \(plan.layout.slots[slot].name)")
    }
  }

  /// The number of the last placeholder that was written.
  var constantCount: Int { writer.constantCount }

  /// The `WHERE` of a statement that writes to the table of the plan's records, there named `t0`;
  /// `bind` must follow.
  mutating func restriction() -> String {
    if plan.limit == 0, plan.offset == 0 {
      let condition = condition()
      if writer.source.joins.isEmpty { return condition }
    }
    return " WHERE t0.Z_PK IN (\(select("t0.Z_PK")))"
  }

  /// Binds the constants of the last `select`.
  func bind(to statement: Statement) throws { try writer.bind(to: statement) }
}
