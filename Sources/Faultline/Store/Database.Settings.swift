extension Database {
  /// How a database is opened.
  struct Settings: Sendable {
    var isReadOnly = false
    /// How long to wait for another process's lock.
    var timeoutMilliseconds: Int32 = 240_000
    /// Pragmas by name, set on every connection after our own.
    var pragmas: [String: String] = [:]
    /// Whether uniqueness constraints of the model hold in this database.
    var keepsConstraints = true
    /// Whether what happens in the database is told in its history.
    var keepsHistory = false
    /// How many may read at a time; nil means without limit.
    var readersMax: Int?
    /// Whether a store of another version of the model is opened as it is.
    var ignoresVersions = false
    /// The type of the store, which its metadata tell.
    var storeType = NSSQLiteStoreType
    /// Whether the statistics are renewed by which SQLite plans, when the database is opened.
    var analyzes = false
    /// Whether the file is rewritten without gaps when the database is opened.
    var vacuums = false
    /// The SQLite VFS that reaches the file; nil for SQLite's own.
    var vfsName: String?
    /// Whether the file is read and written as a whole.
    var isAtomic: Bool { storeType == NSBinaryStoreType }
  }
}
