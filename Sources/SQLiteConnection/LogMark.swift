import CSQLite

/// The header of the write-ahead log's index at one moment; every commit makes another of it.
package struct LogMark: Equatable, Sendable {
  private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

  /// Takes a copy of the header.
  init(_ header: UnsafePointer<UInt8>) {
    withUnsafeMutableBytes(of: &words) { copy in
      faultline_sqlite3_copy_wal_header(header, copy.baseAddress)
    }
  }

  /// How many bytes a page of the database has; 0 before the first commit.
  var pageSize: Int64 {
    let number = UInt16(truncatingIfNeeded: words.1 >> 48)
    // The one size that is no number of 16 bits is written as 1.
    return number == 1 ? 65_536 : Int64(number)
  }

  /// Where the frames of the next commit go, in bytes from the log's beginning, unless that one
  /// begins the log anew.
  var logEnd: Int64 { 32 + Int64(UInt32(truncatingIfNeeded: words.2)) * (24 + pageSize) }

  /// The number that the log has had since it was last begun anew.
  var salt: UInt64 { words.4 }

  /// How many bytes of the log hold what was committed.
  var length: Int64 { UInt32(truncatingIfNeeded: words.2) == 0 ? 0 : logEnd }

  /// Whether nobody committed between the two.
  package static func == (left: LogMark, right: LogMark) -> Bool {
    let (a, b) = (left.words, right.words)
    return a.0 == b.0 && a.1 == b.1 && a.2 == b.2 && a.3 == b.3 && a.4 == b.4 && a.5 == b.5
  }
}
