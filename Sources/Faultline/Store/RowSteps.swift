import SQLiteConnection

/// Steps through rows whose first columns are those of a table's selection; those that the row
/// cache has are taken from there, the others are entered.
struct RowSteps {
  private let statement: Statement
  private let layout: EntityLayout
  private let cursor: RowCursor
  private var cache: WeakTable<Snapshot>.Run
  private let era: UInt64

  /// Before the first step.
  init(
    _ statement: Statement, _ layout: EntityLayout, _ schema: Schema, _ filling: CacheFilling
  ) {
    self.init(
      statement, layout, RowCursor(statement, schema.table(layout), schema), filling)
  }

  /// Before the first step of a statement whose rows a cursor packs.
  init(
    _ statement: Statement, _ layout: EntityLayout, _ cursor: RowCursor, _ filling: CacheFilling
  ) {
    self.statement = statement
    self.layout = layout
    self.cursor = cursor
    cache = WeakTable.Run(filling.cache, table: cursor.tableNumber)
    era = filling.era
  }

  /// Loads so many rows more; false if there are no others, and the statement is ready again.
  @inline(__always)
  mutating func load(
    _ count: Int, into rows: inout [LoadedRow], hearing each: () -> Void = {}
  ) throws -> Bool {
    var isThrough = true
    defer { if isThrough { statement.reset() } }
    let start = rows.count
    while try statement.step() {
      rows.append(row())
      each()
      if rows.count - start == count {
        isThrough = false
        break
      }
    }
    EngineCounters.add(.rowsFetched, rows.count - start)
    return !isThrough
  }

  /// Makes the statement ready again before its last row.
  func stop() { statement.reset() }

  /// The row that stands ready, from the cache if that has it.
  @inline(__always)
  private mutating func row() -> LoadedRow {
    let (key, version) = (cursor.key, cursor.version)
    let known = cache.member(key)
    // A newer row in the cache was committed after this read began, and stays.
    if let known, known.version >= version { return LoadedRow(known) }
    if known != nil { RowReader.tellReplaced(layout) }
    let row = cursor.snapshot(key: key, version: version)
    return LoadedRow(row, entering: cache.objects, since: era)
  }
}
