import Foundation

extension NSManagedObjectContext {
  /// When an asynchronous `perform` runs its block.
  public enum ScheduledTaskType: Sendable {
    /// At once if the caller is inside the context's queue already, otherwise as `enqueued`.
    case immediate
    /// At the end of the queue.
    case enqueued
  }

  /// Runs a block inside the context's queue later and returns at once.
  ///
  /// The block is one user event: its changes are processed when it ends.
  @preconcurrency public func perform(_ block: @escaping @Sendable () -> Void) {
    queue.async {
      self.run(block)
      self.endUserEvent()
    }
  }

  /// Runs a block inside the context's queue, on the caller's thread, and returns what it returns.
  ///
  /// Called inside the queue, the block runs at once. Changes are not processed when it ends. The
  /// block is `@Sendable`, as it is since Apple's 26 SDKs; in Swift 5 mode any closure will do.
  ///
  /// If a merge that the engine began by itself holds the queue and needs a context whose queue the
  /// caller holds, as a child's merge needs its parent, then the caller answers it while it waits.
  ///
  /// - Throws: what the block throws.
  @preconcurrency nonisolated public func performAndWait<T>(
    _ block: @Sendable () throws -> T
  ) rethrows -> T {
    try queue.sync(isApplications: true) { try run(block) }
  }

  /// Runs a block inside the context's queue and suspends the caller until it has run.
  ///
  /// It stays with its caller (`nonsending`): a caller on the main actor must still be there when a
  /// main-queue context asks whether it is inside its queue.
  ///
  /// - Throws: what the block throws.
  @preconcurrency nonisolated(nonsending) public func perform<T, Failure: Error>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws(Failure) -> T
  ) async throws(Failure) -> T {
    if case .immediate = schedule, queue.isCurrent { return try run(block) }
    return try await queue.awaiting { () throws(Failure) -> T in
      defer { self.endUserEvent() }
      return try self.run(block)
    }
  }

  /// The main-queue context whose block is running; read and written on the main thread only.
  private nonisolated(unsafe) static var onMain: NSManagedObjectContext?

  /// The context whose block the caller is in; the innermost if there are several.
  static var current: NSManagedObjectContext? {
    guard let queue = SerialQueue.current else { return nil }
    return queue.kind == .main ? onMain : queue.client?.object as? NSManagedObjectContext
  }

  /// Runs a block as this context's, inside its queue.
  ///
  /// A private queue knows whose it is; the main queue serves many.
  @inline(__always)
  private func run<T, Failure: Error>(_ block: () throws(Failure) -> T) throws(Failure) -> T {
    if queue.kind == .private { return try block() }
    let outer = Self.onMain
    Self.onMain = self
    defer { Self.onMain = outer }
    return try block()
  }

  /// Ends the user event of a `perform` block, or of a turn of the main loop.
  func endUserEvent() {
    if event.isEmpty { return }
    processPendingChanges()
  }
}
