import CSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the file system says of the file at a path; equal as long as nothing is written to it.
package struct FileStamp: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let written: Moment
  /// How many bytes the file has.
  package let size: Int64

  private struct Moment: Equatable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
  }

  /// Looks at a path; nil if it leads to no file.
  package init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Glibc)
      let (written, changed) = (Moment(status.st_mtim), Moment(status.st_ctim))
    #else
      let (written, changed) = (Moment(status.st_mtimespec), Moment(status.st_ctimespec))
    #endif
    self.written = written
    wasWrittenByOwner = written == changed && status.st_mode & (S_IWGRP | S_IWOTH) == 0
  }

  package static func == (left: FileStamp, right: FileStamp) -> Bool {
    left.isSameFile(as: right) && left.size == right.size && left.written == right.written
  }

  /// Whether both are of one file, whatever was written to it in between.
  package func isSameFile(as other: FileStamp) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Whether its last change may be that its owner, or the system's, wrote to it, and no other user
  /// can. Setting its times to now, as `touch` does, looks the same.
  package let wasWrittenByOwner: Bool
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

  /// How much of the log has been copied into the database; nil while a copy is under way, and
  /// without a log.
  package var copyMark: CopyMark? {
    guard let mark = logMark, let logHeader else { return nil }
    // `nBackfill` and `nBackfillAttempted` of https://sqlite.org/walformat.html, 2.2.
    let (done, begun) = logHeader.withMemoryRebound(to: UInt32.self, capacity: 40) {
      (UInt32(littleEndian: $0[24]), UInt32(littleEndian: $0[32]))
    }
    return done == begun ? CopyMark(salt: mark.salt, pageCount: done) : nil
  }

  /// Leaves the log as it is when the connection is closed, even if it is the last one.
  package func leaveLog() {
    if let database = handle.database { _ = faultline_sqlite3_leave_log(database) }
  }
}

/// How much of a write-ahead log has been copied into the database at one moment; SQLite writes
/// nothing to the database between two equal ones.
package struct CopyMark: Equatable, Sendable {
  /// The number that the log has had since it was last begun anew.
  let salt: UInt64
  /// How many of its pages are copied.
  let pageCount: UInt32
}
