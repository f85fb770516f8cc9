import Foundation
import SQLiteConnection

/// A store in memory that is filled once, and another that is made equal to it before each run.
///
/// The second keeps its name and its connections as long as runs come to their ends, which saves
/// more time than a short run takes. A run that stays behind keeps its store, and the next gets
/// another.
final class TemplateStore {
  /// The SQLite VFS for databases in memory that several connections share.
  static let vfsName = "memdb"

  /// Where a scenario fills its store.
  let given = place("given")
  /// Keeps the filled store from going away.
  private let keeper: Connection
  private var copy: Connection?
  private var copies = 0
  private var tables: [String] = []
  private var schemaVersion: Int64 = 0

  /// Makes an empty store to be filled.
  init() throws { keeper = try Self.connection(given.path) }

  /// Takes a store that was filled elsewhere.
  convenience init(filledFrom path: String) throws {
    try self.init()
    let file = try Connection(path: path, options: .init(readOnly: true))
    defer { file.close() }
    try file.copy(to: keeper)
  }

  /// Writes the filled store to a file.
  func write(to url: URL) throws { try keeper.writeSerialized(to: url) }

  /// A name of a store; no folder is there, so that nobody can make a file in its place.
  private static func place(_ name: String) -> URL { URL(fileURLWithPath: "/dev/null/\(name)") }

  private static func connection(_ path: String) throws -> Connection {
    try Connection(path: path, options: .init(vfsName: vfsName))
  }

  /// Where the store of the next run is.
  var url: URL { Self.place("run-\(copies)") }

  /// The next run gets another store, because the last one is still used by somebody.
  func leaveCopy() { copy = nil }

  /// Makes the store of the next run equal to the one that was filled.
  ///
  /// - Returns: a connection to it, for whoever looks at it afterwards.
  func restore() throws -> Connection {
    // Somebody who opened the store with other options may have made tables of their own in it.
    if let copy, try copy.schemaVersion() == schemaVersion {
      try copy.statement("BEGIN IMMEDIATE").run()
      for table in tables {
        try copy.statement("DELETE FROM main.\"\(table)\"").run()
        try copy.statement("INSERT INTO main.\"\(table)\" SELECT * FROM given.\"\(table)\"").run()
      }
      try copy.statement("COMMIT").run()
      return copy
    }
    copies += 1
    let copy = try Self.connection(url.path)
    try keeper.copy(to: copy)
    try copy.execute("ATTACH 'file:\(given.path)?vfs=\(Self.vfsName)' AS given")
    let names = try copy.statement(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    tables = []
    while try names.step() { tables.append(names.text(0)) }
    names.reset()
    schemaVersion = try copy.schemaVersion()
    self.copy = copy
    return copy
  }
}

extension Connection {
  /// Writes the database to a file.
  func writeSerialized(to url: URL) throws {
    try withSerialized { try ReusedFile.write($0, to: url.path) }
  }
}

/// A file that is written again and again, a thousand times a second.
///
/// It is not emptied first: giving back the blocks and taking new ones costs more time than the run
/// whose data they hold.
enum ReusedFile {
  /// Replaces what is in the file.
  static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    guard Foundation.write(file, bytes.baseAddress, bytes.count) == bytes.count,
      status.st_size <= bytes.count || ftruncate(file, off_t(bytes.count)) == 0
    else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  /// Replaces what is in the file with a text whose length varies; white space fills it up.
  static func write(text: Data, to path: String) throws {
    let blank = Data(repeating: UInt8(ascii: " "), count: 4096 - text.count % 4096)
    try (text + blank).withUnsafeBytes { try write($0, to: path) }
  }
}
