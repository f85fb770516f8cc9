import CoreData
import PlaygroundKit

/// A save changes the file; the objects of other contexts change when it is merged.
///
///     faultline run 18
///     faultline explore 18
public enum TheSaveThatWasNotHeard: Scenario {
  public static let card = Card(
    18, "the-save-that-was-not-heard", "The save that was not heard", part: .merging,
    claim: "Merge saves into each context that shows objects; a fetch does not do it.",
    question: """
      An import changes, deletes and adds articles, and saves. What does a list on the screen show \
      then, and what after another fetch?
      """,
    why: """
      An object keeps the values that its context has read. A fetch asks the file which rows there \
      are. For a row that the context has already, it gives back the object as it is.
      """,
    given: """
      a list of articles; an import changes {changes|one|#} of them, deletes {changes|one|#}, adds \
      {changes|one|#}, and leaves {articles|one|#} alone
      """,
    guide: "04-merging.md#18",
    sources: [
      .operation("Saving on a private queue"), .notes("Reconciling Changes Between Contexts"),
      .tutorial("Strategy 1: Notifications"),
    ])

  private static let articles = Parameter(
    "articles", 1_000, in: 1...100_000, "articles that the import leaves alone", explored: 1)
  private static let changes = Parameter(
    "changes", 100, in: 1...10_000,
    "articles that the import changes, deletes and adds, so many of each", explored: 1)

  private static let behind = Outcome(
    "BEHIND", .forbidden, "the list shows the rows and the values of before the save")
  private static let mixed = Outcome(
    "MIXED", .forbidden, "the list shows the rows of the file, some with values of before the save")
  private static let current = Outcome(
    "CURRENT", .accepted, "the list shows the rows and the values that the file has")

  public static let parameters = [articles, changes]
  public static let outcomes = [behind, mixed, current]
  public static let sides: [Side] = [
    .wrong("nothing", doNothing), .wrong("another fetch", name: "fetch", fetchAgain),
    .column("refresh", "refresh all, fetch", refreshAndFetch),
    .right("merge, fetch", mergeAndFetch),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles,
  @MainActor public static func given(_ world: World) async throws {
    let counts = [("left", articles), ("changed", changes), ("deleted", changes)]
    for (name, count) in counts {
      for _ in 1...world[count] { Article(context: world.container.viewContext).name = name }
    }
    try world.container.viewContext.save()
  }

  // which a list shows,
  @MainActor private final class List {
    let screen: NSManagedObjectContext
    private(set) var rows: [Article] = []

    init(_ screen: NSManagedObjectContext) { self.screen = screen }

    func load() throws {
      rows = try screen.fetch(Article.fetchRequest())
      for row in rows { _ = row.views }
    }
  }

  // and an import in the background, which changes some, deletes some and adds some,
  private static func save(_ world: World) async throws {
    let (bg, changes) = (world.container.newBackgroundContext(), world[changes])
    try await bg.perform {
      for article in try bg.fetch(Article.fetchRequest()) {
        if article.name == "changed" { article.views = 1 }
        if article.name == "deleted" { bg.delete(article) }
      }
      for _ in 0..<changes { Article(context: bg).name = "added" }
      try bg.save()
    }
    await world.container.viewContext.perform(schedule: .enqueued) {}
  }

  // when the list stays as it is,
  // anchor: wrong
  @MainActor private static func doNothing(_ world: World) async throws {
    let list = List(world.container.viewContext)
    try list.load()
    world.mark("this saves to the file, and no object of the list changes")
    try await save(world)
    look(at: list, world)
  }
  // end: wrong

  // or fetches again,
  // anchor: fetch
  @MainActor private static func fetchAgain(_ world: World) async throws {
    let list = List(world.container.viewContext)
    try list.load()
    try await save(world)
    world.mark("the context has most of these objects already, and leaves their values as they are")
    try list.load()
    look(at: list, world)
  }
  // end: fetch

  // or turns every object into a fault first, so that each is read again,
  // anchor: refresh
  @MainActor private static func refreshAndFetch(_ world: World) async throws {
    let list = List(world.container.viewContext)
    try list.load()
    try await save(world)
    list.screen.refreshAllObjects()
    try list.load()
    look(at: list, world)
  }
  // end: refresh

  // or its context merges the save,
  // anchor: right
  @MainActor private static func mergeAndFetch(_ world: World) async throws {
    let list = List(world.container.viewContext)
    list.screen.automaticallyMergesChangesFromParent = true
    try list.load()
    try await save(world)
    try list.load()
    look(at: list, world)
  }
  // end: right

  // then the list shows what the file has, or not.
  @MainActor private static func look(at list: List, _ world: World) {
    func count(_ name: String) -> Int { list.rows.count { $0.name == name } }
    let changed = list.rows.count { $0.name == "changed" && $0.views == 1 }
    world.observe("changed, with the new value", changed, of: world[changes], section: "rows")
    world.observe("added", count("added"), of: world[changes], section: "rows")
    let deleted = count("deleted")
    world.observe("deleted", deleted, good: deleted == 0, section: "rows")
  }

  public static func observed(_ run: Observation) throws -> Outcome {
    guard run.number("added") == run[changes], run.number("deleted") == 0 else { return behind }
    return run.number("changed, with the new value") == run[changes] ? current : mixed
  }
}
