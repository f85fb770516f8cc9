import CoreData
import PlaygroundKit

/// An operation that is cancelled saves no part of a batch, and reports exactly once.
///
///     faultline run 45
///     faultline explore 45
public enum AnOperationYouCanStop: Scenario {
  public static let card = Card(
    45, "an-operation-you-can-stop", "An operation you can stop", part: .swiftConcurrency,
    claim: "cancel() sets a flag; main must stay until the work ends, and ask between batches.",
    question: """
      An import saves \(batches.standard) batches. After the fifth the user taps Cancel. How many \
      articles are in the file in the end, and how often is the completion called?
      """,
    why: """
      cancel() stops nothing: it sets a flag, and does not even do that once main has returned. \
      The work must ask, and there is a right place to ask: where nothing is unsaved.
      """,
    given: """
      an import of {batches|one batch|# batches} with {rows|one article|# articles} each, which \
      the user cancels after {after|one batch|# batches}
      """,
    guide: "08-swift-concurrency.md#45",
    sources: [
      .operation("To-do; What this library does"), .tutorial("Strategy 1: Notifications"),
    ],
    panels: [.engine, .memory])

  private static let batches = Parameter("batches", 20, in: 1...1_000, "batches", explored: 2)
  private static let rows = Parameter(
    "rows", 50, in: 2...10_000, "articles in a batch", explored: 2)
  private static let after = Parameter(
    "after", 5, in: 0...1_000, "batches that are saved when the user taps Cancel", explored: 0)

  private static let wentOn = Outcome(
    "WENT ON", .forbidden, "after the cancel it saved more than one batch")
  private static let half = Outcome("HALF A BATCH", .forbidden, "the file has a part of a batch")
  private static let notTold = Outcome(
    "NOT TOLD", .forbidden, "it has ended, and the completion was not called")
  private static let twice = Outcome(
    "TWICE", .forbidden, "the completion was called more than once")
  private static let early = Outcome(
    "EARLY", .forbidden, "the completion was called before the last save")
  private static let stopped = Outcome(
    "STOPPED", .accepted, "the file has whole batches, not all, and the completion came once")
  private static let complete = Outcome(
    "COMPLETE", .accepted, "the cancel came too late: all is saved, and the completion came once")

  public static let parameters = [batches, rows, after]
  public static let outcomes = [wentOn, half, notTold, twice, early, stopped, complete]
  public static let sides: [Side] = [
    .wrong("main returns first") { try await run($0, HandsOn.init) },
    .wrong("stop at once", name: "each") { try await run($0, StopsAtOnce.init) },
    .right("stop between batches") { try await run($0) { inBatches($0, $1, done: $2) } },
    .right("or undo the batch", name: "undo") { world in
      try await run(world) { inBatches($0, $1, asksInside: true, done: $2) }
    },
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given an import that an operation queue runs, in a background context,
  private class Import: Operation, @unchecked Sendable {
    let (world, context): (World, NSManagedObjectContext)
    let done: @Sendable () -> Void
    required init(
      _ world: World, _ context: NSManagedObjectContext, done: @escaping @Sendable () -> Void
    ) {
      (self.world, self.context, self.done) = (world, context, done)
    }
  }

  private static func write(_ row: Int, in context: NSManagedObjectContext) {
    let request = Article.fetchRequest()
    request.predicate = NSPredicate(format: "views == %d", row)
    let article = (try? context.fetch(request))?.first ?? Article(context: context)
    article.views = Int64(row)
  }

  // when its `main` hands the work to the context's queue and returns,
  // anchor: wrong
  private final class HandsOn: Import, @unchecked Sendable {
    override func main() {
      context.perform { [context, world] in
        for batch in 0..<world[batches] {
          for row in 0..<world[rows] { write(batch * world[rows] + row, in: context) }
          try? context.save()
          context.reset()
        }
      }
      world.mark("main returns here: the operation is finished, and cancel() does nothing")
      done()
    }
  }
  // end: wrong

  // or asks at each article, says that it stops, and saves what is left,
  // anchor: each
  private final class StopsAtOnce: Import, @unchecked Sendable {
    override func main() {
      context.performAndWait {
        for row in 0..<world[batches] * world[rows] {
          if isCancelled {
            done()
            break
          }
          write(row, in: context)
          if (row + 1).isMultiple(of: world[rows]) { try? context.save() }
        }
        world.mark("what is left is a part of a batch")
        try? context.save()
      }
      done()
    }
  }
  // end: each

  // or asks before each batch, or inside it and then throws the batch away, and ends in one place,
  // anchor: right
  private static func inBatches(
    _ world: World, _ context: NSManagedObjectContext, asksInside: Bool = false,
    done: @escaping @Sendable () -> Void
  ) -> BatchOperation {
    let (batches, rows) = (world[batches], world[rows])
    return BatchOperation(in: context) { operation, number in
      for row in 0..<rows {
        if asksInside { try operation.checkCancellation() }
        write(number * rows + row, in: context)
      }
      return number + 1 < batches
    } done: { _ in
      done()
    }
  }
  // end: right

  // and a user cancels it after some batches,
  // anchor: run
  @MainActor private static func run(
    _ world: World,
    _ make: (World, NSManagedObjectContext, @escaping @Sendable () -> Void) -> Operation
  ) async throws {
    let (context, told, queue) = (world.container.newBackgroundContext(), Log(), OperationQueue())
    let operation = make(world, context) {
      told.write("\((try? world.storedRows(of: "Article")) ?? -1)")
    }
    let saves = context.saves()
    queue.addOperation(operation)
    for await _ in saves.prefix(min(world[after], world[batches])) {}
    let shown = try world.container.viewContext.fetch(Article.fetchRequest())
    let tap = ContinuousClock.now
    operation.cancel()
    let saved = try world.storedRows(of: "Article")
    await withCheckedContinuation { end in queue.addBarrierBlock { end.resume() } }
    await context.perform(schedule: .enqueued) {}
    world.observe("time to stop", Int((.now - tap) / .nanoseconds(1)), .nanoseconds)
    world.observe("on the screen when the user cancels", shown.count, section: "articles")
    world.observe("in the file when cancel() returned", saved, section: "articles")
    let calls = told.text(separator: " ").split(separator: " ")
    world.observe("completion called", calls.count, of: 1)
    if let last = calls.last {
      world.observe("in the file at its last call", Int(last) ?? -1, section: "articles")
    }
  }
  // end: run

  // then the file has whole batches, and the completion came once, after the last save; or not.
  public static func observed(_ run: Observation) throws -> Outcome {
    let (stored, size) = (try run.storedRows(of: "Article"), run[rows])
    let calls = run.number("completion called")
    let saved = run.number("in the file when cancel() returned")
    run.observe("in the file in the end", stored, section: "articles")
    run.observe(
      "of a part of a batch", stored % size, good: stored % size == 0, section: "articles")
    if stored - (saved ?? 0) > size { return wentOn }
    if stored % size > 0 { return half }
    if calls != 1 { return calls == 0 ? notTold : twice }
    if run.number("in the file at its last call") != stored { return early }
    return stored < run[batches] * size ? stopped : complete
  }
}
