import Foundation
import SQLiteConnection

/// The file of a store that lives in memory and is read and written as a whole.
///
/// The file is a SQLite database too, without a log; what is written replaces it in one step. Only
/// the file that the store itself last read or wrote is replaced.
struct AtomicFile: Sendable {
  /// Where the file is.
  let url: URL
  /// What the file was like when the store last read or wrote it; nil if there was none.
  private var seen: FileStamp?

  /// A file that is about to be read, if it is there.
  init(_ url: URL) {
    self.url = url
    seen = FileStamp(at: url.path)
  }

  /// A file that is to be written next; what is there is replaced only if it is the same store.
  init(_ url: URL, replacing uuid: String) {
    self.init(url)
    if (try? StoreFile.uuid(url, besideLog: false)) != uuid { seen = nil }
  }

  /// Whether there was no file to read.
  var isMissing: Bool { seen == nil }

  /// Fills a database in memory with what the file holds, if there is one.
  func load(into memory: Connection) throws {
    if isMissing { return }
    let file = try Connection(path: url.path, options: .init(readOnly: true))
    defer { file.close() }
    // The copy alone would take any file for a database.
    let look = try file.statement("SELECT COUNT(*) FROM sqlite_master")
    _ = try look.step()
    look.reset()
    try file.copy(to: memory)
  }

  /// Puts what a database in memory holds in the file's place; the old file stays if that fails. A
  /// file that is gone is made again, since nothing is lost by that.
  ///
  /// - Throws: 134030 if another file stands there, or it cannot be written.
  mutating func save(_ memory: Connection, _ uuid: String) throws {
    if let found = FileStamp(at: url.path), found != seen {
      let other = try? StoreFile.uuid(url, besideLog: false)
      throw other == uuid ? StoreError.changedFile(url) : StoreError.otherStore(url)
    }
    do {
      try memory.withSerialized { bytes in
        try Data(bytes).write(to: url, options: .atomic)
      }
    } catch let error as CocoaError {
      throw StoreError.unwritable(url, error)
    }
    seen = FileStamp(at: url.path)
  }
}
