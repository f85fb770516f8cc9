import CSQLiteRaw
import Foundation

/// The floor: bare SQLite calls in a loop, with prepared statements and SQLite's own defaults.
struct RawSide {
  private let database: OpaquePointer

  /// Opens the file in the mode the engine uses: write-ahead log, synchronous NORMAL.
  init(_ url: URL) {
    var database: OpaquePointer?
    precondition(sqlite3_open(url.path, &database) == SQLITE_OK)
    self.database = database!
    run("PRAGMA journal_mode = WAL")
    run("PRAGMA synchronous = NORMAL")
  }

  /// Closes the file.
  func close() {
    check(sqlite3_close(database), SQLITE_OK)
  }

  /// Makes the table; a version column is there in every workload, so that all files are alike.
  func createTable() {
    run(
      """
      CREATE TABLE article(id INTEGER PRIMARY KEY, version INTEGER, name TEXT, content TEXT, \
      views INTEGER, timestamp REAL, rating REAL, isOpen INTEGER)
      """)
  }

  /// W1: inserts the rows, one statement a row, in one transaction.
  func insert(_ rows: [ArticleRow]) -> Int64 {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    run("BEGIN IMMEDIATE")
    let insert = prepare("INSERT INTO article VALUES (?, 1, ?, ?, ?, ?, ?, ?)")
    for row in rows {
      sqlite3_bind_int64(insert, 1, row.id)
      sqlite3_bind_text(insert, 2, row.name, -1, transient)
      sqlite3_bind_text(insert, 3, row.content, -1, transient)
      sqlite3_bind_int64(insert, 4, row.views)
      sqlite3_bind_double(insert, 5, row.timestamp.timeIntervalSinceReferenceDate)
      sqlite3_bind_double(insert, 6, row.rating)
      sqlite3_bind_int64(insert, 7, row.isOpen ? 1 : 0)
      check(sqlite3_step(insert), SQLITE_DONE)
      sqlite3_reset(insert)
    }
    sqlite3_finalize(insert)
    run("COMMIT")
    return Int64(rows.count)
  }

  /// Reads every row into a value.
  func load() -> [ArticleRow] {
    var rows: [ArticleRow] = []
    let select = prepare(
      "SELECT id, name, content, views, timestamp, rating, isOpen FROM article")
    while sqlite3_step(select) == SQLITE_ROW {
      rows.append(
        ArticleRow(
          id: sqlite3_column_int64(select, 0), name: text(select, 1), content: text(select, 2),
          views: sqlite3_column_int64(select, 3),
          timestamp: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(select, 4)),
          rating: sqlite3_column_double(select, 5), isOpen: sqlite3_column_int64(select, 6) != 0))
    }
    sqlite3_finalize(select)
    return rows
  }

  /// W3: reads every row into a value, then every column of every value.
  func fetch() -> Int64 {
    var sum: Int64 = 0
    for row in load() {
      sum &+= ArticleRow.fold(
        row.name, row.content, row.views, row.timestamp, row.rating, row.isOpen)
    }
    return sum
  }

  /// W5: changes one column of rows that are loaded and writes them in one transaction.
  func update(_ rows: inout [ArticleRow]) -> Int64 {
    var sum: Int64 = 0
    run("BEGIN IMMEDIATE")
    let update = prepare("UPDATE article SET views = ? WHERE id = ?")
    for index in rows.indices {
      rows[index].views += 1
      sum += rows[index].views
      sqlite3_bind_int64(update, 1, rows[index].views)
      sqlite3_bind_int64(update, 2, rows[index].id)
      check(sqlite3_step(update), SQLITE_DONE)
      sqlite3_reset(update)
    }
    sqlite3_finalize(update)
    run("COMMIT")
    return sum
  }

  /// W10: the same, each update only if the row still has the version it was loaded with.
  func updateVersions(_ rows: inout [ArticleRow], version: Int64) -> Int64 {
    var sum: Int64 = 0
    run("BEGIN IMMEDIATE")
    let update = prepare(
      "UPDATE article SET views = ?, version = ? WHERE id = ? AND version = ?")
    for index in rows.indices {
      rows[index].views += 1
      sum += rows[index].views
      sqlite3_bind_int64(update, 1, rows[index].views)
      sqlite3_bind_int64(update, 2, version + 1)
      sqlite3_bind_int64(update, 3, rows[index].id)
      sqlite3_bind_int64(update, 4, version)
      check(sqlite3_step(update), SQLITE_DONE)
      sqlite3_reset(update)
      precondition(sqlite3_changes(database) == 1, "the row has another version")
    }
    sqlite3_finalize(update)
    run("COMMIT")
    return sum
  }

  /// One number out of the database.
  func number(_ sql: String) -> Int64 {
    let statement = prepare(sql)
    defer { sqlite3_finalize(statement) }
    check(sqlite3_step(statement), SQLITE_ROW)
    return sqlite3_column_int64(statement, 0)
  }

  @inline(__always)
  private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    let bytes = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private func run(_ sql: String) {
    check(sqlite3_exec(database, sql, nil, nil, nil), SQLITE_OK)
  }

  private func prepare(_ sql: String) -> OpaquePointer {
    var statement: OpaquePointer?
    check(sqlite3_prepare_v2(database, sql, -1, &statement, nil), SQLITE_OK)
    return statement!
  }

  @inline(__always)
  private func check(_ code: Int32, _ expected: Int32) {
    precondition(code == expected, "SQLite answered \(code)")
  }
}
