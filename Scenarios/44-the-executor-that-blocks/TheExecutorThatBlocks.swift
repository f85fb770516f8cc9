import CoreData
import PlaygroundKit

/// An executor whose `enqueue` waits for the job makes `await` block, and two actors deadlock.
///
///     faultline run 44
///     faultline explore 44
///     faultline run 44 --set rounds=1
public enum TheExecutorThatBlocks: Scenario {
  public static let card = Card(
    44, "the-executor-that-blocks", "The executor that blocks", part: .swiftConcurrency,
    claim: "An executor's enqueue hands its job over and returns; it never waits for the job.",
    question: """
      Two actors run on the queues of two contexts, and each awaits the other. Actors cannot \
      deadlock at an await, it is said. What if the executor uses performAndWait?
      """,
    why: """
      The runtime calls enqueue on the thread that runs the caller's job, and that thread holds \
      the caller's queue. If enqueue waits for another queue, the caller is blocked, not suspended.
      """,
    given: """
      two actors, each on the queue of its own context; each writes a line and asks the other for \
      a part of it, {rounds|once|# times}
      """,
    guide: "08-swift-concurrency.md#44",
    sources: [.swiftConcurrency("Executor de Actor Customizado (Avançado)")])

  private static let rounds = Parameter(
    "rounds", 500, in: 1...100_000, "how often both lines are written", explored: 1)

  private static let deadlock = Outcome(
    "DEADLOCK", .forbidden, "each actor's thread waits for the queue of the other actor",
    when: .deadlock)
  private static let nested = Outcome(
    "NESTED", .forbidden, "a job of an actor ran in the middle of another job of that actor")
  private static let halfWritten = Outcome(
    "HALF WRITTEN", .forbidden, "a line lacks what it asked the other actor for")
  private static let refused = Outcome(
    "REFUSED", .interesting, "it does not compile, so nothing was run")
  private static let notAsked = Outcome("NOT ASKED", .interesting, "there is no compiler here")
  private static let written = Outcome(
    "WRITTEN", .accepted, "every line is whole, and each actor ran one job after the other")

  public static let parameters = [rounds]
  public static let outcomes = [deadlock, nested, halfWritten, refused, notAsked, written]
  public static let sides: [Side] = [
    .wrong("enqueue waits", wrong),
    .column("source", "as it is published", asPublished),
    .right("enqueue hands over", right),
    .right("no executor", name: "none", noExecutor),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given one article on one shelf,
  @MainActor public static func given(_ world: World) async throws {
    let article = Article(context: world.container.viewContext)
    article.name = "Rain"
    article.category = Category(context: world.container.viewContext)
    article.category?.name = "Weather"
    try world.container.viewContext.save()
  }

  // and two actors, each of which has a context, and runs on its queue,
  // anchor: actor
  private actor ContextClerk: Clerk {
    private let context: NSManagedObjectContext
    private let executor: any SerialExecutor
    var log: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ context: NSManagedObjectContext, _ executor: any SerialExecutor) {
      (self.context, self.executor) = (context, executor)
    }

    func name() throws -> String { try context.firstName() }
  }
  // end: actor

  // when its executor waits until the job has run,
  // anchor: wrong
  private final class WaitingExecutor: SerialExecutor {
    private let (context, world): (NSManagedObjectContext, World)

    init(_ context: NSManagedObjectContext, _ world: World) {
      (self.context, self.world) = (context, world)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let (job, executor) = (UnownedJob(job), asUnownedSerialExecutor())
      world.mark("the runtime calls this on the caller's thread, which may hold another queue")
      context.performAndWait { job.runSynchronously(on: executor) }
    }
  }

  @MainActor private static func wrong(_ world: World) async throws {
    try await world.letClerksAskEachOther(rounds: world[rounds]) { context in
      ContextClerk(context, WaitingExecutor(context, world))
    }
  }
  // end: wrong

  // or cannot be compiled, as it is published,
  private static let published = """
    import CoreData
    final class ContextExecutor: SerialExecutor {
      private let context: NSManagedObjectContext
      init(_ context: NSManagedObjectContext) { self.context = context }
      func enqueue(_ job: consuming ExecutorJob) {
        let (job, executor) = (UnownedJob(job), asUnownedSerialExecutor())
        context.perform { job.runSynchronously(on: executor) }
      }
    }
    // anchor: published
    actor CoreDataStore {
      let container: NSPersistentContainer
      let executor: ContextExecutor
      nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

      init(_ container: NSPersistentContainer) {
        self.container = container
        let context = container.newBackgroundContext()
        executor = ContextExecutor(context)
      }

      func deleteAll<T: NSManagedObject>(_ request: NSFetchRequest<T>) throws {
        for object in try context.fetch(request) { context.delete(object) }
        try context.save()
      }
    }
    // end: published
    """

  @MainActor private static func asPublished(_ world: World) async throws {
    world.observe("code", "as published")
  }

  // or hands the job over and returns,
  // anchor: right
  private final class ContextExecutor: SerialExecutor {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    func enqueue(_ job: consuming ExecutorJob) {
      let (job, executor) = (UnownedJob(job), asUnownedSerialExecutor())
      context.perform { job.runSynchronously(on: executor) }
    }
  }

  @MainActor private static func right(_ world: World) async throws {
    try await world.letClerksAskEachOther(rounds: world[rounds]) { context in
      ContextClerk(context, ContextExecutor(context))
    }
  }
  // end: right

  // or an actor has no executor of its own, and awaits each block,
  // anchor: none
  private actor PlainClerk: Clerk {
    private let context: NSManagedObjectContext
    var log: [String] = []

    init(_ context: NSManagedObjectContext) { self.context = context }

    func name() async throws -> String {
      try await context.perform { [context] in try context.firstName() }
    }
  }

  @MainActor private static func noExecutor(_ world: World) async throws {
    try await world.letClerksAskEachOther(rounds: world[rounds]) { PlainClerk($0) }
  }
  // end: none

  // then every line is whole and every job waited for its turn, or not.
  public static func observed(_ run: Observation) throws -> Outcome {
    if run.text("code") == "as published" {
      switch SwiftCompiler.verdict(of: published) {
      case .accepted: run.observe("the compiler", "accepts it")
      case .refused(let error, _): run.observe("the compiler", "refuses it: \(error)")
      case .notAsked(let reason):
        run.observe("the compiler", reason)
        return notAsked
      }
      return refused
    }
    if run.text("lines") != "Rain, with Weather; Weather, with Rain" { return halfWritten }
    return run.text("order in one actor") == "begins, ends, first, second" ? written : nested
  }
}
