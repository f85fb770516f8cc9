import CoreData
import PlaygroundKit

/// A save waits for another save to the same file, whatever queue either of them runs on.
///
///     faultline run 11
///     faultline explore 11
public enum TheCoordinatorIsALock: Scenario {
  public static let card = Card(
    11, "the-coordinator-is-a-lock", "The coordinator is a lock", part: .blocking,
    claim: "A file has one writer at a time; a main thread that saves waits for its turn.",
    question: """
      A background context writes \(rows.standard) articles in one transaction. Meanwhile the main \
      thread saves short notes, in a context of its own. What does it wait for?
      """,
    why: """
      A transaction holds the file's write lock from its first row to its commit, and each other \
      save waits for that. A child waits for its parent's whole block. A reader waits for neither.
      """,
    given: """
      {rows|one article|# articles} imported in the background; main saves \
      {notes|a note|# notes} meanwhile
      """,
    guide: "02-blocking.md#11",
    sources: [
      .tutorial("NSPersistentStoreCoordinator"), .notes("Persistent Store Coordinator"),
    ],
    panels: [.mainLoop, .engine])

  private static let rows = Parameter(
    "rows", 50_000, in: 1...1_000_000, "articles that are imported", explored: 900)
  private static let batch = Parameter(
    "batch", 500, in: 1...1_000_000, "articles in one of the short transactions", explored: 500)
  private static let notes = Parameter(
    "notes", 200, in: 1...100_000, "notes that main saves meanwhile, or reads", explored: 1)

  private static let waited = Outcome(
    "WAITED", .forbidden, "main stood still for more than a frame, and for much of the import")
  private static let lost = Outcome("LOST", .forbidden, "articles or notes are not in the file")
  private static let overtaken = Outcome(
    "OVERTAKEN", .interesting, "one short transaction after the other came before main's save")
  private static let smooth = Outcome(
    "SMOOTH", .accepted, "main stood still for no large part of the import")

  public static let parameters = [rows, batch, notes]
  public static let outcomes = [waited, lost, overtaken, smooth]
  public static let sides: [Side] = [
    .wrong("one transaction", wrong),
    .wrong("main's parent imports", name: "nested", nested),
    .column("short", "short transactions", short),
    .right("main saves elsewhere", right),
    .column("reads", "main only reads", reads),
  ]
  public static let repeats = 3
  public static let limit = Duration.seconds(120)
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given an import that writes so many articles in a transaction,
  // anchor: import
  private static func importArticles(
    inOne batch: Int, _ context: NSManagedObjectContext, _ world: World
  ) async throws {
    world.observe("articles in a transaction", min(batch, world[rows]))
    try await context.perform {
      var number = 0
      while number < world[rows] {
        let last = min(number + batch, world[rows])
        let request = NSBatchInsertRequest(entityName: "Article") {
          (article: NSMutableDictionary) in
          if number == last { return true }
          number += 1
          article["name"] = "Article \(number)"
          return false
        }
        try context.execute(request)
      }
    }
  }
  // end: import

  // and notes that the user writes meanwhile,
  // anchor: note
  private static func write(_ context: NSManagedObjectContext) throws {
    Category(context: context).name = "Note"
    try context.save()
  }
  // end: note

  // when the main thread saves each note while one transaction imports everything,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let (bg, screen) = (world.container.newBackgroundContext(), world.container.viewContext)
    async let imported: Void = importArticles(inOne: world[rows], bg, world)
    for _ in 1...world[notes] {
      world.mark("main's save waits here until the import's transaction ends")
      try write(screen)
      await Task.yield()
    }
    try await imported
  }
  // end: wrong

  // or saves it into the very context that imports,
  // anchor: nested
  @MainActor private static func nested(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    let screen = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    screen.parent = bg
    async let imported: Void = importArticles(inOne: world[rows], bg, world)
    for _ in 1...world[notes] {
      world.mark("main waits here for its parent's queue, until the import's block ends")
      try write(screen)
      await Task.yield()
    }
    try await imported
    try await bg.perform { try bg.save() }
  }
  // end: nested

  // or while short transactions import a part each,
  // anchor: short
  @MainActor private static func short(_ world: World) async throws {
    let (bg, screen) = (world.container.newBackgroundContext(), world.container.viewContext)
    async let imported: Void = importArticles(inOne: world[batch], bg, world)
    for _ in 1...world[notes] {
      try write(screen)
      await Task.yield()
    }
    try await imported
  }
  // end: short

  // or lets a context with a queue of its own save it,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let (bg, writer) = (
      world.container.newBackgroundContext(), world.container.newBackgroundContext()
    )
    async let imported: Void = importArticles(inOne: world[batch], bg, world)
    for _ in 1...world[notes] {
      try await writer.perform { try write(writer) }
    }
    try await imported
  }
  // end: right

  // or only reads, beside the one transaction,
  // anchor: reads
  @MainActor private static func reads(_ world: World) async throws {
    let (bg, screen) = (world.container.newBackgroundContext(), world.container.viewContext)
    async let imported: Void = importArticles(inOne: world[rows], bg, world)
    for _ in 1...world[notes] {
      _ = try screen.count(for: Article.fetchRequest())
      await Task.yield()
    }
    try await imported
    world.observe("main", "reads")
  }
  // end: reads

  // then main's longest stall tells how long it waited.
  public static func observed(_ run: Observation) throws -> Outcome {
    let (stored, kept) = (try run.storedRows(of: "Article"), try run.storedRows(of: "Category"))
    run.observe("articles in the file", stored, of: run[rows])
    let written = run.text("main") == "reads" ? 0 : run[notes]
    run.observe("notes in the file", kept, of: written)
    let isExercise = run.text("each note") != nil
    if isExercise {
      run.observe("import's transactions", (run.number("commits") ?? 0) - kept)
    }
    if stored != run[rows] || kept != written { return lost }
    let (stall, total) = (run.number("longest stall") ?? 0, run.number("total") ?? 0)
    guard isExercise ? stall > 0 : stall * 8 > total else { return smooth }
    let isOne = isExercise || run.number("articles in a transaction") == run[rows]
    return isOne ? waited : overtaken
  }
}
