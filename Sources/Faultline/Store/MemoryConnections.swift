import SQLiteConnection

/// The connections to databases in memory that nobody uses just now.
///
/// Whoever makes thousands of runs opens the same database again for each. To open a connection, to
/// read the schema and to prepare the statements takes longer than such a run itself, so the
/// connections of a database that is given up are kept for the next with the same name. Only
/// SQLite's VFS for memory is meant: of a file, somebody else may be the owner by then.
enum MemoryConnections {
  private struct Name: Hashable {
    let path: String
    let isReadOnly: Bool
  }

  private final class Shelf: @unchecked Sendable {
    var connections: [Name: [Connection]] = [:]
    var paths: Set<String> = []
  }

  private static let shelf = Lock(Shelf())

  /// The name of the VFS.
  static let vfsName = "memdb"

  /// The settings by which a path is reached: whoever opens what others have in memory shares it,
  /// and makes no file of that name.
  static func reaching(_ path: String, _ settings: Database.Settings) -> Database.Settings {
    var settings = settings
    shelf.withLock { shelf in
      if settings.vfsName == vfsName {
        shelf.paths.insert(path)
      } else if settings.vfsName == nil, shelf.paths.contains(path) {
        settings.vfsName = vfsName
      }
    }
    return settings
  }

  /// A connection that was kept, if there is one.
  static func take(_ path: String, _ settings: Database.Settings) -> Connection? {
    guard settings.vfsName == vfsName else { return nil }
    let name = Name(path: path, isReadOnly: settings.isReadOnly)
    return shelf.withLock { $0.connections[name]?.popLast() }
  }

  /// Keeps a connection that stands in no transaction.
  static func keep(_ connection: Connection, _ path: String, _ settings: Database.Settings) {
    guard settings.vfsName == vfsName, connection.isOpen, !connection.isInTransaction else {
      return
    }
    connection.kept = [:]
    let name = Name(path: path, isReadOnly: settings.isReadOnly)
    shelf.withLock { $0.connections[name, default: []].append(connection) }
  }
}

// Safe to share: `connections` and `paths` are touched inside the lock only, and a connection on
// the shelf is used by nobody.
