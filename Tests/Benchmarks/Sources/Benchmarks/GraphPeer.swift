import CSQLiteRaw
import Foundation

/// An article as an object of a class with stored properties.
final class ArticleObject {
  let id: Int64
  var name: String
  var content: String
  var views: Int64
  var timestamp: Date
  var authorID: Int64

  init(_ row: ArticleRow) {
    id = row.id
    name = row.name
    content = row.content
    views = row.views
    timestamp = row.timestamp
    authorID = row.authorID
  }

  var row: ArticleRow {
    ArticleRow(
      id: id, name: name, content: content, views: views, timestamp: timestamp, authorID: authorID)
  }

  var folded: Int64 { ArticleRow.fold(name, content, views, timestamp, authorID) }
}

/// The raw loop with what an object graph costs at the least: an object a row, each once.
final class GraphPeer: RawPeer {
  private var objects: [Int64: ArticleObject] = [:]

  @inline(__always)
  private func object(_ statement: OpaquePointer) -> ArticleObject {
    let id = sqlite3_column_int64(statement, 0)
    if let known = objects[id] { return known }
    let object = ArticleObject(connection.row(statement))
    objects[id] = object
    return object
  }

  private func loadObjects() -> [ArticleObject] {
    var result: [ArticleObject] = []
    let select = connection.prepare("SELECT \(Self.columns) FROM article")
    while sqlite3_step(select) == SQLITE_ROW { result.append(object(select)) }
    sqlite3_finalize(select)
    return result
  }

  override func insert(_ rows: [ArticleRow], _ perSave: Int) -> Tally {
    let insert = connection.prepare("INSERT INTO article VALUES (?, ?, ?, ?, ?, ?, 1)")
    for start in stride(from: 0, to: rows.count, by: perSave) {
      var new: [ArticleObject] = []
      for row in rows[start..<min(start + perSave, rows.count)] {
        let object = ArticleObject(row)
        objects[row.id] = object
        new.append(object)
      }
      connection.run("BEGIN IMMEDIATE")
      for object in new {
        connection.bind(object.row, insert)
        connection.step(insert)
      }
      connection.run("COMMIT")
    }
    sqlite3_finalize(insert)
    return Tally(checksum: Int64(rows.count))
  }

  override func fetch() -> Tally {
    Tally(checksum: loadObjects().reduce(0) { $0 &+ $1.folded })
  }

  override func take(_ statement: OpaquePointer) -> Int64 { object(statement).folded }

  override func updating(isVersioned: Bool) -> () -> Tally {
    let all = loadObjects()
    return { [connection] in
      var sum: Int64 = 0
      var dirty: [ArticleObject] = []
      for object in all {
        object.views += 1
        sum += object.views
        dirty.append(object)
      }
      connection.run("BEGIN IMMEDIATE")
      let update = connection.prepare(
        isVersioned
          ? "UPDATE article SET views = ?, version = 2 WHERE id = ? AND version = 1"
          : "UPDATE article SET views = ? WHERE id = ?")
      for object in dirty {
        sqlite3_bind_int64(update, 1, object.views)
        sqlite3_bind_int64(update, 2, object.id)
        connection.step(update)
        if isVersioned { precondition(sqlite3_changes(connection.database) == 1) }
      }
      sqlite3_finalize(update)
      connection.run("COMMIT")
      return Tally(checksum: sum)
    }
  }

  override func queries(_ connection: RawConnection, _ count: Int) -> Tally {
    var sum: Int64 = 0
    var known: [Int64: ArticleObject] = [:]
    let select = connection.prepare(Self.query)
    for number in 0..<count {
      sqlite3_bind_int64(select, 1, Int64(number) % ArticleRow.authors)
      var found: [ArticleObject] = []
      while sqlite3_step(select) == SQLITE_ROW {
        let id = sqlite3_column_int64(select, 0)
        let object = known[id] ?? ArticleObject(connection.row(select))
        known[id] = object
        found.append(object)
      }
      sqlite3_reset(select)
      for object in found { sum &+= object.folded }
    }
    sqlite3_finalize(select)
    return Tally(checksum: sum)
  }
}
