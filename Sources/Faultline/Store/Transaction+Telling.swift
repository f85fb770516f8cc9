import SQLiteConnection

/// What a controlled scheduler is told of a transaction; without one nothing here does anything.
extension Transaction {
  /// A row is about to be written.
  @inline(__always)
  func reachRow(_ update: Update) {
    if Scheduling.hook != nil { tell(update.row, update.changed) }
  }

  /// Rows of one entity are about to be written by one statement.
  @inline(__always)
  func reachRows(_ updates: ArraySlice<Update>) {
    if Scheduling.hook != nil { for update in updates { tell(update.row, update.changed) } }
  }

  /// Rows of one entity are about to be inserted by one statement.
  @inline(__always)
  func reachRows(_ rows: ArraySlice<Snapshot>) {
    if Scheduling.hook != nil { for row in rows { tell(row, nil) } }
  }

  /// A row is about to be written, of a row that was there the slots that changed.
  private func tell(_ row: Snapshot, _ changed: SlotSet?) {
    tell(
      row.layout, key: row.key, version: row.version,
      values: Scheduling.wantsValues ? row.told(changed) : [])
  }

  /// A row is about to be written, or removed if it gets no version.
  func tell(_ layout: EntityLayout, key: Int64, version: Int64?, values: [ToldValue] = []) {
    Scheduling.reach(.save(.row), layout.name)
    Scheduling.touch(
      .row(of: layout.name, key: schema.row(key)), isWrite: true, version: version,
      values: values)
    written.insert(layout.root.name)
  }

  /// What the statement of a batch request ends with, so that `runTelling` can name its rows.
  func returned(_ listing: Bool) -> String {
    listing || Scheduling.hook != nil ? " RETURNING Z_ENT, Z_PK, Z_OPT" : ""
  }

  /// Runs the statement of a batch request, and lists the rows if that is asked for.
  ///
  /// The rows are told for what is drawn only: `written` stays empty, so at the commit all rows of
  /// every entity count as written.
  @discardableResult
  func runTelling(
    _ statement: Statement, isDeletion: Bool = false, listing: Bool = false
  ) throws -> BatchRows {
    var touched = BatchRows()
    while try statement.step() {
      guard let layout = schema.layouts[Int(statement.int64(0))] else { continue }
      if listing { touched.rows.append((layout, schema.keyBase + statement.int64(1))) }
      if Scheduling.hook == nil { continue }
      Scheduling.touch(
        .row(of: layout.name, key: statement.int64(1)), isWrite: true,
        version: isDeletion ? nil : statement.int64(2))
    }
    touched.count = connection.changeCount
    touched.rows.sort { $0.key < $1.key }
    return touched
  }

  /// What was written is there for everybody.
  func tellCommitted() {
    guard Scheduling.hook != nil else { return }
    // A batch request writes rows that nobody names.
    if written.isEmpty { Scheduling.touch(.allRows, isWrite: true) }
    for name in written.sorted() { Scheduling.touch(.rows(of: name), isWrite: true) }
  }
}
