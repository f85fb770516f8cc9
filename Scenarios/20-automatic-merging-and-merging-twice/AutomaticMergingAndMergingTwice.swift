import CoreData
import PlaygroundKit

/// A context that merges automatically needs no observer; with one, each save is merged twice.
///
///     faultline run 20
///     faultline run 20 --set articles=5000
public enum AutomaticMergingAndMergingTwice: Scenario {
  public static let card = Card(
    20, "automatic-merging-and-merging-twice", "Automatic merging, and merging twice",
    part: .merging,
    claim: "Merge each save once: either automatically or with an observer, never both.",
    question: """
      A view context merges automatically, and an older observer also merges the import's saves. \
      How often does the screen redraw?
      """,
    why: """
      The flag and the observer do not know of each other. Each merge refreshes every changed \
      object that the context holds, on the context's queue, even if nothing is new. Here that \
      queue is the main thread.
      """,
    given: """
      {articles|one article|# articles} on the screen; an import changes all of them \
      {saves|once|# times}, and saves each time
      """,
    guide: "04-merging.md#20",
    sources: [.rules("Merging Changes Between Contexts")], panels: [.mainLoop, .engine])

  private static let articles = Parameter(
    "articles", 1_000, in: 1...100_000, "articles on the screen", explored: 1)
  private static let saves = Parameter(
    "saves", 3, in: 1...100, "saves of the import", explored: 1)

  private static let twice = Outcome(
    "TWICE", .forbidden, "the screen is current, and each save was merged more than once")
  private static let stale = Outcome(
    "STALE", .forbidden, "a row on the screen shows what the file no longer has")
  private static let once = Outcome(
    "ONCE", .accepted, "the screen is current, and each save was merged once")

  public static let parameters = [articles, saves]
  public static let outcomes = [twice, stale, once]
  public static let sides: [Side] = [
    .wrong("the flag and an observer", mergeTwice),
    .wrong("neither", name: "neither", mergeNothing),
    .right("the flag", mergeAutomatically),
    .right("an observer", name: "observer", mergeByHand),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles of revision 0,
  @MainActor public static func given(_ world: World) async throws {
    for _ in 0..<world[articles] {
      Article(context: world.container.viewContext).name = "An article"
    }
    try world.container.viewContext.save()
  }

  // when the view context merges automatically and an observer merges too,
  // anchor: wrong
  @MainActor private static func mergeTwice(_ world: World) async throws {
    let (screen, importer) = (world.container.viewContext, world.container.newBackgroundContext())
    screen.automaticallyMergesChangesFromParent = true
    world.mark("the flag merges this context's saves already; the observer merges each again")
    let observer = merge(savesOf: importer, into: screen)
    try await importAll(importer, world)
    NotificationCenter.default.removeObserver(observer)
  }
  // end: wrong

  // or neither does,
  @MainActor private static func mergeNothing(_ world: World) async throws {
    try await importAll(world.container.newBackgroundContext(), world)
  }

  // or the flag alone,
  // anchor: right
  @MainActor private static func mergeAutomatically(_ world: World) async throws {
    let (screen, importer) = (world.container.viewContext, world.container.newBackgroundContext())
    screen.automaticallyMergesChangesFromParent = true
    try await importAll(importer, world)
  }
  // end: right

  // or the observer alone, which takes ids to the queue of the screen,
  // anchor: observer
  @MainActor private static func mergeByHand(_ world: World) async throws {
    let (screen, importer) = (world.container.viewContext, world.container.newBackgroundContext())
    let observer = merge(savesOf: importer, into: screen)
    try await importAll(importer, world)
    NotificationCenter.default.removeObserver(observer)
  }

  private static func merge(
    savesOf importer: NSManagedObjectContext, into screen: NSManagedObjectContext
  ) -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: importer, queue: nil
    ) { save in
      nonisolated(unsafe) let ids = save
      screen.perform { screen.mergeChanges(fromContextDidSave: ids) }
    }
  }
  // end: observer

  // while an import changes every article in each of its saves,
  @MainActor private static func importAll(
    _ importer: NSManagedObjectContext, _ world: World
  ) async throws {
    let screen = world.container.viewContext
    let list = try ArticleList(screen)
    for revision in 1...world[saves] {
      try await importer.perform {
        for article in try importer.fetch(Article.fetchRequest()) {
          article.views = Int64(revision)
        }
        try importer.save()
      }
      await screen.perform(schedule: .enqueued) {}
    }
    list.close()
    world.observe("merges into the screen", list.merges)
    world.observe("rows redrawn", list.redrawn)
    let current = list.rows.count { $0.views == world[saves] }
    world.observe("rows current at the end", current, of: world[articles])
  }

  // then the screen is stale, or has merged each save once or more often.
  public static func observed(_ run: Observation) throws -> Outcome {
    guard run.number("rows current at the end") == run[articles] else { return stale }
    return run.number("merges into the screen") ?? 0 > run[saves] ? twice : once
  }
}
