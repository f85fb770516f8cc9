/// A table of a query that key paths start from, and the tables that they lead through.
///
/// A to-one relationship is a `LEFT JOIN`, once for all paths that go through it: a path that ends
/// early leads to NULL, as it leads to nil in memory.
final class SQLSource {
  /// The name of the table in the query.
  let alias: String
  /// The entity of its rows.
  let layout: EntityLayout
  /// The tables that a query names behind this one.
  var joins: String { joinList.text }

  private final class JoinList { var text = "" }
  private let joinList: JoinList
  private var destinations: [Int: SQLSource] = [:]

  /// A table that a query begins with.
  convenience init(_ layout: EntityLayout, alias: String) {
    self.init(layout, alias: alias, joinList: JoinList())
  }

  private init(_ layout: EntityLayout, alias: String, joinList: JoinList) {
    self.layout = layout
    self.alias = alias
    self.joinList = joinList
  }

  /// The key of a row.
  var key: String { "\(alias).Z_PK" }

  /// The column of a slot.
  func column(_ slot: Int, _ schema: Schema) -> String {
    "\(alias).\(schema.column(layout, slot: slot))"
  }

  /// The table at the other end of a to-one relationship.
  func destination(_ slot: Int, _ schema: Schema, alias name: () -> String) -> SQLSource {
    if let known = destinations[slot] { return known }
    let destination = layout.slots[slot].destination!
    let made = SQLSource(destination, alias: name(), joinList: joinList)
    joinList.text +=
      " LEFT JOIN \(schema.table(destination).name) \(made.alias) ON \(made.key) = "
      + column(slot, schema)
    destinations[slot] = made
    return made
  }
}

/// What a key path leads to in SQL.
enum SQLPath {
  /// One value.
  case value(SQLValue)
  /// The records of a to-many relationship, and the names that are left of the path.
  case many(SQLCollection, rest: ArraySlice<String>)
}

/// The records of a to-many relationship, one row each.
struct SQLCollection {
  /// The table of the records.
  let source: SQLSource
  /// What stands behind `FROM`, without what paths from the records lead through.
  let from: String
  /// What leaves only the records that belong to the owner, or satisfy more.
  var conditions: [String]

  /// Everything behind what is selected; call it when the paths from the records are written.
  var tail: String {
    "FROM \(from)\(source.joins) WHERE \(conditions.joined(separator: " AND "))"
  }
}

/// A value in SQL, and as what it can be compared.
struct SQLValue {
  /// The kinds of values.
  enum Kind {
    case number
    /// A number of a column that may keep it as a whole one, which divides as whole numbers do.
    case real
    case text
    case data
    case uuid
    /// A record of a hierarchy of entities, by its key.
    case record(EntityLayout)
    /// Which entity a record is of, by its number.
    case entity
    /// Whatever it is compared with.
    case unknown
  }

  /// The SQL.
  let text: String
  /// What it is.
  let kind: Kind

  /// The value for functions, to which whole and other numbers are not the same.
  var exact: SQLValue {
    guard case .real = kind else { return self }
    return SQLValue(text: "CAST(\(text) AS REAL)", kind: .number)
  }
}

extension SQLValue.Kind {
  /// The kind of an attribute's values; nil if a store cannot compare them.
  init?(_ type: NSAttributeType) {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
      self = .number
    case .decimalAttributeType, .dateAttributeType: self = .real
    case .stringAttributeType, .URIAttributeType: self = .text
    case .binaryDataAttributeType: self = .data
    case .UUIDAttributeType: self = .uuid
    case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
      .compositeAttributeType:
      return nil
    }
  }
}
