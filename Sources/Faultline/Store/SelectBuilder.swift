import Foundation
import SQLiteConnection

/// Writes the SQL of a fetch, with a placeholder for every constant.
struct SelectBuilder {
  private let plan: FetchPlan
  private let schema: Schema
  private var constants: [Value] = []
  private var tableCount = 1

  init(_ plan: FetchPlan, _ schema: Schema) {
    self.plan = plan
    self.schema = schema
  }

  /// The statement that selects these columns; `bind` must follow.
  mutating func select(_ columns: String, paged: Bool = true) -> String {
    constants = []
    let table = schema.table(plan.layout)
    var sql = "SELECT \(columns) FROM \(table.name) t0"
    var conditions: [String] = []
    if plan.layout.isPolymorphic {
      let numbers =
        plan.includesSubentities ? plan.layout.family.map(\.layout.number) : [plan.layout.number]
      conditions.append("t0.Z_ENT IN (\(numbers.map(String.init).joined(separator: ",")))")
    }
    let filter = condition(Filter(plan.predicate), plan.layout, "t0")
    if filter != "1" { conditions.append(filter) }
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    guard paged else { return sql }
    if !plan.order.isEmpty {
      sql += " ORDER BY "
      sql += plan.order.map { "t0.\(column(plan.layout, $0.slot))\($0.ascending ? "" : " DESC")" }
        .joined(separator: ", ")
    }
    if plan.limit > 0 || plan.offset > 0 {
      sql += " LIMIT \(plan.limit > 0 ? plan.limit : -1) OFFSET \(plan.offset)"
    }
    return sql
  }

  /// Binds the constants of the last `select`.
  func bind(to statement: Statement) throws {
    for (number, value) in constants.enumerated() {
      let index = Int32(number + 1)
      switch value {
      case .integer(let number): try statement.bind(number, at: index)
      case .key(let key): try statement.bind(schema.row(key), at: index)
      case .double(let number): try statement.bind(number, at: index)
      case .string(let text): try statement.bind(text, at: index)
      case .data(let data):
        try data.withUnsafeBytes { try statement.bind($0, at: index) }
      case .boxed(let box):
        switch box.content {
        case .uuid(let uuid):
          try withUnsafeBytes(of: uuid.uuid) { (bytes: UnsafeRawBufferPointer) throws in
            try statement.bind(bytes, at: index)
          }
        case .url(let url): try statement.bind(url.absoluteString, at: index)
        case .decimal(let decimal): try statement.bind("\(decimal)", at: index)
        case .opaque: try statement.bindNull(at: index)
        }
      case .null, .id, .object, .toMany: try statement.bindNull(at: index)
      }
    }
  }

  private mutating func condition(_ filter: Filter, _ layout: EntityLayout, _ table: String)
    -> String
  {
    switch filter {
    case .constant(let result): return result ? "1" : "0"
    case .and(let parts):
      return parts.isEmpty ? "1" : "(" + join(parts, " AND ", layout, table) + ")"
    case .or(let parts):
      return parts.isEmpty ? "0" : "(" + join(parts, " OR ", layout, table) + ")"
    // A comparison with null is unknown in SQL; the memory says false, and so its negation is true.
    case .not(let part): return "NOT COALESCE(\(condition(part, layout, table)), 0)"
    case .identity(let ids):
      let keys = ids.filter { !$0.isTemporaryID && $0.layout.root === layout.root }.map {
        "\(schema.row($0.key))"
      }
      return "\(table).Z_PK IN (\(keys.joined(separator: ",")))"
    case .comparison(let comparison):
      return compare(comparison, comparison.path[...], layout, table)
    }
  }

  private mutating func join(
    _ parts: [Filter], _ word: String, _ layout: EntityLayout, _ table: String
  ) -> String {
    var sql: [String] = []
    for part in parts { sql.append(condition(part, layout, table)) }
    return sql.joined(separator: word)
  }

