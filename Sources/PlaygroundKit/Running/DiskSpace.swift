import Foundation
import SQLiteConnection

/// Tells a full disk from every other reason why a write fails.
enum DiskSpace {
  /// SQLite's code for "database or disk is full".
  private static let sqliteFull: Int32 = 13

  /// Why a folder has no room for so many bytes: the system's code for a full disk, for a quota or
  /// for a limit on the size of files; 0 if there is room.
  static func shortage(of bytes: Int, in folder: URL) -> Int32 {
    let path = folder.appendingPathComponent("room").path
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return [ENOSPC, EDQUOT].contains(errno) ? errno : 0 }
    defer {
      close(file)
      unlink(path)
    }
    #if os(Linux)
      let code = posix_fallocate(file, 0, off_t(bytes))
      return [ENOSPC, EDQUOT, EFBIG].contains(code) ? code : 0
    #else
      return 0
    #endif
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
