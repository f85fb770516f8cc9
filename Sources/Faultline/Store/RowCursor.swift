import Foundation
import SQLiteConnection

/// Packs the rows that one statement steps through; its first columns are key, entity and version.
///
/// A snapshot is one allocation, so each row is gone through twice: first for the length of what has
/// one, then for the values. A column's type is asked only where its value would be the same for
/// NULL.
struct RowCursor {
  private let statement: Statement
  private let table: TableSchema
  private let schema: Schema
  /// The entity of the latest row, and how its slots are read.
  private var layout: EntityLayout
  private var columns: ContiguousArray<TableSchema.Reader>
  /// The texts of the row by slot: SQLite's own bytes, valid until the next step.
  private var texts: ContiguousArray<UnsafeRawBufferPointer> = []

  init(_ statement: Statement, _ table: TableSchema, _ schema: Schema) {
    self.statement = statement
    self.table = table
    self.schema = schema
    layout = table.root
    columns = []
    turn(to: table.root)
  }

  /// The key of the row that stands ready.
  var key: Int64 { statement.int64(0) }
  /// The version of the row that stands ready.
  var version: Int64 { statement.int64(2) }

  private mutating func turn(to layout: EntityLayout) {
    self.layout = layout
    columns = table.readers[layout.number] ?? []
    texts = ContiguousArray(
      repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: columns.count)
  }

  /// The row that stands ready.
  mutating func snapshot(key: Int64, version: Int64) -> Snapshot {
    if table.root.isPolymorphic {
      let number = Int(statement.int64(1))
      if number != layout.number { turn(to: schema.layouts[number] ?? table.root) }
    }
    let extent = measure()
    return Snapshot.make(layout, key: key, version: version, extent) { writer in
      for slot in columns.indices { write(slot, &writer) }
    }
  }

  private mutating func measure() -> PackedRow.Extent {
    var extent = PackedRow.Extent()
    for slot in columns.indices {
      switch columns[slot].kind {
      case .nothing, .integer, .double, .key: break
      case .text:
        texts[slot] = statement.bytes(columns[slot].index)
        extent.addText(texts[slot].count)
      case .polymorphicKey, .url, .decimal, .uuid, .data: extent.addWide()
      }
    }
    return extent
  }

  @inline(__always)
  private func write(_ slot: Int, _ writer: inout PackedRow.Writer) {
    let reader = columns[slot]
    let index = reader.index
    switch reader.kind {
    case .nothing: writer.put(.null, 0, slot)
    case .integer, .key:
      let number = statement.int64(index)
      let isNull = number == 0 && statement.isNull(index)
      let tag: PackedRow.Tag = reader.kind == .key ? .key : .integer
      writer.put(isNull ? .null : tag, UInt64(bitPattern: number), slot)
    case .double:
      let number = statement.double(index)
      let isNull = number == 0 && statement.isNull(index)
      writer.put(isNull ? .null : .double, number.bitPattern, slot)
    case .text:
      if texts[slot].isEmpty, statement.isNull(index) {
        writer.put(.null, 0, slot)
      } else {
        writer.put(texts[slot], slot)
      }
    case .polymorphicKey, .url, .decimal, .uuid, .data:
      writer.put(statement.isNull(index) ? .null : wide(reader, slot), slot)
    }
  }

  private func wide(_ reader: TableSchema.Reader, _ slot: Int) -> Value {
    let index = reader.index
    switch reader.kind {
    case .polymorphicKey:
      let number = Int(statement.int64(reader.entityIndex))
      return .id(
        NSManagedObjectID(
          layout: schema.layouts[number] ?? layout.slots[slot].destination, store: .unresolved,
          key: statement.int64(index)))
    case .url: return URL(string: statement.text(index)).map { .boxed(Boxed(.url($0))) } ?? .null
    case .decimal:
      return Decimal(string: statement.text(index)).map { .boxed(Boxed(.decimal($0))) } ?? .null
    case .uuid:
      return statement.withBlob(index) { bytes in
        guard bytes.count == 16 else { return .null }
        return .boxed(Boxed(.uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))))
      }
    case .data: return .data(statement.withBlob(index) { Data($0) })
    case .nothing, .integer, .double, .text, .key: return .null
    }
  }
}

extension StoreIdentity {
  /// The identity of a destination whose store the context fills in when it makes the object.
  static let unresolved = StoreIdentity(uuid: "")
}

extension TableSchema {
  /// The columns of a whole row: key, entity, version, then the table's own.
  var selection: String {
    (["t0.Z_PK", "t0.Z_ENT", "t0.Z_OPT"] + columns.map { "t0.\($0.name)" }).joined(separator: ", ")
  }
}
