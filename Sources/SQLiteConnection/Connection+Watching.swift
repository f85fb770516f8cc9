import CSQLite

extension Connection {
  /// One run of a statement, from its first step to its end or reset.
  package struct Run: Sendable {
    /// The text of the statement.
    package let sql: String
    /// The text with its values in the places of question marks, if it was asked for.
    package let expandedSQL: String?
    /// How long it took.
    package let seconds: Double
    /// How many steps forward it made in scans of whole tables.
    package let scanStepCount: Int32
    /// How many times it sorted.
    package let sortCount: Int32
    /// How many rows it put into indexes that SQLite made for the moment.
    package let automaticIndexCount: Int32
  }

  /// Whoever is told of runs; the handle of the connection keeps it.
  private final class Watcher {
    let hasValues: Bool
    let report: (Run) -> Void

    init(_ hasValues: Bool, _ report: @escaping (Run) -> Void) {
      self.hasValues = hasValues
      self.report = report
    }
  }

  /// Tells of every run of a statement of this connection from now on.
  package func watch(values: Bool, _ report: @escaping @Sendable (Run) -> Void) {
    let watcher = Watcher(values, report)
    watch(keeping: watcher) { database in
      sqlite3_trace_v2(
        database, UInt32(SQLITE_TRACE_PROFILE),
        { _, watcher, statement, nanoseconds in
          guard let watcher, let statement, let nanoseconds else { return 0 }
          let prepared = OpaquePointer(statement)
          let time = nanoseconds.load(as: sqlite3_int64.self)
          let watching = Unmanaged<Watcher>.fromOpaque(watcher).takeUnretainedValue()
          watching.report(Connection.run(prepared, time, watching.hasValues))
          return 0
        }, Unmanaged.passUnretained(watcher).toOpaque())
    }
  }

  private static func run(
    _ statement: OpaquePointer, _ nanoseconds: Int64, _ hasValues: Bool
  ) -> Run {
    var expanded: String?
    if hasValues, let text = sqlite3_expanded_sql(statement) {
      expanded = String(cString: text)
      sqlite3_free(text)
    }
    func count(_ what: Int32) -> Int32 { sqlite3_stmt_status(statement, what, 1) }
    return Run(
      sql: sqlite3_sql(statement).map { String(cString: $0) } ?? "", expandedSQL: expanded,
      seconds: Double(nanoseconds) / 1e9, scanStepCount: count(SQLITE_STMTSTATUS_FULLSCAN_STEP),
      sortCount: count(SQLITE_STMTSTATUS_SORT),
      automaticIndexCount: count(SQLITE_STMTSTATUS_AUTOINDEX))
  }
}
