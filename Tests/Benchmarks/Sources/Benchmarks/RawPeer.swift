import CSQLiteRaw
import Foundation

/// A connection of bare SQLite calls.
final class RawConnection: @unchecked Sendable {
  let database: OpaquePointer
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Opens the file in the mode all sides use: write-ahead log, synchronous as given.
  init(_ file: URL, synchronous: String = "NORMAL", checkpoints: Bool = true) {
    var database: OpaquePointer?
    precondition(sqlite3_open(file.path, &database) == SQLITE_OK)
    self.database = database!
    run("PRAGMA journal_mode = WAL")
    run("PRAGMA synchronous = \(synchronous)")
    sqlite3_busy_timeout(database, 10_000)
    if !checkpoints { sqlite3_wal_autocheckpoint(database, 0) }
  }

  deinit { sqlite3_close(database) }

  func run(_ sql: String) {
    check(sqlite3_exec(database, sql, nil, nil, nil), SQLITE_OK)
  }

  func prepare(_ sql: String) -> OpaquePointer {
    var statement: OpaquePointer?
    check(sqlite3_prepare_v2(database, sql, -1, &statement, nil), SQLITE_OK)
    return statement!
  }

  /// One number out of the database.
  func number(_ sql: String) -> Int64 {
    let statement = prepare(sql)
    defer { sqlite3_finalize(statement) }
    check(sqlite3_step(statement), SQLITE_ROW)
    return sqlite3_column_int64(statement, 0)
  }

  /// Runs a statement that answers nothing and readies it again.
  @inline(__always)
  func step(_ statement: OpaquePointer) {
    check(sqlite3_step(statement), SQLITE_DONE)
    sqlite3_reset(statement)
  }

  @inline(__always)
  func check(_ code: Int32, _ expected: Int32) {
    precondition(code == expected, "SQLite answered \(code)")
  }

  @inline(__always)
  func bind(_ row: ArticleRow, _ statement: OpaquePointer) {
    sqlite3_bind_int64(statement, 1, row.id)
    sqlite3_bind_text(statement, 2, row.name, -1, Self.transient)
    sqlite3_bind_text(statement, 3, row.content, -1, Self.transient)
    sqlite3_bind_int64(statement, 4, row.views)
    sqlite3_bind_double(statement, 5, row.timestamp.timeIntervalSinceReferenceDate)
    sqlite3_bind_int64(statement, 6, row.authorID)
  }

  @inline(__always)
  func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    let bytes = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  @inline(__always)
  func row(_ statement: OpaquePointer) -> ArticleRow {
    ArticleRow(
      id: sqlite3_column_int64(statement, 0), name: text(statement, 1), content: text(statement, 2),
      views: sqlite3_column_int64(statement, 3),
      timestamp: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 4)),
      authorID: sqlite3_column_int64(statement, 5))
  }
}

/// The floor: bare SQLite calls in a loop, with prepared statements and SQLite's own defaults.
///
/// What a row becomes is up to `Element`: a value here, an object in an identity map in
/// `GraphPeer`.
class RawPeer: Peer {
  let connection: RawConnection
  let url: URL
  static let columns = "id, name, content, views, timestamp, author_id"
  static let query =
    "SELECT \(columns) FROM article WHERE author_id = ? ORDER BY timestamp DESC LIMIT 50"

  init(_ file: URL, synchronous: String) {
    url = file
    connection = RawConnection(file, synchronous: synchronous)
  }

  /// Makes the table; a version column is there in every workload, so that all files are alike.
  func createTable() {
    connection.run(
      """
      CREATE TABLE IF NOT EXISTS article(id INTEGER PRIMARY KEY, name TEXT, content TEXT, \
      views INTEGER, timestamp REAL, author_id INTEGER, version INTEGER)
      """)
  }

