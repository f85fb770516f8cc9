import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Hears when somebody gives a sign at a file, in this process or in another.
///
/// The sign is a new time stamp: it needs no file of its own, and it comes when its giver wants it
/// to, which a look at what is written to the file could not tell.
package final class FileSign: @unchecked Sendable {
  #if canImport(Glibc)
    private let source: any DispatchSourceRead
  #endif

  /// Gives the sign to whoever listens at the file.
  package static func give(at path: String) { utimensat(AT_FDCWD, path, nil, 0) }

  /// Listens at a file until this object goes; nil under a controlled scheduler, where there is no
  /// other process, and where the system has nothing to listen by.
  package init?(at path: String, _ hear: @escaping @Sendable () -> Void) {
    #if canImport(Glibc)
      guard Scheduling.hook == nil else { return nil }
      let events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard events >= 0 else { return nil }
      guard inotify_add_watch(events, path, UInt32(IN_ATTRIB)) >= 0 else {
        close(events)
        return nil
      }
      source = DispatchSource.makeReadSource(fileDescriptor: events)
      source.setEventHandler {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
          // Only that there was a sign is of interest, however often.
          while read(events, buffer.baseAddress, buffer.count) > 0 {}
        }
        hear()
      }
      source.setCancelHandler { close(events) }
      source.resume()
    #else
      return nil
    #endif
  }

  #if canImport(Glibc)
    deinit { source.cancel() }
  #endif
}

// Safe to share: `source` is constant, and dispatch sources may be used from any thread.
