import CoreData

// anchor: type
/// Work in batches that an operation queue runs and `cancel()` stops: each batch is saved whole or
/// not at all, and a report comes exactly once.
///
/// It uses no other type of this playground, so an app can have a copy of this file.
final class BatchOperation: Operation {
  /// How it ended.
  struct Report: Sendable {
    /// How many batches are saved.
    var batches = 0
    /// Why it stopped: `CancellationError`, or what a batch threw; nil if all work is done.
    var error: (any Error)?
  }

  /// Writes the batch of this number, and says whether there is another one after it.
  typealias Batch = @Sendable (BatchOperation, Int) throws -> Bool

  /// The context that a batch is written in, from inside its queue: for this operation alone, since
  /// it is reset after each batch.
  let context: NSManagedObjectContext
  private let batch: Batch
  private let done: @Sendable (Report) -> Void
  private var report = Report(error: CancellationError())

  /// An operation that works in this background context, and reports to `done` on its own thread.
  init(
    in context: NSManagedObjectContext, batch: @escaping Batch,
    done: @escaping @Sendable (Report) -> Void
  ) {
    (self.context, self.batch, self.done) = (context, batch, done)
  }

  /// Starts the work; a queue starts a cancelled operation too, but does not call its `main`.
  override func start() {
    super.start()
    done(report)
  }

  /// Returns when the work is done or stopped, so that `cancel()` reaches it until then.
  override func main() {
    do {
      var isMore = true
      while isMore {
        try checkCancellation()
        isMore = try save(report.batches)
        report.batches += 1
      }
      report.error = nil
    } catch {
      report.error = error
    }
  }

  /// Throws when the operation is cancelled; a batch that calls it gives up its unsaved rows.
  func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  private func save(_ number: Int) throws -> Bool {
    try context.performAndWait {
      defer { context.reset() }
      let isMore = try batch(self, number)
      try context.save()
      return isMore
    }
  }
}

/// `report` is used by the thread that runs `start` only; the other properties never change.
extension BatchOperation: @unchecked Sendable {}
// end: type
