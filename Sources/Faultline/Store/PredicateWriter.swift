import Foundation
import SQLiteConnection

/// Writes predicates and expressions as SQL, with a numbered placeholder for every constant.
///
/// `Evaluation` says what they mean; this says the same to SQLite. A comparison with null is
/// unknown there and counts as false, so whatever turns a condition round asks for its truth first.
/// What a store cannot evaluate stops, when it is written and not when the predicate is made.
struct PredicateWriter {
  /// The tables.
  let schema: Schema
  /// The table of the records that the query is about.
  let source: SQLSource
  /// Whether functions such as `sum:` go over the rows of a group, as in the columns and the
  /// `HAVING` of a query with dictionaries for its result.
  var isGrouped = false
  /// Whether such a function is one value beside each row, because other columns are of the rows.
  var isBesideRows = false
  /// How many functions over rows were written.
  var rowFunctionCount = 0
  /// What the variables of the subqueries around stand for.
  var variables: [String: SQLSource] = [:]
  private var constants: [Operand] = []
  private var tableCount = 1
  /// The predicate that is being written, for the sentences of stops.
  private var whole: NSPredicate?

  init(_ layout: EntityLayout, _ schema: Schema) {
    self.schema = schema
    source = SQLSource(layout, alias: "t0")
  }

  /// A condition for `WHERE` or `HAVING`.
  mutating func condition(of predicate: NSPredicate) -> String {
    whole = predicate
    return condition(predicate)
  }

  /// Binds the constants of everything that was written.
  func bind(to statement: Statement) throws {
    for (number, constant) in constants.enumerated() {
      let index = Int32(number + 1)
      switch constant {
      case .integer(let number): try statement.bind(number, at: index)
      case .double(let number): try statement.bind(number, at: index)
      case .text(let text): try statement.bind(text, at: index)
      case .data(let data): try data.withUnsafeBytes { try statement.bind($0, at: index) }
      case .null, .record, .list, .other: try statement.bindNull(at: index)
      }
    }
  }

  /// The number of the last placeholder.
  var constantCount: Int { constants.count }

  /// A placeholder for a constant.
  mutating func mark(_ constant: Operand) -> String {
    constants.append(constant)
    return "?\(constants.count)"
  }

  /// A name for a table that the query has not had.
  mutating func newAlias() -> String {
    defer { tableCount += 1 }
    return "t\(tableCount)"
  }

  /// Stops for what a store cannot evaluate.
  func refuse(_ reason: String) -> Never {
    ProgrammerError.stop(
      "NSInvalidArgumentException: \(reason)"
        + (whole.map { " (in the predicate \(PredicateText.text($0)))" } ?? "") + ".")
  }

  // MARK: Conditions

  /// A condition, which may be unknown where it is not satisfied.
  mutating func condition(_ predicate: NSPredicate) -> String {
    switch predicate {
    case let comparison as NSComparisonPredicate: return condition(comparison)
    case let compound as NSCompoundPredicate: return condition(compound)
    default:
      switch PredicateText.text(predicate) {
      case "TRUEPREDICATE": return "1"
      case "FALSEPREDICATE": return "0"
      default:
        refuse(
          "Problem with predicate \(PredicateText.text(predicate)): a store cannot run a block; "
            + "write the condition with NSPredicate(format:)")
      }
    }
  }

  private mutating func condition(_ compound: NSCompoundPredicate) -> String {
    var parts: [String] = []
    for part in compound.subpredicates { parts.append(condition(part)) }
    switch compound.compoundPredicateType {
    case .and: return parts.isEmpty ? "1" : "(" + parts.joined(separator: " AND ") + ")"
    case .or: return parts.isEmpty ? "0" : "(" + parts.joined(separator: " OR ") + ")"
    case .not: return "NOT " + Self.truth(of: parts.first ?? "1")
    }
  }

  /// Whether a condition is satisfied, never unknown.
  static func truth(of condition: String) -> String { "COALESCE(\(condition), 0)" }

  // MARK: Paths

