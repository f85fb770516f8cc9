import CoreData
import PlaygroundKit

/// An app that imports before its first frame looks dead, and the system may kill it.
///
///     faultline run 12
///     faultline run 12 --set watchdog=500
public enum FirstLaunchImport: Scenario {
  public static let card = Card(
    12, "first-launch-import", "First launch import", part: .blocking,
    claim: "A launch shows a screen first; the import goes on beside it.",
    question: """
      At its first launch an app imports \(rows.standard) articles. When does it draw its first \
      frame, and when does its list show the first article?
      """,
    why: """
      The main thread draws nothing while it imports, and the system kills an app that draws \
      nothing for too long. A list needs only as many articles as fit on the screen.
      """,
    given: """
      an empty file, {rows} articles to import, a list of {fits|one article|# articles}; the \
      watchdog waits {watchdog} ms
      """,
    guide: "02-blocking.md#12",
    sources: [.tutorial("Introduction; watchdog")],
    panels: [.mainLoop, .engine, .memory])

  private static let rows = Parameter(
    "rows", 20_000, in: 1...2_000_000, "articles that are imported", explored: 3_000)
  private static let batch = Parameter(
    "batch", 500, in: 1...1_000_000, "articles in one save in the background")
  private static let fits = Parameter("fits", 20, in: 1...1_000, "articles that fit on the screen")
  private static let watchdog = Parameter(
    "watchdog", 20_000, in: 1...60_000, "milliseconds that the system waits for the first frame",
    explored: 50)

  private static let killed = Outcome(
    "KILLED", .forbidden, "no frame came in time: the watchdog would have killed the app")
  private static let hang = Outcome(
    "HANG", .forbidden, "the app drew nothing for more than half of its launch")
  private static let lost = Outcome("LOST", .forbidden, "articles are missing from the file")
  private static let empty = Outcome(
    "EMPTY", .interesting, "the app drew frames, and an empty list until the last row was saved")
  private static let hiccup = Outcome(
    "HICCUP", .interesting, "the list came early, but frames were dropped: the machine was busy")
  private static let ready = Outcome(
    "READY", .accepted, "the list came early, at most one frame was dropped, and all is imported")

  public static let parameters = [rows, batch, fits, watchdog]
  public static let outcomes = [killed, hang, lost, empty, hiccup, ready]
  public static let sides: [Side] = [
    .wrong("import on main, then show", wrong),
    .right("show after one batch", right),
    .column("late", "import elsewhere, then show", late),
  ]
  public static let repeats = 3
  public static let limit = Duration.seconds(180)
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles to import into a context,
  // anchor: import
  private static func importArticles(
    _ numbers: ClosedRange<Int>, savingEvery batch: Int, into context: NSManagedObjectContext
  ) throws {
    for number in numbers {
      Article(context: context).views = Int64(number)
      if number.isMultiple(of: batch) { try context.save() }
    }
    try context.save()
  }
  // end: import

  // and a first screen, with as many of them as fit,
  // anchor: show
  @MainActor private static func showFirstScreen(_ world: World) throws {
    let request = Article.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "views", ascending: true)]
    request.fetchLimit = world[fits]
    let shown = try world.container.viewContext.fetch(request)
    world.observe("articles on the first screen", shown.count, of: min(world[fits], world[rows]))
    world.observe("imported by then", try world.storedRows(of: "Article"))
  }
  // end: show

  // when the main thread imports everything before it shows the screen,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let screen = world.container.viewContext
    world.mark("the main thread draws nothing until this is done")
    try importArticles(1...world[rows], savingEvery: world[batch], into: screen)
    try showFirstScreen(world)
  }
  // end: wrong

  // or shows it after another queue has saved a first batch, and imports the rest there,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    let (rows, batch) = (world[rows], world[batch])
    let first = min(max(batch, world[fits]), rows)
    try await bg.perform { try importArticles(1...first, savingEvery: batch, into: bg) }
    try showFirstScreen(world)
    guard first < rows else { return }
    try await bg.perform { try importArticles(first + 1...rows, savingEvery: batch, into: bg) }
  }
  // end: right

  // or waits, without blocking, until all is imported,
  // anchor: late
  @MainActor private static func late(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    let (rows, batch) = (world[rows], world[batch])
    try await bg.perform { try importArticles(1...rows, savingEvery: batch, into: bg) }
    try showFirstScreen(world)
  }
  // end: late

  // then the main loop tells when the app came to life, and the file whether it has everything.
  public static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.storedRows(of: "Article")
    run.observe("articles in the file", stored, of: run[rows])
    let (stall, total) = (run.number("longest stall") ?? 0, run.number("total") ?? 0)
    if stall >= run[watchdog] * 1_000_000 { return killed }
    if run.framesDropped > 1, stall * 2 > total { return hang }
    if stored != run[rows] { return lost }
    if run.number("imported by then") == run[rows] { return empty }
    return run.framesDropped <= 1 ? ready : hiccup
  }
}
