import CoreData
import PlaygroundKit

/// A nested performAndWait runs at once, ahead of blocks that were enqueued before it.
///
///     faultline run 10
///     faultline run 10 --side through
public enum NestedPerformAndWait: Scenario {
  public static let card = Card(
    10, "nested-perform-and-wait", "performAndWait inside performAndWait", part: .blocking,
    claim: "Inside its own queue performAndWait runs its block at once; perform never does.",
    question: """
      A block first enqueues a clean-up with perform, and then writes with performAndWait, in the \
      same context. Which of the two runs first?
      """,
    why: """
      performAndWait inside its own queue is a plain call: its block runs now. What perform \
      enqueues waits until the block around it has ended. A block on another thread is outside.
      """,
    given: "{old|one old article|# old articles} to delete, and then a new one to write",
    guide: "02-blocking.md#10",
    sources: [
      .tutorial("Parent/Child Managed Object Contexts: performBlockAndWait"),
      .rules("performAndWait"),
    ],
    panels: [])

  private static let old = Parameter(
    "old", 3, in: 0...10_000, "old articles, which are to be deleted", explored: 1)

  private static let later = Outcome(
    "LATER", .forbidden, "the clean-up ran after the writing, and deleted the new article too")
  private static let deadlock = Outcome(
    "DEADLOCK", .forbidden, "the clean-up waits for the block that waits for it", when: .deadlock)
  private static let leftOver = Outcome(
    "LEFT OVER", .forbidden, "the row of an old article is still in the file (in the exercise)")
  private static let now = Outcome(
    "NOW", .accepted, "the clean-up ran where it stands, and the file has the new article only")

  public static let parameters = [old]
  public static let outcomes = [later, deadlock, leftOver, now]
  public static let sides: [Side] = [
    .wrong("perform, then performAndWait", wrong),
    .wrong("through main", name: "through", throughMain),
    .right("performAndWait twice", right),
    .column("back", "another context, and back", throughAnotherContext),
    .wrong("perform on main", name: "main", onMain),
  ]
  public static let repeats = 3
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given old articles,
  @MainActor public static func given(_ world: World) async throws {
    for _ in 0..<world[old] { Article(context: world.container.viewContext).name = "Old" }
    try world.container.viewContext.save()
  }

  // when a block of a background context
  private static func inABlock(
    _ world: World, _ nesting: @escaping @Sendable (NSManagedObjectContext, Log) -> Void
  ) async {
    let (bg, steps) = (world.container.newBackgroundContext(), Log())
    bg.name = "bg"
    await bg.perform { nesting(bg, steps) }
    await bg.perform { world.observe("ran in this order", steps.text(separator: ", ")) }
  }

  // enqueues the clean-up and then writes the new article,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    await inABlock(world) { bg, steps in
      world.mark("this block is enqueued, behind the block that it stands in")
      bg.perform { cleanUp(bg, steps) }
      bg.performAndWait { write(bg, steps) }
    }
  }
  // end: wrong

  // or lets the main thread ask for the clean-up,
  // anchor: through
  @MainActor private static func throughMain(_ world: World) async throws {
    let screen = world.container.viewContext
    await inABlock(world) { bg, steps in
      screen.performAndWait {
        world.mark("main waits here for bg, whose block waits for main")
        bg.performAndWait { cleanUp(bg, steps) }
      }
      write(bg, steps)
    }
  }
  // end: through

  // or says performAndWait for both,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    await inABlock(world) { bg, steps in
      bg.performAndWait { cleanUp(bg, steps) }
      bg.performAndWait { write(bg, steps) }
    }
  }
  // end: right

  // or goes through another context, on the same thread,
  // anchor: back
  @MainActor private static func throughAnotherContext(_ world: World) async throws {
    let other = world.container.newBackgroundContext()
    await inABlock(world) { bg, steps in
      other.performAndWait {
        bg.performAndWait { cleanUp(bg, steps) }
      }
      write(bg, steps)
    }
  }
  // end: back

  // or when a block that runs on the main thread enqueues the clean-up there,
  // anchor: main
  @MainActor private static func onMain(_ world: World) async throws {
    let (bg, screen) = (world.container.newBackgroundContext(), world.container.viewContext)
    let steps = Log()
    bg.performAndWait {
      world.mark("the screen's queue is the main thread, which is busy with this block")
      screen.perform { cleanUp(screen, steps) }
      write(bg, steps)
    }
    await screen.perform(schedule: .enqueued) {
      world.observe("ran in this order", steps.text(separator: ", "))
    }
  }
  // end: main

  private static func cleanUp(_ context: NSManagedObjectContext, _ steps: Log) {
    steps.write("clean-up")
    for article in (try? context.fetch(Article.fetchRequest())) ?? [] { context.delete(article) }
    try? context.save()
  }

  private static func write(_ context: NSManagedObjectContext, _ steps: Log) {
    steps.write("writing")
    Article(context: context).name = "New"
    try? context.save()
  }

  // then the new article is alone in the file, or deleted as well.
  public static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.stored("SELECT ZNAME, Z_PK FROM ZARTICLE")
    run.observe("articles in the file", stored.count, of: 1)
    // Keys are given in order, and not again.
    let isOld = stored.contains { (Int($0[1]) ?? 0) <= run[old] }
    guard stored.map({ $0[0] }) == ["New"] else { return stored.count > 1 ? leftOver : later }
    return isOld ? leftOver : now
  }
}
