import Foundation
import SQLiteConnection

/// Tells a full disk from every other reason why a write fails.
enum DiskSpace {
  /// SQLite's code for "database or disk is full".
  private static let sqliteFull: Int32 = 13

  /// Throws if a program that failed met a full disk: it printed so, or its folder has no room.
  static func check(_ folder: URL, output: String = "") throws {
    var figures = statvfs()
    let isFull =
      statvfs(folder.path, &figures) == 0
      && UInt64(figures.f_bavail) * UInt64(figures.f_frsize) < 64 << 10
    if isFull || output.contains(String(cString: strerror(ENOSPC))) {
      throw CocoaError(.fileWriteOutOfSpace)
    }
  }

  /// Whether the error, or one underneath it, says that the disk is full.
  static func isMissing(_ error: any Error) -> Bool {
    if let error = error as? SQLiteError { return error.code == sqliteFull }
    let error = error as NSError
    switch (error.domain, error.code) {
    case (NSPOSIXErrorDomain, Int(ENOSPC)), (NSPOSIXErrorDomain, Int(EDQUOT)): return true
    case (NSCocoaErrorDomain, CocoaError.fileWriteOutOfSpace.rawValue): return true
    case ("NSSQLiteErrorDomain", Int(sqliteFull)): return true
    default: break
    }
    return error.userInfo.values.contains { value in
      switch value {
      case let underneath as any Error: isMissing(underneath)
      case let several as [any Error]: several.contains(where: isMissing)
      case let code as Int: code == Int(sqliteFull) && error.userInfo["NSSQLiteErrorDomain"] != nil
      default: false
      }
    }
  }
}
