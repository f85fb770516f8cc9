import CSwiftRuntime

/// A weak reference that costs its object nothing.
///
/// Swift's own moves the counts of an object that has one into a table beside it, and from then on
/// every retain and release of the object goes there. For a context, which each of its objects
/// asks, a profile of firing faults had up to a tenth of its samples there. The object makes its
/// link, gives it away, and calls `cut` in its `deinit`.
package final class WeakLink: Sendable {
  private let address = Lock<UnsafeRawPointer?>(nil)

  /// Makes a link that leads nowhere yet.
  package init() {}

  /// Lets the link lead to the object that owns it; called once, before it is given away.
  package func lead(to object: AnyObject) {
    address.withLock { $0 = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) }
  }

  /// The end of the object: the link leads nowhere any more.
  package func cut() { address.withLock { $0 = nil } }

  /// Whether the object is gone; who asks under a lock does not hold the object for a moment.
  package var isCut: Bool { address.withLock { $0 == nil } }

  /// The object, unless it is gone or going.
  package var object: AnyObject? {
    let retained = address.withLock { address in address.flatMap { faultline_try_retain($0) } }
    return retained.map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
  }
}

// Safe to share: `address` is a lock, and the object waits for it before its memory goes.
