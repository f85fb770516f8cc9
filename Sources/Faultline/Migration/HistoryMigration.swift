import SQLiteConnection

/// What is told in a store's history, in the words of the next version of the model.
///
/// A change names its entity by number, and properties by bits in the order of their names; what
/// outlived a deleted record stands in columns in that order. All of that is translated; changes of
/// records whose entity goes are forgotten.
struct HistoryMigration {
  let source: Schema
  let destination: Schema
  let script: MigrationScript

  /// Translates the history of a store, if it has one.
  func run(_ connection: Connection) throws {
    guard try History.exists(connection) else { return }
    let numbers = script.numbers
    let known = numbers.map { "\($0.old)" }.joined(separator: ", ")
    try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY NOT IN (\(known))")
    for (old, new) in numbers {
      guard let former = source.layouts[old], let layout = destination.layouts[new] else {
        continue
      }
      let names = History.Numbering(former, source)
      let newNames = History.Numbering(layout, destination)
      try translateProperties(connection, old, names, newNames, script.slots(of: layout))
      try translateTombstones(connection, old, names, newNames, script.slots(of: layout))
    }
    let cases = numbers.map { "WHEN \($0.old) THEN \($0.new) " }.joined()
    if !cases.isEmpty {
      try connection.execute("UPDATE ACHANGE SET ZENTITY = CASE ZENTITY \(cases)END")
    }
  }

  private func translateProperties(
    _ connection: Connection, _ entity: Int, _ old: History.Numbering, _ new: History.Numbering,
    _ origins: [Int: Int]
  ) throws {
    let select = try connection.statement(
      "SELECT DISTINCT ZCOLUMNS FROM ACHANGE WHERE ZENTITY = ? AND ZCOLUMNS IS NOT NULL")
    try select.bind(Int64(entity), at: 1)
    var texts: [[UInt8]] = []
    while try select.step() { texts.append(select.withBlob(0) { Array($0) }) }
    select.reset()
    // All at once, because one's translation may be another's original.
    let pairs = texts.map { bits -> ([UInt8], [UInt8]) in
      let slots = Set(bits.withUnsafeBytes { old.slots(in: $0) } ?? [])
      var changed = SlotSet()
      for (slot, origin) in origins where slots.contains(origin) { changed.insert(slot) }
      return (bits, new.bits(of: changed))
    }
    if pairs.allSatisfy({ $0 == $1 }) { return }
    func literal(_ bytes: [UInt8]) -> String {
      "X'" + bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() + "'"
    }
    let cases = pairs.map { "WHEN \(literal($0)) THEN \(literal($1)) " }.joined()
    try connection.execute(
      "UPDATE ACHANGE SET ZCOLUMNS = CASE ZCOLUMNS \(cases)END WHERE ZENTITY = \(entity) "
        + "AND ZCOLUMNS IS NOT NULL")
  }

  private func translateTombstones(
    _ connection: Connection, _ entity: Int, _ old: History.Numbering, _ new: History.Numbering,
    _ origins: [Int: Int]
  ) throws {
    let columns = new.preserved.map { column in
      old.preserved.firstIndex { $0.slot == origins[column.slot] }
    }
    try History.moveTombstones(
      of: entity, from: old.preserved.count, to: columns, connection)
  }
}
