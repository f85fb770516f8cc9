import Foundation

/// The SQL that turns the tables of one version of a model into those of another.
///
/// Rows keep their keys and versions. A table that stays exactly as it was is not touched; any
/// other is put aside under another name, made anew and filled from what was put aside. All of it
/// belongs into one transaction.
struct MigrationScript {
  /// Where tables are put aside.
  static let asidePrefix = "Z_ASIDE_"

  private let destination: Schema
  private let kept: Set<String>
  private let columns: MigrationColumns
  /// The tables of the source that are put aside.
  let aside: [String]

  init(from source: Schema, to destination: Schema, by mapping: NSMappingModel) {
    self.destination = destination
    var columns = MigrationColumns(source, destination, mapping)
    let tables = destination.tables.values.filter(columns.isUntouched)
    let joins = destination.joins.filter(columns.isUntouched)
    let kept = Set(tables.map(\.name) + joins.map(\.name))
    aside = (source.tables.values.map(\.name) + source.joins.map(\.name))
      .filter { !kept.contains($0) }.sorted()
    columns.aside = Set(aside)
    self.kept = kept
    self.columns = columns
  }

  /// The statements that make tables, other than those that stay.
  var creation: [String] {
    destination.tables.values.filter { !kept.contains($0.name) }.map(\.creation).sorted()
      + destination.joins.filter { !kept.contains($0.name) }.compactMap(\.creation.first)
  }

  /// The statements that fill the new tables.
  var filling: [String] {
    let tables = destination.tables.values.filter { !kept.contains($0.name) }
      .sorted { $0.name < $1.name }
    let joins = destination.joins.filter { !kept.contains($0.name) }
    return tables.flatMap(columns.filling) + joins.flatMap(columns.filling)
  }

  /// Selects a row that lacks what has become mandatory, for each such property; with its name.
  var mandatory: [MigrationColumns.Mandatory] {
    columns.mandatory
  }

  /// The statements that enter entities and the highest keys, as read before, into the table of
  /// primary keys.
  func primaryKeys(_ highest: [Int: Int64]) -> [String] {
    // Entities with higher numbers are the engine's own.
    ["DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16000"] + destination.primaryKeys
      + destination.tables.values.sorted { $0.name < $1.name }.map { table in
        let former = table.root.family.compactMap { columns.origin(of: $0.layout)?.rootNumber }
        let key = former.compactMap { highest[$0] }.max() ?? 0
        return "UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_ENT = \(table.root.number)"
      }
  }

  /// The numbers of the entities in the source, by those of what they become.
  var numbers: [(old: Int, new: Int)] {
    destination.layouts.values.compactMap { layout in
      columns.origin(of: layout).map { ($0.number, layout.number) }
    }
  }

  /// What an entity of the destination comes from.
  func origin(of layout: EntityLayout) -> EntityLayout? { columns.origin(of: layout) }

  /// The slots of an entity of the destination, and those of the source that they come from.
  func slots(of layout: EntityLayout) -> [Int: Int] { columns.slots(of: layout) }
}

/// Where the columns of the new tables come from.
struct MigrationColumns {
  private let source: Schema
  private let destination: Schema
  /// The tables of the source that have other names while the new ones are filled.
  fileprivate(set) var aside: Set<String> = []
  /// What each entity of the destination comes from, by its number.
  private var origins: [Int: (layout: EntityLayout, slots: [Int: Int])] = [:]
  /// What each entity of the source becomes, by its number.
  private var heirs: [Int: EntityLayout] = [:]

