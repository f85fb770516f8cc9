import CSQLite

/// The tables of C functions behind ``FailureInjectingVFS``.
///
/// SQLite allocates one block for each open file. Its head is ours and names our functions; behind
/// it lies the block of the real VFS, to which each function forwards.
enum FailingFile {
  /// The head, rounded up so that what follows is aligned for any type.
  fileprivate static let headSize = 16

  /// The VFS that all files end up with. It and the two tables below are safe to share because they
  /// are written once, before anyone can read them, and live as long as the process.
  private nonisolated(unsafe) static let real = sqlite3_vfs_find(nil)!
  /// The default VFS with its name, its file size and the functions that may fail replaced.
  nonisolated(unsafe) static let vfs: UnsafeMutablePointer<sqlite3_vfs> = {
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: real.pointee)
    vfs.pointee.pNext = nil
    vfs.pointee.zName = permanentCString(FailureInjectingVFS.name)
    vfs.pointee.szOsFile = real.pointee.szOsFile + Int32(headSize)
    vfs.pointee.xOpen = { _, path, file, flags, outFlags in
      FailingFile.open(path, file!, flags, outFlags)
    }
    vfs.pointee.xDelete = { _, path, syncDirectory in
      FailureInjectingVFS.attempt(.delete) {
        FailingFile.real.pointee.xDelete(FailingFile.real, path, syncDirectory)
      }
    }
    vfs.pointee.xAccess = { FailingFile.real.pointee.xAccess(FailingFile.real, $1, $2, $3) }
    vfs.pointee.xFullPathname = {
      FailingFile.real.pointee.xFullPathname(FailingFile.real, $1, $2, $3)
    }
    return vfs
  }()

  /// The functions of an open file; version 2 has the write-ahead log but no memory mapping, which
  /// would read and write behind the counter's back.
  private nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    forwardWhatCannotFail(&methods.pointee)
    failWhatCan(&methods.pointee)
    failTheLogIndex(&methods.pointee)
    return methods
  }()

  private static func permanentCString(_ text: String) -> UnsafePointer<CChar> {
    let bytes = Array(text.utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    copy.initialize(from: bytes, count: bytes.count)
    return UnsafePointer(copy)
  }

  /// Opens the real file; without functions in its head SQLite will not close a file that failed.
  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    file.pointee.pMethods = nil
    let real = self.real
    let resultCode = FailureInjectingVFS.attempt(.open) {
      real.pointee.xOpen(real, path, behind(file), flags, outFlags)
    }
    if resultCode == SQLITE_OK { file.pointee.pMethods = UnsafePointer(methods) }
    return resultCode
  }

  private static func forwardWhatCannotFail(_ methods: inout sqlite3_io_methods) {
    methods.xClose = { functions($0).xClose(behind($0)) }
    methods.xFileSize = { functions($0).xFileSize(behind($0), $1) }
    methods.xUnlock = { functions($0).xUnlock(behind($0), $1) }
    methods.xCheckReservedLock = {
      functions($0).xCheckReservedLock(behind($0), $1)
    }
    methods.xFileControl = { functions($0).xFileControl(behind($0), $1, $2) }
    methods.xSectorSize = { functions($0).xSectorSize(behind($0)) }
    methods.xDeviceCharacteristics = {
      functions($0).xDeviceCharacteristics(behind($0))
    }
    methods.xShmBarrier = { functions($0).xShmBarrier(behind($0)) }
    methods.xShmUnmap = { functions($0).xShmUnmap(behind($0), $1) }
  }

  private static func failWhatCan(_ methods: inout sqlite3_io_methods) {
    methods.xRead = { file, bytes, count, offset in
      FailureInjectingVFS.attempt(.read) {
        functions(file).xRead(behind(file), bytes, count, offset)
      }
    }
    methods.xWrite = { file, bytes, count, offset in
      FailureInjectingVFS.attempt(.write) {
        functions(file).xWrite(behind(file), bytes, count, offset)
      }
    }
    methods.xTruncate = { file, size in
      FailureInjectingVFS.attempt(.truncate) {
        functions(file).xTruncate(behind(file), size)
      }
    }
    methods.xSync = { file, flags in
      FailureInjectingVFS.attempt(.sync) {
        functions(file).xSync(behind(file), flags)
      }
    }
    methods.xLock = { file, level in
      FailureInjectingVFS.attempt(.lock) {
        functions(file).xLock(behind(file), level)
      }
    }
  }

  private static func failTheLogIndex(_ methods: inout sqlite3_io_methods) {
    methods.xShmMap = { file, region, size, extend, address in
      FailureInjectingVFS.attempt(.map) {
        functions(file).xShmMap(behind(file), region, size, extend, address)
      }
    }
    methods.xShmLock = { file, offset, count, flags in
      let lock = { functions(file).xShmLock(behind(file), offset, count, flags) }
      // An unlock that failed would leave the lock held for ever; SQLite ignores its result.
      if flags & SQLITE_SHM_UNLOCK != 0 { return lock() }
      return FailureInjectingVFS.attempt(.lock, lock)
    }
  }
}

// Free functions, because a C function pointer may not capture even the type it is written in.

/// The real file behind one of ours.
private func behind(_ file: UnsafeMutablePointer<sqlite3_file>?)
  -> UnsafeMutablePointer<sqlite3_file>
{
  (UnsafeMutableRawPointer(file!) + FailingFile.headSize)
    .assumingMemoryBound(to: sqlite3_file.self)
}

/// The functions of the real file behind one of ours.
private func functions(_ file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_io_methods {
  behind(file).pointee.pMethods.pointee
}
