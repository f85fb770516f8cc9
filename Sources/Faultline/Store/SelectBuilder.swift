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
    var conditions: [String] = []
    if plan.layout.isPolymorphic {
      let numbers =
        plan.includesSubentities ? plan.layout.family.map(\.layout.number) : [plan.layout.number]
      conditions.append("t0.Z_ENT IN (\(numbers.map(String.init).joined(separator: ",")))")
    }
    if let predicate = plan.predicate {
      let condition = writer.condition(of: predicate)
      if condition != "1" { conditions.append(condition) }
    }
    let order =
      paged
      ? plan.order.map { "t0.\(schema.column(plan.layout, $0.slot))\($0.ascending ? "" : " DESC")" }
      : []
    // The paths of the condition and the order have said by now what to join.
    var sql = "SELECT \(columns) FROM \(schema.table(plan.layout).name) t0\(writer.source.joins)"
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    if !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
    if paged, plan.limit > 0 || plan.offset > 0 {
      sql += " LIMIT \(plan.limit > 0 ? plan.limit : -1) OFFSET \(plan.offset)"
    }
    return sql
  }

  /// Binds the constants of the last `select`.
  func bind(to statement: Statement) throws { try writer.bind(to: statement) }
}