  init(_ source: Schema, _ destination: Schema, _ mapping: NSMappingModel) {
    self.source = source
    self.destination = destination
    let former = Dictionary(
      source.layouts.values.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    for layout in destination.layouts.values where destination.holds(layout) {
      guard let entity = mapping.mapping(to: layout.name),
        let origin = former[entity.sourceEntityName ?? ""], source.holds(origin)
      else { continue }
      var slots: [Int: Int] = [:]
      for (name, old) in entity.sources {
        guard let new = layout.index[name], let slot = origin.index[old] else { continue }
        slots[new] = slot
        // The elements of a composite keep their names.
        for element in layout.slots.indices
        where layout.slots[element].name.hasPrefix(name + ".") {
          slots[element] = origin.index[old + layout.slots[element].name.dropFirst(name.count)]
        }
      }
      origins[layout.number] = (origin, slots)
      heirs[origin.number] = layout
    }
  }

  /// What an entity comes from.
  func origin(of layout: EntityLayout) -> EntityLayout? { origins[layout.number]?.layout }

  /// The slots of an entity, and those that they come from.
  func slots(of layout: EntityLayout) -> [Int: Int] { origins[layout.number]?.slots ?? [:] }

  private func name(_ table: String) -> String {
    aside.contains(table) ? MigrationScript.asidePrefix + table : table
  }

  // MARK: Tables

  /// Whether a table stays exactly as it was.
  func isUntouched(_ table: TableSchema) -> Bool {
    guard let former = source.tables.values.first(where: { $0.name == table.name }),
      former.creation == table.creation,
      former.root.family.map(\.layout).allSatisfy({
        keepsNumber($0) && heirs[$0.number]?.rootNumber == table.root.number
      })
    else { return false }
    return table.root.family.allSatisfy { member in
      guard let origin = origins[member.layout.number]?.layout else { return true }
      return former.root.number == origin.rootNumber
        && columns(of: member.layout, in: table).allSatisfy { $0.expression == "s.\($0.name)" }
    }
  }

  /// Whether what an entity of the source becomes has the same number.
  private func keepsNumber(_ layout: EntityLayout) -> Bool {
    heirs[layout.number]?.number == layout.number
  }

  /// Whether the table that an entity's rows are in stays exactly as it was.
  private func isUntouched(_ layout: EntityLayout) -> Bool {
    destination.tables[layout.rootNumber].map(isUntouched) ?? false
  }

  /// The statements that fill a table, one for each entity that had rows.
  func filling(_ table: TableSchema) -> [String] {
    table.root.family.compactMap { member in
      guard let origin = origins[member.layout.number]?.layout else { return nil }
      let columns = columns(of: member.layout, in: table)
      let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)
      let values = ["s.Z_PK", "\(member.layout.number)", "s.Z_OPT"] + columns.map(\.expression)
      return "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) "
        + "FROM \(name(source.table(origin).name)) s WHERE s.Z_ENT = \(origin.number)"
    }
  }

  private func columns(
    of layout: EntityLayout, in table: TableSchema
  ) -> [(name: String, expression: String)] {
    layout.columns(in: table).flatMap { column -> [(String, String)] in
      let slot = layout.slots[column.slot]
      guard slot.kind == .toOne else {
        return [(table.name(of: column), attribute(layout, column.slot))]
      }
      let expressions = [key(layout, column.slot), entity(layout, column.slot)]
      var found = Array(zip(table.names(of: [column]), expressions))
      if slot.isInOrderedInverse {
        let position = OrderColumn.name(String(table.name(of: column).dropFirst()))
        found.append((position, self.position(layout, column.slot)))
      }
      return found
    }
  }

  private func former(
    _ layout: EntityLayout, _ slot: Int
  ) -> (layout: EntityLayout, slot: Int, column: String)? {
    guard let origin = origins[layout.number], let old = origin.slots[slot],
      origin.layout.slots[old].isColumn
    else { return nil }
    return (origin.layout, old, "s." + source.column(origin.layout, slot: old))
  }

  private func attribute(_ layout: EntityLayout, _ slot: Int) -> String {
    let new = layout.slots[slot]
    guard let former = former(layout, slot) else { return new.initial.literal }
    let old = former.layout.slots[former.slot]
    let column = NumberConversion.expression(former.column, from: old.kind, to: new.kind)
    return !new.isOptional && old.isOptional && !new.initial.isNull
      ? "COALESCE(\(column), \(new.initial.literal))" : column
  }

  // MARK: To-one relationships

  /// The entities that the destinations of a slot of the source could be of.
  private func family(_ layout: EntityLayout, _ slot: Int) -> [EntityLayout] {
    layout.slots[slot].destination.family.map(\.layout)
  }

  private func key(_ layout: EntityLayout, _ slot: Int) -> String {
    guard let former = former(layout, slot) else { return "NULL" }
    return guarded(former, former.column)
  }

