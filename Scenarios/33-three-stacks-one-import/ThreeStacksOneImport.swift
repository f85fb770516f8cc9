import CoreData
import PlaygroundKit

/// What an import costs the main thread depends on the way from its context to the file.
///
///     faultline run 33
///     faultline run 33 --set batch=100
public enum ThreeStacksOneImport: Scenario {
  public static let card = Card(
    33, "three-stacks-one-import", "Three stacks, one import", part: .parents,
    claim: "Work that passes through the main context is the main thread's work.",
    question: """
      A context with a queue of its own imports \(rows.standard) articles. Its parent is the view \
      context, or the coordinator, or a main context below a writer. What is left for main to do?
      """,
    why: """
      A child's save hands its changes over inside its parent's queue; the root writes. A main \
      context as the root writes on main. Below a writer it writes nothing, but all changes still \
      pass through it, and its fetches wait for the writer's save.
      """,
    given: """
      {rows|one article|# articles} imported, and written after each {batch|article|# articles}; \
      during each write main fetches {reads|once|# times}
      """,
    guide: "06-parents.md#33",
    sources: [
      .tutorial("Strategy 2: Parent/Child Managed Object Contexts"),
      .operation("Saving on a private queue: Note"),
      .rules("Context Hierarchy and Parent Contexts"),
    ],
    panels: [.mainLoop, .engine, .memory])

  private static let rows = Parameter(
    "rows", 15_000, in: 1...1_000_000, "articles that are imported", explored: 2)
  private static let batch = Parameter(
    "batch", 5_000, in: 1...1_000_000, "articles in one save", explored: 2)
  private static let reads = Parameter(
    "reads", 2, in: 1...10_000, "fetches of main during each write", explored: 1)

  private static let onMain = Outcome(
    "ON MAIN", .forbidden, "main took in every article and wrote it to the file")
  private static let lost = Outcome("LOST", .forbidden, "articles are missing from the file")
  private static let unheard = Outcome(
    "UNHEARD", .forbidden, "the screen's list was not told of every article (in the exercise)")
  private static let throughMain = Outcome(
    "THROUGH MAIN", .interesting, "main took in every article and handed it on to the writer")
  private static let besideMain = Outcome(
    "BESIDE MAIN", .accepted, "main saved no article, and its list was told of every one")

  public static let parameters = [rows, batch, reads]
  public static let outcomes = [onMain, lost, unheard, throughMain, besideMain]
  public static let sides: [Side] = [
    .wrong("child of the view context", wrong),
    .right("two on the coordinator", right),
    .column("writer", "writer – main – child", writer),
  ]
  public static let repeats = 3
  public static let limit = Duration.seconds(120)
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles to make in a context,
  private static func make(_ numbers: Range<Int>, in context: NSManagedObjectContext) {
    for number in numbers { Article(context: context).name = "Article \(number)" }
  }

  // and a screen that fetches some of them while each batch is written,
  // anchor: run
  @MainActor private static func importAll(
    _ world: World, beside screen: NSManagedObjectContext,
    making make: (Range<Int>) async throws -> Void,
    writing write: @escaping @Sendable () async throws -> Void
  ) async throws {
    for first in stride(from: 0, to: world[rows], by: world[batch]) {
      try await make(first..<min(first + world[batch], world[rows]))
      async let written: Void = write()
      for _ in 1...world[reads] {
        let firstScreen = Article.fetchRequest()
        firstScreen.fetchLimit = 20
        _ = try screen.fetch(firstScreen)
      }
      try await written
    }
  }
  // end: run

  // when the importing context is a child of the view context, which then writes,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let screen = world.container.viewContext
    let list = Announcements(screen)
    let bg = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    bg.parent = screen
    try await importAll(world, beside: screen) { numbers in
      try await bg.perform {
        make(numbers, in: bg)
        try bg.save()
      }
    } writing: {
      world.mark("main writes the batch, which the child has just copied into main's context")
      try await screen.perform { try screen.save() }
    }
    await note(list, screen, world)
  }
  // end: wrong

  // or stands on the coordinator, beside a view context that merges,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let screen = world.container.viewContext
    let list = Announcements(screen)
    screen.automaticallyMergesChangesFromParent = true
    let bg = world.container.newBackgroundContext()
    try await importAll(world, beside: screen) { numbers in
      await bg.perform { make(numbers, in: bg) }
    } writing: {
      try await bg.perform { try bg.save() }
    }
    await note(list, screen, world)
  }
  // end: right

  // or is a child of a main context whose parent writes,
  // anchor: writer
  @MainActor private static func writer(_ world: World) async throws {
    let writer = world.container.newBackgroundContext()
    let screen = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    let bg = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    (screen.parent, bg.parent) = (writer, screen)
    let list = Announcements(screen)
    try await importAll(world, beside: screen) { numbers in
      try await bg.perform {
        make(numbers, in: bg)
        try bg.save()
      }
      try screen.save()
    } writing: {
      try await writer.perform { try writer.save() }
    }
    await note(list, screen, world)
  }
  // end: writer

  // and the merges have had their turn,
  @MainActor private static func note(
    _ list: Announcements, _ screen: NSManagedObjectContext, _ world: World
  ) async {
    await screen.perform(schedule: .enqueued) {}
    list.close()
    world.observe("articles that main saved", list.saved)
    world.observe("articles that main wrote", list.isRoot ? list.saved : 0)
    world.observe("articles the list was told of", list.announced, of: world[rows])
  }

  // then main's own saves tell what was left for it, the file and the list whether all is there.
  public static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.storedRows(of: "Article")
    run.observe("articles in the file", stored, of: run[rows])
    if stored != run[rows] { return lost }
    if run.number("articles the list was told of") != run[rows] { return unheard }
    if run.number("articles that main saved") == 0 { return besideMain }
    return run.number("articles that main wrote") == 0 ? throughMain : onMain
  }
}
