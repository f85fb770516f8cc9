import CoreData
import PlaygroundKit

/// Increments of one property are lost unless each reads and writes inside one block.
///
///     faultline run 2
///     faultline explore 2
public enum WritingFromTheWrongQueue: Scenario {
  public static let card = Card(
    2, "writing-from-the-wrong-queue", "Writing from the wrong queue", part: .queues,
    claim: "Read and write a property inside one block of its context.",
    question: """
      Several tasks add one to the views of the same object, again and again. What is the number \
      in the end?
      """,
    why: """
      views += 1 reads, adds and writes. Between the read and the write another task can do all \
      three, and its increment is overwritten. Off the queue nothing keeps it out; between two \
      blocks the queue itself lets it in.
      """,
    given: "{writers} tasks, each adds one {increments|once|# times} to the same article",
    guide: "01-queues.md#02",
    sources: [
      .rules("The Golden Rule; Passing Objects Directly"),
      .operation("Creating an NSManagedObjectContext"),
    ])

  private static let writers = Parameter("writers", 4, in: 2...16, "tasks that add", explored: 2)
  private static let increments = Parameter(
    "increments", 600, in: 1...100_000, "increments of each task", explored: 1)

  private static let crashed = Outcome(
    "CRASHED", .forbidden, "the process crashed: several threads changed one object",
    when: .crashed)
  private static let named = Outcome(
    "NAMED", .forbidden, "the checker reported every read and write outside the queue")
  private static let lost = Outcome("LOST", .forbidden, "increments are missing")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "every increment is there, because the timing was lucky")
  private static let counted = Outcome(
    "COUNTED", .accepted, "every increment is there, each made inside one block")

  public static let parameters = [writers, increments]
  public static let outcomes = [crashed, named, lost, lucky, counted]
  public static let sides: [Side] = [
    .wrong("article.views += 1", addAnywhere),
    .wrong("the same, checker on", name: "checked", checker: .record, addAnywhere),
    .wrong("read, then write", name: "split", checker: .record, addInTwoBlocks),
    .right("in one block", checker: .record, addInOneBlock),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given one article in a background context,
  @MainActor private static func article(_ bg: NSManagedObjectContext) async -> Article {
    await bg.perform { Article(context: bg) }
  }

  // and tasks that add to it at the same time,
  private static func everyTask(
    _ world: World, add: @escaping @Sendable () -> Void
  ) async {
    let increments = world[increments]
    await withTaskGroup(of: Void.self) { tasks in
      for _ in 1...world[writers] {
        tasks.addTask { for _ in 1...increments { add() } }
      }
    }
  }

  // when each task adds on its own thread,
  // anchor: wrong
  @MainActor private static func addAnywhere(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    nonisolated(unsafe) let article = await article(bg)
    await everyTask(world) {
      world.mark("no queue keeps another task out between the read and the write")
      article.views += 1
    }
    try await note("off the queue", bg, world)
  }
  // end: wrong

  // or reads in one block of the context and writes in the next,
  // anchor: split
  @MainActor private static func addInTwoBlocks(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    nonisolated(unsafe) let article = await article(bg)
    await everyTask(world) {
      let views = bg.performAndWait { article.views }
      world.mark("another task's blocks can run between these two")
      bg.performAndWait { article.views = views + 1 }
    }
    try await note("in two blocks", bg, world)
  }
  // end: split

  // or reads and writes in one block,
  // anchor: right
  @MainActor private static func addInOneBlock(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    nonisolated(unsafe) let article = await article(bg)
    await everyTask(world) {
      bg.performAndWait { article.views += 1 }
    }
    try await note("in one block", bg, world)
  }
  // end: right

  // then the article is saved inside its queue,
  @MainActor private static func note(
    _ added: String, _ bg: NSManagedObjectContext, _ world: World
  ) async throws {
    try await bg.perform { try bg.save() }
    world.observe("added", added)
  }

  // and the file has the number of all increments, or a smaller one.
  public static func observed(_ run: Observation) throws -> Outcome {
    let expected = run[writers] * run[increments]
    let views = try run.stored("SELECT sum(ZVIEWS) FROM ZARTICLE").joined()
    let stored = views.compactMap { Int($0) }.first ?? 0
    run.observe("increments in the file", stored, of: expected)
    run.observe("lost", expected - stored, good: stored == expected)
    if !run.violations.isEmpty { return named }
    if stored != expected { return lost }
    return run.text("added") == "in one block" ? counted : lucky
  }
}