  func fill(_ file: Workload.File, rows: Int) {
    createTable()
    _ = insert(
      file == .long ? ArticleRow.sample(rows / 5, contentLength: 4000) : ArticleRow.sample(rows),
      rows)
    if file == .indexed { connection.run("CREATE INDEX byAuthor ON article(author_id, timestamp)") }
  }

  func work(_ workload: Workload, rows: Int) throws -> () throws -> Tally {
    switch workload {
    case .insert, .insertInParts:
      createTable()
      let all = ArticleRow.sample(rows)
      return { self.insert(all, workload == .insert ? rows : 1000) }
    case .insertLong:
      createTable()
      let all = ArticleRow.sample(rows / 5, contentLength: 4000)
      return { self.insert(all, rows) }
    case .fetch, .fetchLong: return fetch
    case .faults: return { self.faults(Array(1...Int64(rows)), inOne: true) }
    case .faultsAlone: return { self.faults(Array(1...Int64(rows)), inOne: false) }
    case .faultsAtRandom:
      let keys = Shuffle.of(Array(1...Int64(rows)))
      return { self.faults(keys, inOne: true) }
    case .batches: return batches
    case .update: return updating(isVersioned: false)
    case .versionedUpdate: return updating(isVersioned: true)
    case .delete: return deleting()
    case .batchDelete: return batchDelete
    case .query: return { self.queries(self.connection, Workload.query.units(rows: rows)) }
    case .queryOne, .queryTwo:
      let readers = workload == .queryOne ? 1 : 2
      return { self.besideWriter(readers, rows: rows) }
    case .save, .saveFully:
      return { self.saves(workload.units(rows: rows)) }
    }
  }

  func insert(_ rows: [ArticleRow], _ perSave: Int) -> Tally {
    let insert = connection.prepare("INSERT INTO article VALUES (?, ?, ?, ?, ?, ?, 1)")
    for start in stride(from: 0, to: rows.count, by: perSave) {
      connection.run("BEGIN IMMEDIATE")
      for row in rows[start..<min(start + perSave, rows.count)] {
        connection.bind(row, insert)
        connection.step(insert)
      }
      connection.run("COMMIT")
    }
    sqlite3_finalize(insert)
    return Tally(checksum: Int64(rows.count))
  }

  func load() -> [ArticleRow] {
    var rows: [ArticleRow] = []
    let select = connection.prepare("SELECT \(Self.columns) FROM article")
    while sqlite3_step(select) == SQLITE_ROW { rows.append(connection.row(select)) }
    sqlite3_finalize(select)
    return rows
  }

  func fetch() -> Tally {
    Tally(checksum: load().reduce(0) { $0 &+ $1.folded })
  }

  func faults(_ keys: [Int64], inOne: Bool) -> Tally {
    var sum: Int64 = 0
    if inOne { connection.run("BEGIN") }
    let ids = connection.prepare("SELECT id FROM article")
    var known: [Int64] = []
    while sqlite3_step(ids) == SQLITE_ROW { known.append(sqlite3_column_int64(ids, 0)) }
    sqlite3_finalize(ids)
    precondition(known.count == keys.count)
    let select = connection.prepare("SELECT \(Self.columns) FROM article WHERE id = ?")
    for key in keys {
      sqlite3_bind_int64(select, 1, key)
      connection.check(sqlite3_step(select), SQLITE_ROW)
      sum &+= take(select)
      sqlite3_reset(select)
    }
    sqlite3_finalize(select)
    if inOne { connection.run("COMMIT") }
    return Tally(checksum: sum)
  }

  /// Makes a row of the statement into what this peer makes of rows, and folds it.
  func take(_ statement: OpaquePointer) -> Int64 { connection.row(statement).folded }

