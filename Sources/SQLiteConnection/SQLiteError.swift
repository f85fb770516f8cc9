import CSQLite

/// What SQLite answered when it could not do what was asked.
///
/// Values bound to a statement never appear here: they are the user's data, and errors get printed.
package struct SQLiteError: Error, Sendable, Equatable {
  /// The primary result code, such as `SQLITE_BUSY`.
  package var code: Int32
  /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`.
  package var extendedCode: Int32
  /// The sentence SQLite has for it.
  package var message: String
  /// The text of the statement, with its `?` unfilled; nil when no statement was involved.
  package var sql: String?

  /// Whether somebody else's lock was in the way.
  package var isBusy: Bool { code == SQLITE_BUSY }

  /// Whether the file is damaged, or no database.
  package var isDamage: Bool { code == SQLITE_CORRUPT || isNoDatabase }

  /// Whether the file is no database.
  package var isNoDatabase: Bool { code == SQLITE_NOTADB }

  /// Splits an extended result code into the pair an error carries.
  package init(extendedCode: Int32, message: String, sql: String?) {
    self.code = extendedCode & 0xff
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
  }

  /// Reads the error a connection has just met, so nothing may touch the connection in between.
  init(_ resultCode: Int32, on database: OpaquePointer?, sql: String?) {
    // A connection remembers only its own last error; a misuse found before SQLite was asked, and
    // an open that ran out of memory, have the general sentence for their code instead.
    let isRemembered = database != nil && sqlite3_extended_errcode(database) == resultCode
    let sentence = isRemembered ? sqlite3_errmsg(database) : sqlite3_errstr(resultCode)
    self.init(
      extendedCode: resultCode, message: sentence.map { String(cString: $0) } ?? "unknown error",
      sql: sql)
  }
}

extension SQLiteError: CustomStringConvertible {
  /// Code, sentence and statement on one line, without any bound value.
  package var description: String {
    let statement = sql.map { ", in: \($0)" } ?? ""
    return "SQLite error \(code) (extended \(extendedCode)): \(message)\(statement)"
  }
}
