/// Runs the jobs of an actor inside a context's queue, where the actor may use the context and its
/// objects as they are.
///
///     actor Importer {
///       private let executor: ManagedObjectContextExecutor
///       nonisolated var unownedExecutor: UnownedSerialExecutor {
///         executor.asUnownedSerialExecutor()
///       }
///     }
///
/// A job is what the actor does from one `await` to the next. Each is one `perform` block, hence
/// one user event, and waits its turn among the context's other blocks. Only inside a job does
/// `assumeIsolated` hold: a block that others perform in the context is not the actor's.
///
/// Core Data has no such type; applications write it, and this is what they write.
public final class ManagedObjectContextExecutor: SerialExecutor {
  /// The context whose queue the jobs run in.
  public let context: NSManagedObjectContext

  /// Makes an executor, which keeps the context; the actor must keep the executor.
  public init(context: NSManagedObjectContext) { self.context = context }

  /// Puts a job at the end of the context's queue and returns.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    context.perform { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