  /// What a path of names leads to from a table.
  mutating func reach(_ names: ArraySlice<String>, from start: SQLSource) -> SQLPath {
    var source = start
    var names = names
    while let name = names.popFirst() {
      if name == "self" || name == "SELF" { continue }
      guard let slot = source.layout.slot(name, &names), !source.layout.slots[slot].isTransient
      else {
        return .value(special(name, names, source))
      }
      switch source.layout.slots[slot].kind {
      case .attribute(let type):
        if !names.isEmpty { unreachable(name, names, source.layout) }
        guard let kind = SQLValue.Kind(type) else {
          return .value(SQLValue(text: source.column(slot, schema), kind: .data))
        }
        return .value(SQLValue(text: source.column(slot, schema), kind: kind))
      case .toOne:
        let destination = source.layout.slots[slot].destination!
        // A destination that this store does not hold is in no relationship.
        if !schema.holds(destination) { return .value(SQLValue(text: "NULL", kind: .unknown)) }
        if names.isEmpty || names == ["self"] || names == ["objectID"] {
          return .value(SQLValue(text: source.column(slot, schema), kind: .record(destination)))
        }
        source = source.destination(slot, schema) { newAlias() }
      case .toMany: return .many(collection(source, slot), rest: names)
      }
    }
    return .value(SQLValue(text: source.key, kind: .record(source.layout)))
  }

  /// What a name leads to that is no property with a place in the store.
  private func special(
    _ name: String, _ rest: ArraySlice<String>, _ source: SQLSource
  ) -> SQLValue {
    if source.layout.index[name] == nil {
      switch (name, rest) {
      case ("objectID", []): return SQLValue(text: source.key, kind: .record(source.layout))
      case ("entity", []): return SQLValue(text: "\(source.alias).Z_ENT", kind: .entity)
      case ("entity", ["name"]):
        return SQLValue(
          text: "(SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = \(source.alias).Z_ENT)", kind: .text
        )
      default: break
      }
    }
    unreachable(name, rest, source.layout)
  }

  private func unreachable(
    _ name: String, _ rest: ArraySlice<String>, _ layout: EntityLayout
  ) -> Never {
    refuse(
      "keypath \(([name] + rest).joined(separator: ".")) not found in entity \(layout.name), or "
        + "not stored as a column; fetch without it and filter in memory")
  }

  // MARK: Order

  /// One criterion of an order, for `ORDER BY`.
  mutating func order(_ term: SortTerm) -> String {
    var source = source
    for slot in term.slots.dropLast() {
      guard schema.holds(source.layout.slots[slot].destination) else { return "NULL" }
      source = source.destination(slot, schema) { newAlias() }
    }
    let slot = term.slots[term.slots.count - 1]
    var text = source.column(slot, schema)
    if term.comparison != .plain, case .attribute(let type) = source.layout.slots[slot].kind,
      case .text? = SQLValue.Kind(type)
    {
      text += " COLLATE \(PredicateFunctions.collation(term.comparison))"
    }
    return term.ascending ? text : text + " DESC"
  }

  private mutating func collection(_ owner: SQLSource, _ slot: Int) -> SQLCollection {
    let destination = owner.layout.slots[slot].destination!
    let source = SQLSource(destination, alias: newAlias())
    guard schema.holds(destination) else {
      return SQLCollection(
        source: source, from: "(SELECT NULL AS Z_PK) \(source.alias)", conditions: ["0"])
    }
    let table = "\(schema.table(destination).name) \(source.alias)"
    guard let join = JoinSchema(owner.layout, slot: slot) else {
      let inverse = schema.column(destination, slot: owner.layout.slots[slot].inverse ?? 0)
      return SQLCollection(
        source: source, from: table, conditions: ["\(source.alias).\(inverse) = \(owner.key)"])
    }
    let pairs = newAlias()
    return SQLCollection(
      source: source,
      from: "\(join.name) \(pairs) JOIN \(table) ON \(source.key) = \(pairs).\(join.destination)",
      conditions: ["\(pairs).\(join.source) = \(owner.key)"])
  }
}