  func batches() -> Tally {
    var sum: Int64 = 0
    connection.run("BEGIN")
    let ids = connection.prepare("SELECT id FROM article")
    var keys: [Int64] = []
    while sqlite3_step(ids) == SQLITE_ROW { keys.append(sqlite3_column_int64(ids, 0)) }
    sqlite3_finalize(ids)
    let marks = Array(repeating: "?", count: 100).joined(separator: ",")
    let select = connection.prepare("SELECT \(Self.columns) FROM article WHERE id IN (\(marks))")
    for start in stride(from: 0, to: keys.count, by: 100) {
      for index in 0..<100 {
        let key = start + index < keys.count ? keys[start + index] : -1
        sqlite3_bind_int64(select, Int32(index + 1), key)
      }
      while sqlite3_step(select) == SQLITE_ROW { sum &+= take(select) }
      sqlite3_reset(select)
    }
    sqlite3_finalize(select)
    connection.run("COMMIT")
    return Tally(checksum: sum)
  }

  func updating(isVersioned: Bool) -> () -> Tally {
    var rows = load()
    return { [connection] in
      var sum: Int64 = 0
      connection.run("BEGIN IMMEDIATE")
      let update = connection.prepare(
        isVersioned
          ? "UPDATE article SET views = ?, version = 2 WHERE id = ? AND version = 1"
          : "UPDATE article SET views = ? WHERE id = ?")
      for index in rows.indices {
        rows[index].views += 1
        sum += rows[index].views
        sqlite3_bind_int64(update, 1, rows[index].views)
        sqlite3_bind_int64(update, 2, rows[index].id)
        connection.step(update)
        if isVersioned { precondition(sqlite3_changes(connection.database) == 1) }
      }
      sqlite3_finalize(update)
      connection.run("COMMIT")
      return Tally(checksum: sum)
    }
  }

  func deleting() -> () -> Tally {
    let rows = load()
    return { [connection] in
      connection.run("BEGIN IMMEDIATE")
      let delete = connection.prepare("DELETE FROM article WHERE id = ?")
      for row in rows {
        sqlite3_bind_int64(delete, 1, row.id)
        connection.step(delete)
      }
      sqlite3_finalize(delete)
      connection.run("COMMIT")
      return Tally(checksum: Int64(rows.count))
    }
  }

  func batchDelete() -> Tally {
    connection.run("BEGIN IMMEDIATE")
    connection.run("DELETE FROM article WHERE views >= 0")
    let count = Int64(sqlite3_changes(connection.database))
    connection.run("COMMIT")
    return Tally(checksum: count)
  }

  func queries(_ connection: RawConnection, _ count: Int) -> Tally {
    var sum: Int64 = 0
    let select = connection.prepare(Self.query)
    for number in 0..<count {
      sqlite3_bind_int64(select, 1, Int64(number) % ArticleRow.authors)
      var rows: [ArticleRow] = []
      while sqlite3_step(select) == SQLITE_ROW { rows.append(connection.row(select)) }
      sqlite3_reset(select)
      for row in rows { sum &+= row.folded }
    }
    sqlite3_finalize(select)
    return Tally(checksum: sum)
  }

  func saves(_ count: Int) -> Tally {
    let update = connection.prepare("UPDATE article SET views = ? WHERE id = ?")
    defer { sqlite3_finalize(update) }
    return Saves.run(count) { number in
      connection.run("BEGIN IMMEDIATE")
      sqlite3_bind_int64(update, 1, Int64(number) + 1000)
      sqlite3_bind_int64(update, 2, Int64(number))
      connection.step(update)
      connection.run("COMMIT")
    }
  }

  private func besideWriter(_ readers: Int, rows: Int) -> Tally {
    let count = Workload.queryOne.units(rows: rows)
    let url = url
    let connections = (0..<readers).map { _ in RawConnection(url) }
    nonisolated(unsafe) let peer = self
    return Crowd.run(
      readers: readers, queries: count,
      read: { peer.queries(connections[$0], Crowd.queriesPerSave).checksum },
      write: { number in
        let connection = peer.connection
        connection.run("BEGIN IMMEDIATE")
        connection.run("UPDATE article SET version = version + 1 WHERE id = \(number % rows + 1)")
        connection.run("COMMIT")
      })
  }
}
