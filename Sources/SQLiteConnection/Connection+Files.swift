import CSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the file system says of the file at a path.
package struct FileStamp: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let seconds: Int
  private let nanoseconds: Int
  /// How many bytes the file has.
  package let size: Int64

  /// Looks at a path; nil if it leads to no file.
  package init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Glibc)
      let time = status.st_mtim
    #else
      let time = status.st_mtimespec
    #endif
    (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
  }

  /// Whether both are of one file, whatever was written to it in between.
  package func isSameFile(as other: FileStamp) -> Bool {
    device == other.device && inode == other.inode
  }
}

/// Which files a connection has open.
extension Connection {
  /// The path of the file, all symbolic links resolved; SQLite puts the log beside it.
  package var filePath: String {
    sqlite3_db_filename(handle.database, "main").map { String(cString: $0) } ?? ""
  }

  /// Whether the path leads elsewhere than when the file was opened. SQLite answers for the file of
  /// the database only, not for its log.
  package var hasMoved: Bool {
    var hasMoved: Int32 = 0
    sqlite3_file_control(handle.database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  /// How many bytes the write-ahead log must have at least, by its index.
  package var logLength: Int64 { logMark?.length ?? 0 }

  /// Leaves the log as it is when the connection is closed, even if it is the last one.
  package func leaveLog() {
    if let database = handle.database { _ = faultline_sqlite3_leave_log(database) }
  }
}
