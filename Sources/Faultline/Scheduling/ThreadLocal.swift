import Foundation

/// A per-thread reference, used for the queue whose block the thread is running.
package struct ThreadLocal<Object: AnyObject>: Sendable {
  @usableFromInline let key: pthread_key_t

  /// Makes a reference that is nil on every thread.
  package init() {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    self.key = key
  }

  /// The thread's object; it is not retained, so whoever sets it keeps it alive until it is unset.
  package var value: Object? {
    @inlinable get {
      guard let object = pthread_getspecific(key) else { return nil }
      return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
    }
    @inlinable nonmutating set {
      pthread_setspecific(
        key, newValue.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
    }
  }
}
