import Foundation
import SQLiteConnection

/// Packs the rows that one statement steps through; its first columns are entity, key and version.
///
/// A snapshot is one allocation, so each row is gone through twice: first for the length of what
/// has one, then for the values. A column's type is asked only where its value would be the same
/// for NULL.
final class RowCursor {
  private let statement: Statement
  private let table: TableSchema
  private let schema: Schema
  private let keyBase: Int64
  /// Whether the rows are of several entities.
  private let isPolymorphic: Bool
  /// The entity of the latest row.
  @exclusivity(unchecked) private var latestLayout: Unmanaged<EntityLayout>
  /// Its columns, in memory of our own because they are looked at for every value.
  @exclusivity(unchecked) private var columns: UnsafeMutableBufferPointer<Column>

  /// How one slot is read, and its text in this row: SQLite's own bytes, valid until the next step.
  private struct Column {
    let reader: TableSchema.Reader
    var text = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  init(_ statement: Statement, _ table: TableSchema, _ schema: Schema) {
    self.statement = statement
    self.table = table
    self.schema = schema
    keyBase = schema.keyBase
    isPolymorphic = table.root.isPolymorphic
    latestLayout = .passUnretained(table.root)
    tableNumber = table.root.number
    columns = Self.columns(table, table.root)
  }

  deinit { columns.deallocate() }

  private static func columns(
    _ table: TableSchema, _ layout: EntityLayout
  ) -> UnsafeMutableBufferPointer<Column> {
    let readers = table.readers[layout.number] ?? []
    let columns = UnsafeMutableBufferPointer<Column>.allocate(capacity: readers.count)
    _ = columns.initialize(from: readers.map { Column(reader: $0) })
    return columns
  }

  /// The number of the table's root entity.
  let tableNumber: Int
  /// The record's key of the row that stands ready.
  var key: Int64 { keyBase &+ statement.int64(1) }
  /// The version of the row that stands ready.
  var version: Int64 { statement.int64(2) }

  /// The row that stands ready.
  func snapshot(key: Int64, version: Int64) -> Snapshot {
    if isPolymorphic { turn(to: Int(statement.int64(0))) }
    let columns = columns
    let extent = measure(columns)
    return latestLayout._withUnsafeGuaranteedRef { layout in
      Snapshot.make(layout, key: key, version: version, extent) { writer in
        for slot in columns.indices { write(columns[slot], slot, &writer) }
      }
    }
  }

  private var layout: EntityLayout { latestLayout.takeUnretainedValue() }

  private func turn(to number: Int) {
    if number == layout.number { return }
    let layout = schema.layouts[number] ?? table.root
    latestLayout = .passUnretained(layout)
    columns.deallocate()
    columns = Self.columns(table, layout)
  }

  @inline(__always)
  private func measure(_ columns: UnsafeMutableBufferPointer<Column>) -> PackedRow.Extent {
    var extent = PackedRow.Extent()
    for slot in columns.indices {
      switch columns[slot].reader.kind {
      case .nothing, .integer, .double, .key: break
      case .unstored: extent.add(layout.slots[slot].unstored)
      case .text:
        columns[slot].text = statement.bytes(columns[slot].reader.index)
        extent.addText(columns[slot].text.count)
      case .polymorphicKey, .url, .decimal, .uuid, .data: extent.addWide()
      }
    }
    return extent
  }

  @inline(__always)
  private func write(_ column: Column, _ slot: Int, _ writer: inout PackedRow.Writer) {
    let index = column.reader.index
    switch column.reader.kind {
    case .nothing: writer.put(.null, 0, slot)
    case .unstored: writer.put(layout.slots[slot].unstored, slot)
    case .integer, .key:
      let number = statement.int64(index)
      let isKey = column.reader.kind == .key
      // No record has the key 0.
      let isNull = number == 0 && (isKey || statement.isNull(index))
      writer.put(
        isNull ? .null : isKey ? .key : .integer,
        UInt64(bitPattern: isKey ? keyBase &+ number : number), slot)
    case .double:
      let number = statement.double(index)
      let isNull = number == 0 && statement.isNull(index)
      writer.put(isNull ? .null : .double, number.bitPattern, slot)
    case .text:
      if column.text.isEmpty, statement.isNull(index) {
        writer.put(.null, 0, slot)
      } else {
        writer.put(column.text, slot)
      }
    case .polymorphicKey:
      writer.put(statement.int64(index) == 0 ? .null : wide(column.reader, slot), slot)
    case .url, .decimal, .uuid, .data:
      writer.put(statement.isNull(index) ? .null : wide(column.reader, slot), slot)
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
          key: keyBase &+ statement.int64(index)))
    case .url: return URL(string: statement.text(index)).map { .boxed(Boxed(.url($0))) } ?? .null
    case .decimal:
      return Decimal(string: statement.text(index)).map { .boxed(Boxed(.decimal($0))) } ?? .null
    case .uuid:
      return statement.withBlob(index) { bytes in
        guard bytes.count == 16 else { return .null }
        return .boxed(Boxed(.uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))))
      }
    case .data: return .data(statement.withBlob(index) { Data($0) })
    case .nothing, .unstored, .integer, .double, .text, .key: return .null
    }
  }
}

extension StoreIdentity {
  /// The identity of a destination whose store the context fills in when it makes the object.
  static let unresolved = StoreIdentity(uuid: "")
}
