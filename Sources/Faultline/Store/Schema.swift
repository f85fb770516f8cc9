import Foundation
import SQLiteConnection

/// How the records of one hierarchy of entities lie in their table, as Core Data lays them out.
///
/// `Z<ENTITY>` of the root entity has `Z_PK`, `Z_ENT` (which entity), `Z_OPT` (the version), one
/// column for each attribute and to-one relationship of any entity of the hierarchy.
final class TableSchema: Sendable {
  /// One column.
  struct Column: Sendable {
    let name: String
    let declaration: String
  }

  /// The root entity, which keeps the table.
  unowned let root: EntityLayout
  /// The table's name.
  let name: String
  /// All columns after `Z_PK, Z_ENT, Z_OPT`.
  let columns: [Column]
  /// For each entity number, the column of each slot; -1 for a slot that is no column.
  let columnOfSlot: [Int: [Int]]
  /// The column that names the entity of a to-one destination, by the column of its key.
  let entityColumn: [Int: Int]
  /// For each entity number, how each slot is read from a whole row.
  let readers: [Int: ContiguousArray<Reader>]
  /// The columns of a whole row: key, entity, version, then the table's own.
  let selection: String
  /// The statements that insert rows, by the entity's number and how many rows; each is long, and
  /// one entity's saves take the same few.
  let insertions = Lock<[Int: [Int: String]]>([:])

  /// How one slot is read: small and flat, because it is looked at for every value of every row.
  struct Reader: Sendable {
    /// What is read, and into which kind of value.
    enum Kind: Sendable {
      case nothing, unstored, integer, double, text, key, polymorphicKey, url, decimal, uuid, data
    }

    /// How the slot is read.
    let kind: Kind
    /// The column's index in the selection of a whole row.
    let index: Int32
    /// The index of the column that names the destination's entity.
    let entityIndex: Int32
  }

  /// Which column each stored property has; of two that would have the same name, in entities
  /// beside each other, the second has the first number behind its name that makes it another one.
  init(_ root: EntityLayout) {
    self.root = root
    name = "Z" + root.name.uppercased()
    var columns: [Column] = []
    var entityColumn: [Int: Int] = [:]
    var numbers: [Slot.Identity: Int] = [:]
    var names: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    let stored = root.family.flatMap { family in family.layout.slots.filter(\.isColumn) }
    for slot in stored.sorted(by: Self.precedes) where numbers[slot.id] == nil {
      var own = Self.columns(slot, slot.columnName)
      var number = 0
      while own.contains(where: { names.contains($0.name) }) {
        number += 1
        own = Self.columns(slot, "\(slot.columnName)\(number)")
      }
      names.formUnion(own.map(\.name))
      numbers[slot.id] = columns.count
      if slot.hasEntityColumn { entityColumn[columns.count] = columns.count + 1 }
      columns += own
    }
    self.columns = columns
    self.entityColumn = entityColumn
    // Where all rows are of one entity its number need not be read from each.
    let entity = root.isPolymorphic ? "t0.Z_ENT" : "0"
    selection = ([entity, "t0.Z_PK", "t0.Z_OPT"] + columns.map { "t0.\($0.name)" })
      .joined(separator: ", ")
    columnOfSlot = Dictionary(
      uniqueKeysWithValues: root.family.map { family in
        (family.layout.number, family.layout.slots.map { numbers[$0.id] ?? -1 })
      })
    readers = Dictionary(
      uniqueKeysWithValues: root.family.map { family in
        (
          family.layout.number,
          ContiguousArray(
            family.layout.slots.map { Self.reader($0, column: numbers[$0.id], entityColumn) })
        )
      })
  }

  /// The columns of a property: its own, that of a destination's entity, that of its position.
  private static func columns(_ slot: Slot, _ name: String) -> [Column] {
    var columns = [Column(name: "Z" + name, declaration: type(slot))]
    if slot.hasEntityColumn {
      columns.append(Column(name: "Z\(slot.destination.number)_" + name, declaration: "INTEGER"))
    }
    if slot.isInOrderedInverse {
      columns.append(Column(name: OrderColumn.name(name), declaration: "INTEGER"))
    }
    return columns
  }

