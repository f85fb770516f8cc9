import CSQLite

/// What a connection does with its write-ahead log by itself.
extension Connection {
  /// Leaves the write-ahead log to whoever calls ``checkpoint()``: commits of this connection no
  /// longer copy it into the database. A pragma `wal_autocheckpoint` undoes this.
  package func stopAutomaticCheckpoints() {
    handle.watchLog()
  }

  /// How many pages the write-ahead log had after the last commit; zero unless automatic
  /// checkpoints are stopped.
  package var logPageCount: Int { handle.logPageCount }

  /// What tells whether anybody has committed, in any process: between two equal ones nobody has;
  /// nil if this connection has not read from a write-ahead log yet.
  package var logMark: LogMark? {
    guard let database = handle.database else { return nil }
    if logHeader == nil { logHeader = faultline_sqlite3_wal_header(database) }
    guard let logHeader else { return nil }
    return LogMark(logHeader)
  }

  /// Copies as much of the write-ahead log into the database as nobody is in the way of.
  package func checkpoint() throws(SQLiteError) {
    let resultCode = sqlite3_wal_checkpoint_v2(
      handle.database, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    if resultCode != SQLITE_OK { throw SQLiteError(resultCode, on: handle.database, sql: nil) }
  }

  /// Whether a commit waits until it is on the disk; does not count among the statements run.
  package func syncsCommits() throws(SQLiteError) -> Bool {
    try pragma("main.synchronous") ?? 0 >= 2
  }

  /// Writes zeros behind the end of the write-ahead log if there is little room left; call it right
  /// behind `BEGIN IMMEDIATE`, where commits wait for the disk.
  ///
  /// To wait for bytes that make a file longer is to wait for the file system's journal too.
  /// 250 commits of three pages of 16 KB on ext4: 255 µs each at the end of the file, 127 µs in
  /// zeros (medians; means 256 and 181 µs, the writing of the zeros included). Nobody takes zeros
  /// for a commit: the frames of one carry the log's salt (https://sqlite.org/walformat.html, 4.4).
  ///
  /// Only what lies past the end of the file is written, and nobody else writes there while this
  /// connection has the right to. A failure is not reported: the commit makes the file longer then.
  package func makeLogRoom() {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard let mark = logMark, mark.pageSize > 0,
      sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods?.pointee
    else { return }
    var size: Int64 = 0
    guard methods.xFileSize(file, &size) == SQLITE_OK, size - mark.logEnd < 8 * mark.pageSize
    else { return }
    // SQLite's own VFS writes less than 128 KiB at a time.
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    for offset in stride(from: size, to: size + (1 << 20), by: zeros.count) {
      guard methods.xWrite(file, zeros, Int32(zeros.count), offset) == SQLITE_OK else { return }
    }
  }
}
