import Faultline

extension NSManagedObjectContext {
  /// `performAndWait` whose block may use whatever its caller uses, as with SDKs before 26.
  ///
  /// - Throws: what the block throws.
  public func performOnThisThread<T>(_ block: () throws -> T) rethrows -> T {
    try withoutActuallyEscaping(block) { block in
      let borrowed = Borrowed(block: block)
      return try performAndWait { try borrowed.block() }
    }
  }
}

/// A block of a caller that waits for it.
private struct Borrowed<T> {
  let block: () throws -> T
}

// Safe to share: while the block runs, the thread that it was borrowed from does nothing else.
extension Borrowed: @unchecked Sendable {}
