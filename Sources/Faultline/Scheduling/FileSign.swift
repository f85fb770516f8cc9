import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Hears when somebody gives a sign at a file, in this process or in another.
///
/// The sign is that the file's times are set: it needs no file of its own, and it comes when its
/// giver wants it to, which a look at what is written to the file could not tell.
package final class FileSign: @unchecked Sendable {
  #if canImport(Glibc)
    private let source: any DispatchSourceRead

    /// Where signs are read; closed when nobody reads there any more.
    private final class Descriptor: Sendable {
      let number: Int32
      init(_ number: Int32) { self.number = number }
      deinit { close(number) }
    }
  #endif

  /// Gives the sign to whoever listens at the file.
  ///
  /// The times are set to what they are, if this process may do that: by the time at which the file
  /// was written a store sees that another program wrote to it.
  package static func give(at path: String) {
    #if canImport(Glibc)
      var status = stat()
      if stat(path, &status) == 0,
        utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0) == 0
      {
        return
      }
    #endif
    utimensat(AT_FDCWD, path, nil, 0)
  }

  /// Listens at a file until this object goes; nil under a controlled scheduler, where there is no
  /// other process, and where the system has nothing to listen by.
  package init?(at path: String, _ hear: @escaping @Sendable () -> Void) {
    #if canImport(Glibc)
      guard Scheduling.hook == nil else { return nil }
      let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard number >= 0 else { return nil }
      let events = Descriptor(number)
      guard inotify_add_watch(events.number, path, UInt32(IN_ATTRIB)) >= 0 else { return nil }
      source = DispatchSource.makeReadSource(fileDescriptor: events.number)
      source.setEventHandler {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
          // Only that there was a sign is of interest, however often.
          while read(events.number, buffer.baseAddress, buffer.count) > 0 {}
        }
        hear()
      }
      source.setCancelHandler { withExtendedLifetime(events) {} }
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
