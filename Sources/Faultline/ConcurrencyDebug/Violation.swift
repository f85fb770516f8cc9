/// One broken queue rule: who touched what, where it belongs, and what to do instead.
package struct Violation: Sendable, Codable, Equatable {
  /// The operation, such as `get name` or `save()`.
  package let operation: String
  /// The object's id, or `none` if the context itself was used.
  package let object: String
  /// The context that owns the object.
  package let context: String
  /// The queue on which the operation is allowed.
  package let ownerQueue: String
  /// The queue whose block the caller was running.
  package let callerQueue: String
  /// The thread of the caller.
  package let callerThread: String
  /// The first place outside the engine on the caller's stack, as far as it can be had.
  package let location: String
  /// What to do instead.
  package let fix: String

  /// The violation as the report that a stopped program prints.
  package var report: String {
    """
    CoreData: concurrency violation: \(operation) outside its context's queue.
      object   \(object)
      context  \(context)
      allowed  on \(ownerQueue)
      called   from \(callerQueue), on \(callerThread)
      at       \(location)
      fix      \(fix)
    """
  }
}
