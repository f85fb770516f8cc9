import Foundation
import SQLiteConnection

/// The file of a store that lives in memory and is read and written as a whole.
///
/// The file is a SQLite database too, without a log; what is written replaces it in one step.
enum AtomicFile {
  /// Fills a database in memory with what the file holds, if there is one.
  static func load(_ url: URL, into memory: Connection) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    let file = try Connection(path: url.path, options: .init(readOnly: true))
    defer { file.close() }
    // The copy alone would take any file for a database.
    let look = try file.statement("SELECT COUNT(*) FROM sqlite_master")
    _ = try look.step()
    look.reset()
    try file.copy(to: memory)
  }

  /// Makes the file of a store that has just been made in memory.
  static func make(_ url: URL, from memory: Connection) throws {
    if !FileManager.default.fileExists(atPath: url.path) { try save(memory, to: url) }
  }

  /// Puts what a database in memory holds in the file's place; the old file stays if that fails.
  static func save(_ memory: Connection, to url: URL) throws {
    do {
      try memory.withSerialized { bytes in
        try Data(bytes).write(to: url, options: .atomic)
      }
    } catch let error as CocoaError {
      throw StoreError.unwritable(url, error)
    }
  }
}
