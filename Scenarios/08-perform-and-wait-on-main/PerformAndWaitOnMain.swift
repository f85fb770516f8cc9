import CoreData
import PlaygroundKit

/// A main thread that waits for a background context stands still until the last row is written.
///
///     faultline run 8
///     faultline run 8 --set rows=2000
public enum PerformAndWaitOnMain: Scenario {
  public static let card = Card(
    8, "perform-and-wait-on-main", "performAndWait from the main thread", part: .blocking,
    claim: "performAndWait blocks its caller, and on the main thread that stops the app.",
    question: "A background context writes \(rows.standard) rows. Which thread waits for them?",
    why: """
      performAndWait blocks its caller, here the main thread, until the block ends. Both sides do \
      the same work, but the right side leaves the main thread free.
      """,
    given: "{rows|one insert|# inserts}, one save", guide: "02-blocking.md#08",
    sources: [
      .rules("perform vs performAndWait; Using performAndWait on Main Thread")
    ],
    panels: [.mainLoop, .engine, .memory])

  private static let rows = Parameter(
    "rows", 20_000, in: 1...2_000_000, "articles written in one save", explored: 3_000)

  private static let stall = Outcome(
    "STALL", .forbidden, "the main loop stood still for more than half of the time")
  private static let hiccup = Outcome(
    "HICCUP", .interesting,
    "frames were dropped although the main thread did not wait: the machine was busy")
  private static let smooth = Outcome(
    "SMOOTH", .accepted, "at most one frame was dropped, and all rows are stored")
  private static let lost = Outcome("LOST", .forbidden, "rows are missing from the file")

  public static let parameters = [rows]
  public static let outcomes = [stall, hiccup, smooth, lost]
  public static let sides: [Side] = [
    .wrong("bg.performAndWait on main", wrong),
    .right("bg.perform, then back to main", right),
  ]
  public static let repeats = 3
  public static let limit = Duration.seconds(120)
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given a context with a queue of its own,
  // when the main thread lets that context write rows, and blocks until they are saved,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    world.mark("the main thread waits here until the last row is saved")
    try bg.performAndWait {
      try write(world[rows], in: bg)
    }
    world.container.viewContext.refreshAllObjects()
  }
  // end: wrong

  // or lets that context write them, and stays free until they are saved,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    try await bg.perform {
      try write(world[rows], in: bg)
    }
    world.container.viewContext.refreshAllObjects()
  }
  // end: right

  // then the same code writes the same rows,
  // anchor: write
  private static func write(_ rows: Int, in context: NSManagedObjectContext) throws {
    for number in 1...rows {
      let article = Article(context: context)
      article.name = "Article \(number)"
      article.views = Int64(number)
    }
    try context.save()
  }
  // end: write

  // and only the main loop differs: it stood still, or it kept turning.
  public static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.storedRows(of: "Article")
    run.observe("rows stored", stored, of: run[rows])
    if stored != run[rows] { return lost }
    if run.framesDropped <= 1 { return smooth }
    let (stall, total) = (run.number("longest stall") ?? 0, run.number("total") ?? 0)
    return stall * 2 > total ? Self.stall : hiccup
  }
}
