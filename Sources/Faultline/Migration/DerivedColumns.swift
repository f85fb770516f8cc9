import Foundation
import SQLiteConnection

/// Fills the columns of derived attributes with what the new version of the model makes of rows.
///
/// A save computes what it writes, but nobody saves the rows that a migration takes over: their
/// derived attributes may be new, be derived otherwise, or look at what has changed. Each is
/// evaluated as a save would do it, and not by SQL, so that the next save finds the same. Only what
/// tells the time of the last save stays, if it told that before.
struct DerivedColumns {
  let schema: Schema
  let script: MigrationScript

  /// Computes the values of all rows, in tables that are filled already.
  func fill(_ connection: Connection) throws {
    for number in script.numbers.map(\.new).sorted() {
      guard let layout = schema.layouts[number] else { continue }
      for derivation in layout.derivations
      where layout.slots[derivation.slot].isColumn && !tellsLastSave(derivation, of: layout) {
        try fill(derivation, of: layout, connection)
      }
    }
  }

  private func tellsLastSave(_ derivation: Derivation, of layout: EntityLayout) -> Bool {
    guard derivation.readsClock, let former = script.slots(of: layout)[derivation.slot] else {
      return false
    }
    return script.origin(of: layout)?.derivations.contains {
      $0.slot == former && $0.isSame(as: derivation)
    } ?? false
  }

  private func fill(
    _ derivation: Derivation, of layout: EntityLayout, _ connection: Connection
  ) throws {
    let table = schema.table(layout).name
    let select = try connection.statement("SELECT Z_PK FROM \(table) WHERE Z_ENT = ?")
    try select.bind(Int64(layout.number), at: 1)
    var keys: [Int64] = []
    while try select.step() { keys.append(select.int64(0)) }
    select.reset()
    let records = Records(reader: RowReader(connection, schema))
    let update = try connection.statement(
      "UPDATE \(table) SET \(schema.column(layout, slot: derivation.slot)) = ? WHERE Z_PK = ?")
    for key in keys {
      let record = StoredRecord(layout, key, records)
      let value = derivation.value(of: record)
      if let failure = records.failure { throw failure }
      if record.value(derivation.slot) == value { continue }
      try update.bind(attribute: value, at: 1)
      try update.bind(key, at: 2)
      try update.run()
    }
  }
}

/// Where records without a context are read, and the first error of doing so: whoever evaluates an
/// expression cannot throw.
private final class Records {
  let reader: RowReader
  private(set) var failure: (any Error)?

  init(reader: RowReader) { self.reader = reader }

  func read<T>(_ body: (RowReader) throws -> T) -> T? {
    do { return try body(reader) } catch {
      failure = failure ?? error
      return nil
    }
  }
}

/// A record that expressions can look at, read from its row when somebody does.
private final class StoredRecord: NSObject, PredicateValue, PredicateSubject {
  private let expected: EntityLayout
  private let key: Int64
  private let records: Records
  private lazy var row = records.read { try $0.row(expected, key: key) } ?? nil

  /// A record of an entity, or of one that inherits from it.
  init(_ expected: EntityLayout, _ key: Int64, _ records: Records) {
    self.expected = expected
    self.key = key
    self.records = records
    super.init()
  }

  /// What a slot holds.
  func value(_ slot: Int) -> Value { row?[slot] ?? .null }

  /// The record, which equals whatever stands for the same row.
  var operand: Operand { .record(NSNumber(value: key), self) }

  func operand(forKey name: String, before rest: ArraySlice<String>) -> Operand {
    guard let row else { return .null }
    let layout = row.layout
    guard let number = layout.index[name] else {
      return name == "entity" ? layout.entity.operand : .null
    }
    let slot = layout.slots[number]
    switch slot.kind {
    case .attribute(.compositeAttributeType):
      return Operand(
        layout.compositeValue(number) { element in
          guard case .attribute(let type) = layout.slots[element].kind else { return nil }
          return layout.slots[element].any(row[element], type)
        })
    case .attribute(.transformableAttributeType):
      return Operand(slot.any(row[number], .transformableAttributeType))
    case .attribute: return Operand(row[number])
    case .toOne:
      guard let key = row[number].referenceKey, records.reader.schema.holds(slot.destination) else {
        return slot.destination.leadsToMany(rest) ? .list([]) : .null
      }
      return StoredRecord(slot.destination, key, records).operand
    case .toMany:
      if slot.isTransient { return .list([]) }
      let members = records.read { try $0.members(layout, key: key, slot: number) } ?? []
      return .list(members.map { StoredRecord($0.layout, $0.key, records).operand })
    }
  }
}
