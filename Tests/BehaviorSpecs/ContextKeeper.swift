import CoreData
import Foundation

#if FAULTLINE
  typealias ContextExecutor = ManagedObjectContextExecutor
#else
  /// Runs an actor's jobs as blocks of a context, as applications on Apple's systems write it.
  final class ContextExecutor: SerialExecutor {
    private let context: NSManagedObjectContext

    /// An executor of the context.
    init(context: NSManagedObjectContext) { self.context = context }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      context.perform { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }
#endif

/// An actor whose methods execute inside its context's queue.
actor Keeper {
  private let executor: ContextExecutor

  /// The context it keeps.
  nonisolated let context: NSManagedObjectContext

  /// A keeper of the context.
  init(context: NSManagedObjectContext) {
    self.context = context
    executor = ContextExecutor(context: context)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// In which order an immediate and an enqueued block run when asked for inside the queue.
  func immediateThenEnqueued() async throws -> [String] {
    let order = Box<[String]>([])
    context.enqueue { order.update { $0.append("queued before") } }
    await context.perform(schedule: .immediate) { order.update { $0.append("immediate") } }
    order.update { $0.append("still the same job") }
    await context.perform(schedule: .enqueued) { order.update { $0.append("enqueued") } }
    return order.value
  }

  /// Inserts so many authors without any perform, for this job is a block of the context.
  func insert(_ count: Int) {
    for _ in 0..<count { _ = Author(context: context) }
  }

  /// Saves and counts without any perform.
  func saveAndCount() throws -> Int {
    try context.save()
    return try context.all(Author.self).count
  }

  /// Takes the synchronous way into the actor, which is open inside a job only.
  nonisolated func insertAssumingIsolation() {
    assumeIsolated { keeper in _ = Author(context: keeper.context) }
  }

  /// Inserts an author the synchronous way, from inside a job.
  func insertInAJob() { insertAssumingIsolation() }

  /// Inserts in one job, and in the next says what the context knew between the two.
  func insertAcrossAnAwait(_ meanwhile: @Sendable () async -> Void) async -> Bool {
    _ = Author(context: context)
    await meanwhile()
    return context.hasChanges
  }

  /// Notes when it ran.
  func note(_ word: String, in order: Box<[String]>) { order.update { $0.append(word) } }
}

/// An actor that merely owns a context; its methods run wherever actors run.
actor Owner {
  /// The context it owns.
  nonisolated let context: NSManagedObjectContext

  /// An owner of the context.
  init(context: NSManagedObjectContext) { self.context = context }

  /// Runs without asking the context.
  func touchNothing() -> Bool { true }

  /// Inserts an author, lets `meanwhile` happen at an await, then says whether changes are pending.
  func insertThenAwait(_ meanwhile: @Sendable () async -> Void) async -> Bool {
    await context.perform { [context] in _ = Author(context: context) }
    await meanwhile()
    return await context.perform { [context] in context.hasChanges }
  }

  /// Drops everything that is pending.
  func rollBack() async { await context.perform { [context] in context.rollback() } }
}