  /// An expression that is null where the record that a key leads to is not taken over.
  private func guarded(
    _ former: (layout: EntityLayout, slot: Int, column: String), _ expression: String
  ) -> String {
    let family = family(former.layout, former.slot)
    let going = family.filter { heirs[$0.number] == nil }
    if going.isEmpty { return expression }
    if going.count == family.count { return "NULL" }
    let numbers = going.map { "\($0.number)" }.joined(separator: ", ")
    return "CASE WHEN \(former.column) NOT IN (SELECT g.Z_PK FROM "
      + "\(name(source.table(family[0]).name)) g WHERE g.Z_ENT IN (\(numbers))) "
      + "THEN \(expression) END"
  }

  private func entity(_ layout: EntityLayout, _ slot: Int) -> String {
    guard let former = former(layout, slot) else { return "NULL" }
    let table = source.table(former.layout)
    let family = family(former.layout, former.slot)
    let number = table.columnOfSlot[former.layout.number]?[former.slot] ?? -1
    guard let column = table.entityColumn[number].map({ "s." + table.columns[$0].name }) else {
      guard let heir = heirs[family[0].number] else { return "NULL" }
      return "CASE WHEN \(former.column) IS NOT NULL THEN \(heir.number) END"
    }
    let pairs = family.compactMap { old in heirs[old.number].map { (old.number, $0.number) } }
    if pairs.count == family.count, pairs.allSatisfy(==) { return column }
    if pairs.isEmpty { return "NULL" }
    return "CASE \(column) " + pairs.map { "WHEN \($0) THEN \($1) " }.joined() + "END"
  }

  private func position(_ layout: EntityLayout, _ slot: Int) -> String {
    guard let former = former(layout, slot), former.layout.slots[former.slot].isInOrderedInverse
    else { return "NULL" }
    return "s." + OrderColumn.name(String(former.column.dropFirst(3)))
  }

  // MARK: Join tables

  /// Whether a join table stays exactly as it was.
  func isUntouched(_ join: JoinSchema) -> Bool {
    let ends = ends(of: join)
    let owners = ends.filter { JoinSchema($0.layout, slot: $0.slot)?.isWriter == true }
    guard source.joins.contains(where: { $0.name == join.name && $0.creation == join.creation }),
      ends.allSatisfy({ end in isUntouched(end.layout) && keepsNumber(end.layout) })
    else { return false }
    return owners.allSatisfy { end in
      guard let origin = origins[end.layout.number], let old = origin.slots[end.slot] else {
        return false
      }
      return JoinSchema(origin.layout, slot: old) == JoinSchema(end.layout, slot: end.slot)
        && isUntouched(end.layout.slots[end.slot].destination)
        && family(origin.layout, old).allSatisfy(keepsNumber)
    }
  }

  /// The slots that a join table keeps, of every entity that has them.
  private func ends(of join: JoinSchema) -> [(layout: EntityLayout, slot: Int)] {
    destination.layouts.values.sorted { $0.number < $1.number }.filter(destination.holds).flatMap {
      layout in
      layout.relationshipSlots.filter { JoinSchema(layout, slot: $0)?.name == join.name }
        .map { (layout, $0) }
    }
  }

  /// The statements that fill a join table, from whichever end is known.
  func filling(_ join: JoinSchema) -> [String] {
    let statements = ends(of: join).compactMap { end -> String? in
      guard let own = JoinSchema(end.layout, slot: end.slot),
        let origin = origins[end.layout.number], let old = origin.slots[end.slot],
        // A key of what goes would be that of somebody else.
        family(origin.layout, old).contains(where: { heirs[$0.number] != nil })
      else { return nil }
      let pairs = Pairs(origin.layout, old, source, name)
      var columns = [(own.source, pairs.owner), (own.destination, pairs.member)]
      if let order = own.order { columns.append((order, pairs.position)) }
      if let order = own.backOrder { columns.append((order, pairs.backPosition)) }
      return "INSERT OR IGNORE INTO \(own.name) (\(columns.map(\.0).joined(separator: ", "))) "
        + "SELECT \(columns.map(\.1).joined(separator: ", ")) \(pairs.from)"
    }
    return statements + cleaning(join, ends(of: join).first)
  }