  private mutating func compare(
    _ comparison: Filter.Comparison, _ path: ArraySlice<String>, _ layout: EntityLayout,
    _ table: String
  ) -> String {
    guard let name = path.first, let slot = layout.index[name], layout.slots[slot].isColumn else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: keypath \(comparison.path.joined(separator: ".")) not found "
          + "in entity "
          + "\(layout.name), or not stored as a column; fetch without it and filter in memory.")
    }
    let expression = "\(table).\(column(layout, slot))"
    if path.count > 1 {
      guard layout.slots[slot].kind == .toOne, let destination = layout.slots[slot].destination
      else {
        ProgrammerError.stop("NSInvalidArgumentException: \(name) is not a to-one relationship.")
      }
      // A destination that this store does not hold is in no relationship.
      guard schema.holds(destination) else { return "0" }
      let inner = "t\(tableCount)"
      tableCount += 1
      let condition = compare(comparison, path.dropFirst(), destination, inner)
      return
        "\(expression) IN (SELECT \(inner).Z_PK FROM \(schema.table(destination).name) \(inner) "
        + "WHERE \(condition))"
    }
    switch layout.slots[slot].kind {
    case .attribute(let type): return attribute(comparison, type, expression)
    case .toOne: return reference(comparison, expression)
    case .toMany: return "0"
    }
  }

  private mutating func attribute(
    _ comparison: Filter.Comparison, _ type: NSAttributeType, _ column: String
  ) -> String {
    if comparison.comparisonOperator == .within {
      let values = comparison.constants.compactMap { Value($0, type: type) }
      return
        "\(folded(column, comparison)) IN "
        + "(\(values.map { mark($0, comparison) }.joined(separator: ",")))"
    }
    guard let constant = Value(comparison.constant, type: type) else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: the constant compared with "
          + "\(comparison.path.joined(separator: ".")) "
          + "does not fit the attribute's type.")
    }
    let left = folded(column, comparison)
    switch comparison.comparisonOperator {
    case .equal:
      return constant.isNull ? "\(column) IS NULL" : "\(left) = \(mark(constant, comparison))"
    case .notEqual:
      return constant.isNull ? "\(column) IS NOT NULL" : "\(left) <> \(mark(constant, comparison))"
    case .less: return "\(left) < \(mark(constant, comparison))"
    case .lessOrEqual: return "\(left) <= \(mark(constant, comparison))"
    case .greater: return "\(left) > \(mark(constant, comparison))"
    case .greaterOrEqual: return "\(left) >= \(mark(constant, comparison))"
    case .beginsWith, .contains, .endsWith, .like: return glob(comparison, constant, left)
    case .matches:
      ProgrammerError.stop(
        "NSInvalidArgumentException: MATCHES on \(comparison.path.joined(separator: ".")): this "
          + "version evaluates regular expressions in memory only; fetch without it and filter.")
    case .within: return "0"
    }
  }

  private mutating func glob(_ comparison: Filter.Comparison, _ constant: Value, _ left: String)
    -> String
  {
    guard case .string(let text) = constant else { return "0" }
    // GLOB, unlike LIKE, respects case; its special characters are put in brackets.
    let literal = text.map { "*?[".contains($0) ? "[\($0)]" : String($0) }.joined()
    let wild = text.map { $0 == "[" ? "[[]" : String($0) }.joined()
    let pattern: String
    switch comparison.comparisonOperator {
    case .beginsWith: pattern = literal + "*"
    case .endsWith: pattern = "*" + literal
    case .contains: pattern = "*" + literal + "*"
    default: pattern = wild
    }
    return "\(left) GLOB \(mark(.string(pattern), comparison))"
  }

  private mutating func reference(_ comparison: Filter.Comparison, _ column: String) -> String {
    let keys = comparison.constants.compactMap { constant -> Int64? in
      switch constant.flattened {
      case let object as NSManagedObject: return schema.row(object.objectID.key)
      case let id as NSManagedObjectID: return schema.row(id.key)
      default: return nil
      }
    }
    switch comparison.comparisonOperator {
    case .within: return "\(column) IN (\(keys.map(String.init).joined(separator: ",")))"
    case .notEqual: return keys.first.map { "\(column) IS NOT \($0)" } ?? "\(column) IS NOT NULL"
    default: return keys.first.map { "\(column) = \($0)" } ?? "\(column) IS NULL"
    }
  }

  private mutating func mark(_ value: Value, _ comparison: Filter.Comparison) -> String {
    constants.append(value)
    return comparison.ignoresCase ? "LOWER(?)" : "?"
  }

  private func folded(_ column: String, _ comparison: Filter.Comparison) -> String {
    comparison.ignoresCase ? "LOWER(\(column))" : column
  }

  private func column(_ layout: EntityLayout, _ slot: Int) -> String {
    let table = schema.table(layout)
    guard let number = table.columnOfSlot[layout.number]?[slot], number >= 0 else {
      ProgrammerError.impossible("slot \(slot) of \(layout.name) has no column")
    }
    return table.columns[number].name
  }
}