  /// The first columns of a whole row are its entity, its key and its version.
  private static let headColumns: Int32 = 3

  private static func reader(_ slot: Slot, column: Int?, _ entityColumn: [Int: Int]) -> Reader {
    guard let column else {
      return Reader(kind: slot.unstored.isNull ? .nothing : .unstored, index: 0, entityIndex: 0)
    }
    let entity = entityColumn[column]
    return Reader(
      kind: kind(slot, isPolymorphic: entity != nil), index: Int32(column) + headColumns,
      entityIndex: Int32(entity ?? 0) + headColumns)
  }

  private static func kind(_ slot: Slot, isPolymorphic: Bool) -> Reader.Kind {
    guard case .attribute(let type) = slot.kind else {
      return isPolymorphic ? .polymorphicKey : .key
    }
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .booleanAttributeType:
      return .integer
    case .doubleAttributeType, .floatAttributeType, .dateAttributeType: return .double
    case .stringAttributeType: return .text
    case .URIAttributeType: return .url
    case .decimalAttributeType: return .decimal
    case .UUIDAttributeType: return .uuid
    case .binaryDataAttributeType, .transformableAttributeType, .undefinedAttributeType,
      .objectIDAttributeType, .compositeAttributeType:
      return .data
    }
  }

  /// Core Data groups columns by type: integers, keys, numbers and dates, decimals, text, bytes; by
  /// name in a group.
  private static func precedes(_ left: Slot, _ right: Slot) -> Bool {
    (rank(left), left.name) < (rank(right), right.name)
  }

  private static func rank(_ slot: Slot) -> Int {
    if slot.kind == .toOne { return 1 }
    switch type(slot) {
    case "INTEGER": return 0
    case "FLOAT", "TIMESTAMP": return 2
    case "DECIMAL": return 3
    case "VARCHAR": return 4
    default: return 5
    }
  }

  private static func type(_ slot: Slot) -> String {
    guard case .attribute(let type) = slot.kind else { return "INTEGER" }
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .booleanAttributeType:
      return "INTEGER"
    case .doubleAttributeType, .floatAttributeType: return "FLOAT"
    case .dateAttributeType: return "TIMESTAMP"
    case .decimalAttributeType: return "DECIMAL"
    case .stringAttributeType, .URIAttributeType: return "VARCHAR"
    case .binaryDataAttributeType, .transformableAttributeType, .UUIDAttributeType,
      .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType:
      return "BLOB"
    }
  }

  /// The statement that makes the table.
  var creation: String {
    let list = columns.map { "\($0.name) \($0.declaration)" }
    return "CREATE TABLE \(name) ( "
      + (["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + list)
      .joined(separator: ", ") + " )"
  }

  /// The statements that index the keys of to-one relationships, and the entities if there are
  /// several.
  var indexes: [String] {
    let keys = Set(
      root.family.flatMap { family in
        zip(family.layout.slots, columnOfSlot[family.layout.number] ?? [])
          .filter { $0.kind == .toOne && $1 >= 0 }.map { columns[$1].name }
      })
    return (keys.sorted() + (root.isPolymorphic ? ["Z_ENT"] : [])).map {
      "CREATE INDEX \(name)_\($0)_INDEX ON \(name) (\($0))"
    }
  }
}

extension EntityLayout {
  /// The table of a root entity's hierarchy; every store of the model has the same.
  fileprivate var table: TableSchema {
    tableStorage.withLock { kept in
      if let table = kept as? TableSchema { return table }
      let table = TableSchema(self)
      kept = table
      return table
    }
  }
}

extension Slot {
  /// Whether a column beside the key names the entity of the destination.
  fileprivate var hasEntityColumn: Bool { kind == .toOne && destination.hasHeirs }
}

/// The table of a many-to-many relationship, or of a to-many relationship without inverse.
///
/// Both ends share one table: `Z_<number><NAME>` of the end whose entity and name come first.
struct JoinSchema: Sendable, Hashable {
  /// The table's name.
  let name: String
  /// The column of this end's keys.
  let source: String
  /// The column of the other end's keys.
  let destination: String
  /// Whether this end is the one that writes the rows, so that a link is written once.
  let isWriter: Bool
  /// Whether the relationship is its own inverse, so that a link is two rows, one for each side.
  let isReflexive: Bool
  /// The column of the positions of the other end's objects, if they have an order here.
  let order: String?
  /// The column of the positions of this end's objects at the other end.
  let backOrder: String?

  /// The join of a slot, or nil if the membership is kept by the other end's to-one column.
  init?(_ layout: EntityLayout, slot number: Int) {
    let slot = layout.slots[number]
    guard slot.kind == .toMany, !slot.isTransient, let other = slot.destination else { return nil }
    let declaring = Self.declaring(layout, slot.name)
    let mine = "Z_\(declaring.number)\(slot.name.uppercased())"
    guard let inverse = slot.inverse else {
      self.init(
        name: mine, source: "Z_\(declaring.number)SOURCE",
        destination: "Z_\(other.number)DESTINATION",
        isWriter: true, isOrdered: slot.isOrdered, isOrderedBack: false)
      return
    }
    guard other.slots[inverse].kind == .toMany else { return nil }
    let partner = Self.declaring(other, other.slots[inverse].name)
    let back = other.slots[inverse].name
    let isFirst = (declaring.name, slot.name) <= (partner.name, back)
    let source = "Z_\(declaring.number)\(back.uppercased())"
    let destination = "Z_\(partner.number)\(slot.name.uppercased())"
    let isReflexive = destination == source
    self.init(
      name: isFirst ? mine : "Z_\(partner.number)\(back.uppercased())", source: source,
      destination: isReflexive ? "REFLEXIVE" : destination, isWriter: isFirst,
      isReflexive: isReflexive, isOrdered: slot.isOrdered,
      isOrderedBack: other.slots[inverse].isOrdered)
  }

  private init(
    name: String, source: String, destination: String, isWriter: Bool, isReflexive: Bool = false,
    isOrdered: Bool, isOrderedBack: Bool
  ) {
    self.name = name
    self.source = source
    self.destination = destination
    self.isWriter = isWriter
    self.isReflexive = isReflexive
    order = isOrdered ? OrderColumn.name(beside: destination) : nil
    backOrder = isOrderedBack ? OrderColumn.name(beside: source) : nil
  }

  private static func declaring(_ layout: EntityLayout, _ name: String) -> EntityLayout {
    guard let parent = layout.entity.superentity?.layout, parent.index[name] != nil else {
      return layout
    }
    return declaring(parent, name)
  }

  /// The statements that make the table, and the index for the way back.
  var creation: [String] {
    [
      "CREATE TABLE \(name) ( \(source) INTEGER, \(destination) INTEGER, "
        + [order, backOrder].compactMap { $0.map { "\($0) INTEGER, " } }.joined()
        + "PRIMARY KEY (\(source), \(destination)) )",
      "CREATE INDEX \(name)_\(destination)_INDEX ON \(name) (\(destination), \(source))",
    ]
  }
}

/// The whole schema of a store; an object, because every read hands it on and a structure's parts
/// would be counted each time.
final class Schema: @unchecked Sendable {
  /// The table of each root entity, by its number.
  let tables: [Int: TableSchema]
  /// Every entity by number.
  let layouts: [Int: EntityLayout]
  /// The model, which owns the layouts.
  let model: NSManagedObjectModel
  /// The version hashes of the entities that the store holds, by name.
  let hashes: [String: Data]
  /// What the keys of this store's records have above the keys of their rows.
  let keyBase: Int64

  /// Makes the schema of a store that holds these entities of a model.
  init(_ model: NSManagedObjectModel, _ entities: [NSEntityDescription]) {
    self.model = model
    let all = model.entities.map(\.layout)
    layouts = Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0) })
    let roots = Set(entities.map(\.layout.rootNumber))
    tables = Dictionary(
      uniqueKeysWithValues: all.filter { $0.root === $0 && roots.contains($0.number) }
        .map { ($0.number, $0.table) })
    hashes = Dictionary(uniqueKeysWithValues: entities.map { ($0.name ?? "", $0.versionHash) })
    keyBase = 0
  }

  /// The same schema, of a store with another number.
  init(_ other: Schema, keyBase: Int64) {
    tables = other.tables
    layouts = other.layouts
    model = other.model
    hashes = other.hashes
    self.keyBase = keyBase
  }

  /// Whether the store has a table for an entity's rows.
  func holds(_ layout: EntityLayout) -> Bool { tables[layout.rootNumber] != nil }

  /// The key of a record's row, or one that no row has if the record is not this store's.
  func row(_ key: Int64) -> Int64 {
    RecordKey.store(key) == RecordKey.store(keyBase) ? RecordKey.row(key) : -1
  }

  /// The table that holds an entity's rows.
  func table(_ layout: EntityLayout) -> TableSchema {
    guard let table = tables[layout.rootNumber] else {
      ProgrammerError.impossible("no table for entity \(layout.name)")
    }
    return table
  }

  /// The name of the column that a slot has.
  func column(_ layout: EntityLayout, slot: Int) -> String {
    let table = table(layout)
    guard let number = table.columnOfSlot[layout.number]?[slot], number >= 0 else {
      ProgrammerError.impossible("slot \(slot) of \(layout.name) has no column")
    }
    return table.columns[number].name
  }

  /// The joins of the entities that the store holds, in order of their entities.
  var joins: [JoinSchema] {
    var seen = Set<String>()
    return layouts.values.sorted { $0.number < $1.number }.flatMap { layout in
      layout.relationshipSlots.filter { holds(layout) || holds(layout.slots[$0].destination) }
        .compactMap { JoinSchema(layout, slot: $0) }
    }.filter { $0.isWriter && seen.insert($0.name).inserted }
  }

  /// The statements that make the tables of records, and their indexes.
  var recordTables: [String] {
    let roots = tables.values.sorted { $0.name < $1.name }
    return roots.map(\.creation) + roots.flatMap(\.indexes) + joins.flatMap(\.creation)
  }

  /// The statements that enter the entities into the table of primary keys.
  var primaryKeys: [String] {
    layouts.values.filter(holds).sorted { $0.number < $1.number }.map { layout in
      let parent = layout.entity.superentity?.layout.number ?? 0
      let name = layout.name.replacing("'", with: "''")
      return "INSERT INTO Z_PRIMARYKEY VALUES (\(layout.number), '\(name)', \(parent), 0)"
    }
  }

  /// The statements that make a new store.
  var creation: [String] {
    recordTables + [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
        + "Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ] + primaryKeys
  }
}

extension Schema {
  /// Writes the model into the store, so that whoever migrates it finds it there.
  func cacheModel(on connection: Connection) throws {
    try connection.statement("DELETE FROM Z_MODELCACHE").run()
    let insert = try connection.statement("INSERT INTO Z_MODELCACHE VALUES (?)")
    try ModelArchive.data(model).withUnsafeBytes { try insert.bind($0, at: 1) }
    try insert.run()
  }

  /// The model that was written into a store; nil if there is none that can be read.
  static func cachedModel(on connection: Connection) throws -> NSManagedObjectModel? {
    let statement = try connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE")
    defer { statement.reset() }
    return try statement.step() ? ModelArchive.model(statement.withBlob(0) { Data($0) }) : nil
  }
}