  private func cleaning(
    _ join: JoinSchema, _ end: (layout: EntityLayout, slot: Int)?
  ) -> [String] {
    guard let end, let own = JoinSchema(end.layout, slot: end.slot) else { return [] }
    let targets = [
      (own.source, end.layout), (own.destination, end.layout.slots[end.slot].destination!),
    ]
    return targets.filter { destination.holds($0.1) }.map { column, layout in
      "DELETE FROM \(own.name) WHERE \(column) NOT IN "
        + "(SELECT Z_PK FROM \(destination.table(layout).name))"
    }
  }

  // MARK: Mandatory properties

  /// A property, and the query that finds a row without a value for it.
  typealias Mandatory = (place: (entity: String, property: String), query: String)

  /// Selects a row that lacks what has become mandatory, for each such property; with its name.
  var mandatory: [MigrationColumns.Mandatory] {
    destination.layouts.values.sorted { $0.number < $1.number }.flatMap { layout in
      guard origins[layout.number] != nil else { return [Mandatory]() }
      let table = destination.table(layout)
      return layout.columns(in: table).compactMap { column in
        let slot = layout.slots[column.slot]
        if slot.isOptional { return nil }
        let former = former(layout, column.slot)
        if let former, !former.layout.slots[former.slot].isOptional { return nil }
        return (
          (layout.name, slot.name),
          "SELECT 1 FROM \(table.name) WHERE Z_ENT = \(layout.number) "
            + "AND \(table.name(of: column)) IS NULL LIMIT 1"
        )
      }
    }
  }
}

/// The pairs of owner and member that a relationship of the source has, wherever it keeps them.
private struct Pairs {
  let owner: String
  let member: String
  let position: String
  let backPosition: String
  let from: String

  init(_ layout: EntityLayout, _ number: Int, _ schema: Schema, _ name: (String) -> String) {
    let slot = layout.slots[number]
    let table = name(schema.table(layout).name)
    if slot.kind == .toOne {
      owner = "s.Z_PK"
      member = "s." + schema.column(layout, slot: number)
      position = "NULL"
      backPosition =
        slot.isInOrderedInverse ? "s." + OrderColumn.name(String(member.dropFirst(3))) : "NULL"
      from = "FROM \(table) s WHERE s.Z_ENT = \(layout.number) AND \(member) IS NOT NULL"
    } else if let join = JoinSchema(layout, slot: number) {
      owner = "j." + join.source
      member = "j." + join.destination
      position = join.order.map { "j." + $0 } ?? "NULL"
      backPosition = join.backOrder.map { "j." + $0 } ?? "NULL"
      from =
        "FROM \(name(join.name)) j JOIN \(table) s ON s.Z_PK = \(owner) "
        + "WHERE s.Z_ENT = \(layout.number)"
    } else {
      let column = OrderColumn(layout, slot: number, schema)
      owner = "f." + column.owner
      member = "f.Z_PK"
      position = slot.isOrdered ? "f." + column.position : "NULL"
      backPosition = "NULL"
      from =
        "FROM \(name(column.table)) f JOIN \(table) s ON s.Z_PK = \(owner) "
        + "WHERE s.Z_ENT = \(layout.number)"
    }
  }
}

extension Value {
  /// The value as SQL says it.
  fileprivate var literal: String {
    func bytes(_ data: some Sequence<UInt8>) -> String {
      "X'" + data.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() + "'"
    }
    switch self {
    case .null, .key, .id, .object, .toMany: return "NULL"
    case .integer(let number): return "\(number)"
    case .double(let number): return number.isFinite ? "\(number)" : number > 0 ? "9e999" : "-9e999"
    case .string(let text): return "CAST(\(bytes(text.utf8)) AS TEXT)"
    case .data(let data): return bytes(data)
    case .boxed(let box):
      switch box.content {
      case .uuid(let uuid): return withUnsafeBytes(of: uuid.uuid) { bytes($0) }
      case .url(let url): return Value.string(url.absoluteString).literal
      case .decimal(let decimal): return Value.string("\(decimal)").literal
      case .opaque(let opaque): return opaque.encoded.map { bytes($0) } ?? "NULL"
      }
    }
  }
}
