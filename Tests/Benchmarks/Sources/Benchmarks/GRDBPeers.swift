import Foundation
import GRDB

/// An article as people write it for GRDB: its columns by name, through Codable.
struct CodableArticle: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "article"
  var id: Int64
  var name: String
  var content: String
  var views: Int64
  var timestamp: Date
  var author: Int64
  var version: Int64 = 1

  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  init(_ row: ArticleRow) {
    id = row.id
    name = row.name
    content = row.content
    views = row.views
    timestamp = row.timestamp
    author = row.authorID
  }

  var folded: Int64 { ArticleRow.fold(name, content, views, timestamp, author) }
}

/// GRDB: what both idioms share.
class GRDBPeer: Peer {
  let pool: DatabasePool

  required init(_ file: URL, synchronous: String) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(10)
    pool = try DatabasePool(path: file.path, configuration: configuration)
    // Not while the connection is prepared: the pool sets NORMAL afterwards.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(synchronous)") }
  }

  func createTable() throws {
    try pool.write { database in
      try database.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS article(id INTEGER PRIMARY KEY, name TEXT, content TEXT, \
          views INTEGER, timestamp REAL, author INTEGER, version INTEGER)
          """)
    }
  }

  func fill(_ file: Workload.File, rows: Int) throws {
    try createTable()
    let all =
      file == .long ? ArticleRow.sample(rows / 5, contentLength: 4000) : ArticleRow.sample(rows)
    _ = try insert(all, rows)
    if file == .indexed {
      try pool.write { try $0.execute(sql: "CREATE INDEX byAuthor ON article(author, timestamp)") }
    }
  }

  func work(_ workload: Workload, rows: Int) throws -> () throws -> Tally {
    switch workload {
    case .insert, .insertInParts:
      try createTable()
      let all = ArticleRow.sample(rows)
      return { try self.insert(all, workload == .insert ? rows : 1000) }
    case .insertLong:
      try createTable()
      let all = ArticleRow.sample(rows / 5, contentLength: 4000)
      return { try self.insert(all, rows) }
    case .fetch, .fetchLong: return fetch
    case .faults, .faultsAtRandom, .faultsAlone:
      let keys = Array(1...Int64(rows))
      let order = workload == .faultsAtRandom ? Shuffle.of(keys) : keys
      return { try self.faults(order, inOne: workload != .faultsAlone) }
    case .batches: return batches
    case .update: return try updating(isVersioned: false)
    case .versionedUpdate: return try updating(isVersioned: true)
    case .delete: return try deleting()
    case .batchDelete: return batchDelete
    case .query:
      return { Tally(checksum: try self.queries(workload.units(rows: rows))) }
    case .queryOne, .queryTwo:
      return { try self.besideWriter(workload == .queryOne ? 1 : 2, rows: rows) }
    case .save, .saveFully: return try saving(workload.units(rows: rows))
    }
  }

  func insert(_ rows: [ArticleRow], _ perSave: Int) throws -> Tally {
    for start in stride(from: 0, to: rows.count, by: perSave) {
      try pool.write { try insert(rows[start..<min(start + perSave, rows.count)], $0) }
    }
    return Tally(checksum: Int64(rows.count))
  }

  func batchDelete() throws -> Tally {
    let count = try pool.write { try CodableArticle.filter(Column("views") >= 0).deleteAll($0) }
    return Tally(checksum: Int64(count))
  }

  private func besideWriter(_ readers: Int, rows: Int) throws -> Tally {
    let count = Workload.queryOne.units(rows: rows)
    nonisolated(unsafe) let peer = self
    return Crowd.run(
      readers: readers, queries: count,
      read: { _ in (try? peer.queries(Crowd.queriesPerSave)) ?? 0 },
      write: { number in
        try? peer.pool.write { database in
          try database.execute(
            sql: "UPDATE article SET version = version + 1 WHERE id = ?",
            arguments: [number % rows + 1])
        }
      })
  }

  func faults(_ keys: [Int64], inOne: Bool) throws -> Tally {
    let known = try pool.read { try Int64.fetchAll($0, sql: "SELECT id FROM article") }
    precondition(known.count == keys.count)
    var sum: Int64 = 0
    if inOne {
      try pool.read { database in for key in keys { sum &+= try article(key, database) } }
    } else {
      for key in keys { sum &+= try pool.read { try article(key, $0) } }
    }
    return Tally(checksum: sum)
  }

  // What the idioms do differently.
  func insert(_ rows: ArraySlice<ArticleRow>, _ database: Database) throws {}
  func fetch() throws -> Tally { Tally(checksum: 0) }
  func article(_ key: Int64, _ database: Database) throws -> Int64 { 0 }
  func batches() throws -> Tally { Tally(checksum: 0) }
  func updating(isVersioned: Bool) throws -> () throws -> Tally { { Tally(checksum: 0) } }
  func deleting() throws -> () throws -> Tally { { Tally(checksum: 0) } }
  func queries(_ count: Int) throws -> Int64 { 0 }
  func saving(_ count: Int) throws -> () throws -> Tally { { Tally(checksum: 0) } }
}

/// GRDB as people write it.
final class CodablePeer: GRDBPeer {
  override func insert(_ rows: ArraySlice<ArticleRow>, _ database: Database) throws {
    for row in rows { try CodableArticle(row).insert(database) }
  }

  override func fetch() throws -> Tally {
    let all = try pool.read { try CodableArticle.fetchAll($0) }
    return Tally(checksum: all.reduce(0) { $0 &+ $1.folded })
  }

  override func article(_ key: Int64, _ database: Database) throws -> Int64 {
    try CodableArticle.fetchOne(database, key: key)?.folded ?? 0
  }

  override func batches() throws -> Tally {
    try pool.read { database in
      let keys = try Int64.fetchAll(database, sql: "SELECT id FROM article")
      var sum: Int64 = 0
      for start in stride(from: 0, to: keys.count, by: 100) {
        let part = keys[start..<min(start + 100, keys.count)]
        for article in try CodableArticle.fetchAll(database, keys: part) { sum &+= article.folded }
      }
      return Tally(checksum: sum)
    }
  }

  override func updating(isVersioned: Bool) throws -> () throws -> Tally {
    var all = try pool.read { try CodableArticle.fetchAll($0) }
    return { [pool] in
      var sum: Int64 = 0
      try pool.write { database in
        for index in all.indices {
          all[index].views += 1
          sum += all[index].views
          guard isVersioned else {
            try all[index].update(database, columns: ["views"])
            continue
          }
          let changed = try CodableArticle.filter(key: all[index].id)
            .filter(Column("version") == 1)
            .updateAll(
              database, Column("views").set(to: all[index].views), Column("version").set(to: 2))
          precondition(changed == 1)
        }
      }
      return Tally(checksum: sum)
    }
  }

  override func deleting() throws -> () throws -> Tally {
    let all = try pool.read { try CodableArticle.fetchAll($0) }
    return { [pool] in
      try pool.write { database in for article in all { try article.delete(database) } }
      return Tally(checksum: Int64(all.count))
    }
  }

  override func queries(_ count: Int) throws -> Int64 {
    var sum: Int64 = 0
    for number in 0..<count {
      let found = try pool.read { database in
        try CodableArticle.filter(Column("author") == Int64(number) % ArticleRow.authors)
          .order(Column("timestamp").desc).limit(50).fetchAll(database)
      }
      for article in found { sum &+= article.folded }
    }
    return sum
  }

  override func saving(_ count: Int) throws -> () throws -> Tally {
    var articles = try pool.read { try CodableArticle.fetchAll($0, keys: 1...Int64(count)) }
    return { [pool] in
      try Saves.run(count) { number in
        articles[number - 1].views = Int64(number) + 1000
        try pool.write { try articles[number - 1].update($0, columns: ["views"]) }
      }
    }
  }
}

/// GRDB in its quickest idiom: statements kept, arguments unchecked, columns by position.
final class FastPeer: GRDBPeer {
  private struct Article: FetchableRecord {
    let id: Int64
    let name: String
    let content: String
    var views: Int64
    let timestamp: Date
    let author: Int64

    init(row: Row) {
      id = row[0]
      name = row[1]
      content = row[2]
      views = row[3]
      timestamp = Date(timeIntervalSinceReferenceDate: row[4])
      author = row[5]
    }

    var folded: Int64 { ArticleRow.fold(name, content, views, timestamp, author) }
  }

  private static let select = "SELECT id, name, content, views, timestamp, author FROM article"

  override func insert(_ rows: ArraySlice<ArticleRow>, _ database: Database) throws {
    let insert = try database.cachedStatement(
      sql: "INSERT INTO article VALUES (?, ?, ?, ?, ?, ?, 1)")
    for row in rows {
      insert.setUncheckedArguments([
        row.id, row.name, row.content, row.views, row.timestamp.timeIntervalSinceReferenceDate,
        row.authorID,
      ])
      try insert.execute()
    }
  }

  override func fetch() throws -> Tally {
    let all = try pool.read { try Article.fetchAll($0, sql: Self.select) }
    return Tally(checksum: all.reduce(0) { $0 &+ $1.folded })
  }

  override func article(_ key: Int64, _ database: Database) throws -> Int64 {
    let statement = try database.cachedStatement(sql: "\(Self.select) WHERE id = ?")
    statement.setUncheckedArguments([key])
    return try Article.fetchOne(statement)?.folded ?? 0
  }

  override func batches() throws -> Tally {
    let marks = Array(repeating: "?", count: 100).joined(separator: ",")
    return try pool.read { database in
      let keys = try Int64.fetchAll(database, sql: "SELECT id FROM article")
      let statement = try database.cachedStatement(sql: "\(Self.select) WHERE id IN (\(marks))")
      var sum: Int64 = 0
      for start in stride(from: 0, to: keys.count, by: 100) {
        var part = Array(keys[start..<min(start + 100, keys.count)])
        part += Array(repeating: -1, count: 100 - part.count)
        statement.setUncheckedArguments(StatementArguments(part))
        for article in try Article.fetchAll(statement) { sum &+= article.folded }
      }
      return Tally(checksum: sum)
    }
  }

  override func updating(isVersioned: Bool) throws -> () throws -> Tally {
    var all = try pool.read { try Article.fetchAll($0, sql: Self.select) }
    return { [pool] in
      var sum: Int64 = 0
      try pool.write { database in
        let update = try database.cachedStatement(
          sql: isVersioned
            ? "UPDATE article SET views = ?, version = 2 WHERE id = ? AND version = 1"
            : "UPDATE article SET views = ? WHERE id = ?")
        for index in all.indices {
          all[index].views += 1
          sum += all[index].views
          update.setUncheckedArguments([all[index].views, all[index].id])
          try update.execute()
          if isVersioned { precondition(database.changesCount == 1) }
        }
      }
      return Tally(checksum: sum)
    }
  }

  override func deleting() throws -> () throws -> Tally {
    let all = try pool.read { try Article.fetchAll($0, sql: Self.select) }
    return { [pool] in
      try pool.write { database in
        let delete = try database.cachedStatement(sql: "DELETE FROM article WHERE id = ?")
        for article in all {
          delete.setUncheckedArguments([article.id])
          try delete.execute()
        }
      }
      return Tally(checksum: Int64(all.count))
    }
  }

  override func queries(_ count: Int) throws -> Int64 {
    var sum: Int64 = 0
    for number in 0..<count {
      let found = try pool.read { database in
        let statement = try database.cachedStatement(
          sql: "\(Self.select) WHERE author = ? ORDER BY timestamp DESC LIMIT 50")
        statement.setUncheckedArguments([Int64(number) % ArticleRow.authors])
        return try Article.fetchAll(statement)
      }
      for article in found { sum &+= article.folded }
    }
    return sum
  }

  override func saving(_ count: Int) throws -> () throws -> Tally {
    { [pool] in
      try Saves.run(count) { number in
        try pool.write { database in
          let update = try database.cachedStatement(
            sql: "UPDATE article SET views = ? WHERE id = ?")
          update.setUncheckedArguments([number + 1000, number])
          try update.execute()
        }
      }
    }
  }
}
