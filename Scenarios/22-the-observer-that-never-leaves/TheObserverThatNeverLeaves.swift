import CoreData
import PlaygroundKit

/// An observer that each import adds, and none removes, merges the saves of all later imports too.
///
///     faultline run 22
///     faultline run 22 --set imports=200
public enum TheObserverThatNeverLeaves: Scenario {
  public static let card = Card(
    22, "the-observer-that-never-leaves", "The observer that never leaves", part: .merging,
    claim: "Remove each observer when the work that it was added for is done.",
    question: """
      Each import adds an observer that merges its save into the screen. None is removed. How \
      often is the last save merged?
      """,
    why: """
      The notification center keeps a block until its token is removed. So each block \
      hears every later save of its context, and what it captures stays in memory.
      """,
    given: """
      {articles|one article|# articles} on the screen; {imports} imports, one after another, each \
      of which changes all of them and saves
      """,
    guide: "04-merging.md#22",
    sources: [.tutorial("Strategy 1: Notifications"), .operation("Saving on a private queue")],
    panels: [.mainLoop, .engine])

  private static let articles = Parameter(
    "articles", 20, in: 1...10_000, "articles on the screen", explored: 1)
  private static let imports = Parameter(
    "imports", 50, in: 2...1_000, "imports, each of which saves once", explored: 2)

  private static let piledUp = Outcome("PILED UP", .forbidden, "a save was merged more than once")
  private static let missed = Outcome("MISSED", .forbidden, "a save was not merged")
  private static let leftBehind = Outcome(
    "LEFT BEHIND", .forbidden, "each save was merged once, and finished imports stay in memory")
  private static let once = Outcome(
    "ONCE", .accepted, "each save was merged once, and nothing is left of a finished import")

  public static let parameters = [articles, imports]
  public static let outcomes = [piledUp, missed, leftBehind, once]
  public static let sides: [Side] = [
    .wrong("never removed") { try await neverRemoved($0) },
    .wrong("a context each", name: "own") { try await neverRemoved($0, each: true) },
    .column("owner", "removed by its owner", removedByOwner),
    .right("removed at the end", removed),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles of revision 0,
  @MainActor public static func given(_ world: World) async throws {
    for _ in 1...world[articles] { Article(context: world.container.viewContext).name = "News" }
    try world.container.viewContext.save()
  }

  // and imports, each of which changes all of them, and a merge of its save into the screen,
  // anchor: import
  @MainActor private final class Import {
    private let context, screen: NSManagedObjectContext
    var observer: Observer?
    init(_ context: NSManagedObjectContext, _ screen: NSManagedObjectContext) {
      (self.context, self.screen) = (context, screen)
    }

    func observe(_ block: @escaping @Sendable (Notification) -> Void) -> any NSObjectProtocol {
      NotificationCenter.default.addObserver(
        forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: context, queue: nil,
        using: block)
    }

    nonisolated func merge(_ save: Notification) {
      nonisolated(unsafe) let ids = save
      screen.perform { [screen] in screen.mergeChanges(fromContextDidSave: ids) }
    }

    func run(_ revision: Int) async throws {
      try await context.perform { [context] in
        for article in try context.fetch(Article.fetchRequest()) { article.views = Int64(revision) }
        try context.save()
      }
    }
  }
  // end: import

  // when no observer is removed, and the imports share a context or have one each,
  // anchor: wrong
  @MainActor private static func neverRemoved(_ world: World, each: Bool = false) async throws {
    try await importAll(world, each: each) { new, revision in
      world.mark("the token is thrown away, so the block stays, and the import with it")
      _ = new.observe { save in new.merge(save) }
      try await new.run(revision)
    }
  }
  // end: wrong

  // or the block does not keep the import, and the observer is removed when the import is freed,
  // anchor: owner
  @MainActor private static func removedByOwner(_ world: World) async throws {
    try await importAll(world) { new, revision in
      new.observer = Observer(new.observe { [weak new] save in new?.merge(save) })
      try await new.run(revision)
    }
  }

  private final class Observer {
    private let token: any NSObjectProtocol
    init(_ token: any NSObjectProtocol) { self.token = token }
    deinit { NotificationCenter.default.removeObserver(token) }
  }
  // end: owner

  // or the observer is removed when the import is done,
  // anchor: right
  @MainActor private static func removed(_ world: World) async throws {
    try await importAll(world) { new, revision in
      let token = new.observe { save in new.merge(save) }
      defer { NotificationCenter.default.removeObserver(token) }
      try await new.run(revision)
    }
  }
  // end: right

  // one import after the other,
  @MainActor private static func importAll(
    _ world: World, each: Bool = false, _ importOnce: @MainActor (Import, Int) async throws -> Void
  ) async throws {
    let (screen, shared) = (world.container.viewContext, world.container.newBackgroundContext())
    let list = try ArticleList(screen)
    var (earlier, finished): (Int, [() -> Bool]) = (0, [])
    for revision in 1...world[imports] {
      earlier = list.merges
      let new = Import(each ? world.container.newBackgroundContext() : shared, screen)
      try await importOnce(new, revision)
      await screen.perform(schedule: .enqueued) {}
      finished.append { [weak new] in new != nil }
    }
    list.close()
    world.observe("of the last save", list.merges - earlier, of: 1, section: "merges")
    world.observe("of all saves", list.merges, of: world[imports], section: "merges")
    let kept = finished.count { $0() }
    world.observe("finished imports in memory", kept, good: kept == 0)
  }

  // then each save was merged once, more often or (in the exercise) not at all.
  public static func observed(_ run: Observation) throws -> Outcome {
    let merges = run.number("of all saves") ?? 0
    if merges != run[imports] { return merges > run[imports] ? piledUp : missed }
    return run.number("finished imports in memory") == 0 ? once : leftBehind
  }
}
