import CoreData

extension NSManagedObjectContext {
  /// An element for each save of this context, as it comes; from the moment of the call.
  func saves() -> AsyncStream<Void> {
    AsyncStream { stream in
      nonisolated(unsafe) let token = NotificationCenter.default.addObserver(
        forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: self, queue: nil
      ) { _ in stream.yield() }
      stream.onTermination = { _ in NotificationCenter.default.removeObserver(token) }
    }
  }
}
