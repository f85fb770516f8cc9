import Foundation

/// The one lock of the engine: it protects the value inside it and is never held while user code
/// runs.
///
/// A POSIX mutex rather than the standard library's `Mutex`, whose slow path the thread sanitizer
/// cannot see on Linux: it would report a race wherever two threads really met. A controlled
/// scheduler does not see this lock either: everything between two switch points is atomic, and no
/// switch point stands inside a critical section. On Linux its mutex is of the adaptive kind, which
/// tries again a few times before it waits; by that it is told from an application's locks.
package final class Lock<Content>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @exclusivity(unchecked) private var content: Content

  /// Makes a lock around a value.
  package init(_ content: Content) {
    // What has no size lies where the lock's own header is, which is read without the mutex: the
    // thread sanitizer then reports a race.
    assert(MemoryLayout<Content>.size > 0, "our bug: a lock needs something to guard")
    self.content = content
    mutex = .allocate(capacity: 1)
    #if os(Linux)
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
      pthread_mutex_init(mutex, &attributes)
    #else
      pthread_mutex_init(mutex, nil)
    #endif
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs a short block that alone may use the value.
  @inline(__always)
  package func withLock<Result>(_ body: (inout Content) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&content)
  }
}

// Safe to share: `mutex` protects `content`, which is reached through `withLock` only.
