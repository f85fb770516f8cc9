import Foundation
import SQLiteConnection

/// The files of an open store: the database, its write-ahead log and the log's index.
///
/// SQLite looks at a path when it opens a file and never again. If the file is deleted, moved or
/// replaced after that, SQLite goes on to commit into a file that no other opener finds. So a
/// `StoreFiles` notes which files are open, and each transaction compares them with those that the
/// paths lead to at that moment:
///
/// - All the same: it commits. A file that goes after this look goes with the commit in it.
/// - Another store stands there: 134030. Anything else: 134180. Nothing is written in either case.
///
/// New connections are held against it too, since they open files by their paths.
struct StoreFiles: Equatable, Sendable {
  private let url: URL
  private let uuid: String
  private let main: Place
  /// The database again, under the name to which symbolic links led when it was opened.
  private let target: Place
  private let log: Place?
  private let index: Place?
  /// The store that the database had without its log when it was opened: this one, none if all of
  /// it was in the log, or a former one in whose place this one was made.
  private let former: String?

  /// A path, and the file that is open of those it has led to.
  private struct Place: Equatable {
    let path: String
    let file: FileStamp

    init?(_ path: String) {
      guard let file = FileStamp(at: path) else { return nil }
      (self.path, self.file) = (path, file)
    }

    var url: URL { URL(fileURLWithPath: path) }
    /// What the open file is like; nil if the path leads elsewhere.
    var now: FileStamp? { FileStamp(at: path).flatMap { $0.isSameFile(as: file) ? $0 : nil } }
  }

  /// Notes the files of a connection that has read its metadata.
  ///
  /// - Throws: 134080 if it has a log that is not at its path: the log was deleted while another
  ///   connection has it open, or the file is open under another name.
  init(_ connection: Connection, _ url: URL, uuid: String, hasLog: Bool) throws {
    (self.url, self.uuid) = (url, uuid)
    let path = connection.filePath
    // First, because it makes the index of a connection that has locked the file for itself.
    let length = hasLog ? connection.logLength : 0
    log = hasLog ? Place(path + "-wal") : nil
    index = hasLog ? Place(path + "-shm") : nil
    guard let main = Place(url.path), let target = Place(path), !connection.hasMoved,
      !hasLog || index != nil && (log?.file.size ?? -1) >= length
    else {
      connection.leaveLog()
      throw StoreError.incompleteFiles(url)
    }
    (self.main, self.target) = (main, target)
    former = length == 0 ? uuid : try? StoreFile.uuid(target.url, besideLog: false)
  }

  // MARK: While the store is open

  /// Refuses to go on unless the paths still lead to the files that are open.
  ///
  /// - Parameter writer: the connection inside the transaction that is to be committed.
  func check(_ writer: Connection? = nil) throws {
    guard let now = main.now, now.size > 0, target.path == main.path || target.now != nil,
      index == nil || index?.now != nil,
      log == nil || (log?.now?.size ?? -1) >= writer?.logLength ?? 0
    else { throw Self.loss(of: url, uuid) }
  }

  /// What the database's file was like at one moment.
  struct Contents: Sendable {
    fileprivate let copied: CopyMark?
    fileprivate let file: FileStamp?

    // In this order: if the log is copied in between, the mark is the older one.
    init(_ files: StoreFiles, _ writer: Connection) {
      copied = files.log == nil ? nil : writer.copyMark
      file = files.target.now
    }
  }

  /// Refuses a file over which another was copied: neither SQLite's cache nor the log shows that.
  ///
  /// With a log, all that SQLite writes to the database is copied from there. Whatever else is
  /// written makes one file of two states, be they of the same store.
  func checkContents(_ writer: Connection, since seen: Contents) throws -> Contents {
    let now = Contents(self, writer)
    guard let old = seen.file, let new = now.file, new.size > 0 else {
      throw Self.loss(of: url, uuid)
    }
    if new == old { return seen }
    if let copied = now.copied, copied == seen.copied, copied == writer.copyMark,
      new.size != old.size || new.wasWrittenByOwner
    {
      throw Self.loss(of: url, uuid)
    }
    try lookInside()
    return now
  }

  /// Refuses a file that holds another store.
  func lookInside() throws {
    do {
      guard let found = try StoreFile.uuid(target.url, besideLog: false),
        [uuid, former].contains(found)
      else { throw StoreError.otherStore(url) }
    } catch let error as SQLiteError {
      // A new store is in its log alone until that is copied for the first time.
      if error.isNoDatabase { throw StoreError.lostFiles(url) }
    }
  }

  /// Why a store cannot be used any more whose file is not the one at its URL.
  static func loss(of url: URL, _ uuid: String) -> CocoaError {
    let path = url.resolvingSymlinksInPath().path
    removeOrphans(beside: path)
    // SQLite deletes the log beside an empty file as soon as it reads the two.
    guard let file = FileStamp(at: path), file.size > 0 else { return StoreError.lostFiles(url) }
    let hasLog = FileStamp(at: path + "-wal").map { $0.size > 0 } ?? false
    let found = try? StoreFile.uuid(url, besideLog: hasLog)
    return found == nil || found == uuid ? StoreError.lostFiles(url) : StoreError.otherStore(url)
  }

  // MARK: At the end

  /// Closes the connection that writes.
  ///
  /// If it is the last one, SQLite copies the log into the database and deletes it. It must not
  /// unless both are the files that are open. The one exception is a log of which only the name is
  /// gone: the connection still has what was committed, and saves it.
  func close(_ connection: Connection, since seen: Contents) {
    let isDatabaseOurs = (try? checkContents(connection, since: seen)) != nil
    if !isDatabaseOurs || !canEndLog(connection) { connection.leaveLog() }
    // Before the close: the system may give the number of a closed file to another one.
    if !isDatabaseOurs { removeLog() }
    Self.open.withLock { open in
      if let index = open.firstIndex(of: self) { open.remove(at: index) }
    }
    connection.close()
  }

  private func canEndLog(_ connection: Connection) -> Bool {
    guard let log else { return true }
    guard index == nil || index?.now != nil else { return false }
    if let now = log.now { return now.size >= connection.logLength }
    return FileStamp(at: log.path).map { $0.size == 0 } ?? true
  }

  /// Removes the log and its index if something else stands in the database's place, whose next
  /// opener would take them for its own.
  private func removeLog() {
    if FileStamp(at: target.path) == nil { return }
    for place in [log, index].compactMap({ $0 }) where place.now != nil {
      try? FileManager.default.removeItem(atPath: place.path)
    }
  }

  // MARK: All that are open

  private static let open = Lock<[StoreFiles]>([])

  /// Notes that connections of this process have the files open, until they are closed.
  func remember() { Self.open.withLock { $0.append(self) } }

  /// Removes, before a connection reads anything, logs of open stores that lie beside another file,
  /// or beside another store in the same one.
  static func removeOrphans(beside path: String) {
    let open = open.withLock { $0 }
    for files in open where files.target.path == path {
      if files.target.now == nil || (try? files.lookInside()) == nil { files.removeLog() }
    }
  }
}
