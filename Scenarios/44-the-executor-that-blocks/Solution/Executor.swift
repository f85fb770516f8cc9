import CoreData
import PlaygroundKit

/// Two actors, each on the queue of a context of its own, ask each other.
///
/// `Scenarios/44-the-executor-that-blocks/Exercise/Clerks.swift` has the actors.
@MainActor func yours(_ world: World) async throws {
  try await Clerks.askEachOther(world) { ContextExecutor($0) }
}

/// Runs the jobs of an actor on the queue of a context.
final class ContextExecutor: SerialExecutor {
  private let context: NSManagedObjectContext

  /// Makes an executor that runs jobs in this context.
  init(_ context: NSManagedObjectContext) { self.context = context }

  /// Runs a job of the actor; the runtime calls this.
  func enqueue(_ job: consuming ExecutorJob) {
    let (job, executor) = (UnownedJob(job), asUnownedSerialExecutor())
    context.perform { job.runSynchronously(on: executor) }
  }
}
