import CoreData
import PlaygroundKit

/// A list shows rows that another context deletes.
///
///     faultline run 48
///     faultline explore 48
public enum ListAndDeletedRow: Scenario {
  public static let card = Card(
    48, "the-list-that-meets-a-deleted-row", "The list that meets a deleted row", part: .merging,
    claim: "A list needs merging, rows that it has read, and all changes of a merge in one update.",
    question: """
      A list shows articles through a fetched results controller. A clean-up in the background \
      deletes every other one. What can the list show meanwhile, and what afterwards?
      """,
    why: """
      The row of an article can be gone before the list hears of it. If the list reads the article \
      only then, there is nothing to read. And a merge changes many rows at once, while a table \
      that hears of them singly counts after each.
      """,
    given: "a list of {articles} articles; a clean-up deletes every other one",
    guide: "04-merging.md#48",
    sources: [
      .tutorial("Fetched results controller"), .rules("Error 3"),
    ])

  private static let articles = Parameter(
    "articles", 100, in: 2...10_000, "articles in the list", explored: 4)

  private static let blank = Outcome(
    "BLANK", .forbidden, "some row of the list showed nothing, because its article was gone")
  private static let invalid = Outcome(
    "INVALID UPDATE", .forbidden, "the table counted other rows than it was told of, and stopped")
  private static let ghosts = Outcome(
    "GHOSTS", .forbidden, "the list still shows articles that the file no longer has")
  private static let survives = Outcome(
    "RIGHT", .accepted, "no row was ever empty, and the list shows what the file has")

  public static let parameters = [articles]
  public static let outcomes = [blank, invalid, ghosts, survives]
  public static let sides: [Side] = [
    .wrong("no merging") { try await show(.init(merges: false), $0) },
    .wrong("merging, rows read late", name: "late") { try await show(.init(readsLate: true), $0) },
    .wrong("merging, told singly", name: "singly") {
      try await show(.init(tellsSingly: true), $0)
    },
    .right("merging, rows read, one update") { try await show(.init(), $0) },
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles,
  @MainActor public static func given(_ world: World) async throws {
    for number in 0..<world[articles] {
      let article = Article(context: world.container.viewContext)
      article.name = "Article \(10_000 + number)"
      article.views = Int64(number)
    }
    try world.container.viewContext.save()
  }

  // of which a clean-up deletes every other one,
  private static func cleanUp(_ context: NSManagedObjectContext) async throws {
    try await context.perform {
      let request = Article.fetchRequest()
      request.predicate = NSPredicate(format: "views %% 2 == 1")
      for article in try context.fetch(request) { context.delete(article) }
      try context.save()
    }
  }

  // when a list shows them, which merges or not, and reads its rows at once or late,
  private struct Manner {
    var merges = true
    var readsLate = false
    var tellsSingly = false
  }

  // anchor: list
  @MainActor private static func show(_ manner: Manner, _ world: World) async throws {
    let screen = world.container.viewContext
    if !manner.merges { world.mark("the list's context hears of no save but its own") }
    screen.automaticallyMergesChangesFromParent = manner.merges
    let request = Article.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.returnsObjectsAsFaults = manner.readsLate
    if manner.readsLate { world.mark("a row is read when it is shown, and may be gone by then") }
    request.fetchBatchSize = manner.readsLate ? 1 : 0
    let list = List(
      NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: screen, sectionNameKeyPath: nil,
        cacheName: nil), tellsSingly: manner.tellsSingly, world)
    try list.open()

    async let cleaned: Void = cleanUp(world.container.newBackgroundContext())
    list.scroll()
    try await cleaned
    await screen.perform(schedule: .enqueued) {}
    list.scroll()
    list.note()
  }
  // end: list

  /// The list: a table, a controller, and what the rows have shown.
  @MainActor private final class List: NSFetchedResultsControllerDelegate {
    private let controller: NSFetchedResultsController<Article>
    private let tellsSingly: Bool
    private let world: World
    private lazy var table = Table { [unowned self] in controller.fetchedObjects?.count ?? 0 }
    private var blankRows = 0

    init(_ controller: NSFetchedResultsController<Article>, tellsSingly: Bool, _ world: World) {
      (self.controller, self.tellsSingly, self.world) = (controller, tellsSingly, world)
    }

    func open() throws {
      controller.delegate = self
      try controller.performFetch()
      table.reload()
    }

    func scroll() {
      for row in 0..<table.count {
        let article = controller.object(at: IndexPath(item: row, section: 0))
        if article.name == nil { blankRows += 1 }
      }
    }

    // anchor: delegate
    nonisolated func controllerWillChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
      MainActor.assumeIsolated { if !tellsSingly { table.beginUpdates() } }
    }

    nonisolated func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange object: Any,
      at old: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath new: IndexPath?
    ) {
      MainActor.assumeIsolated {
        if tellsSingly { world.mark("the table counts after each change") }
        if let old, type == .delete || type == .move { table.deleteRow(at: old.item) }
        if let new, type == .insert || type == .move { table.insertRow(at: new.item) }
      }
    }

    nonisolated func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
      MainActor.assumeIsolated { if !tellsSingly { table.endUpdates() } }
    }
    // end: delegate

    func note() {
      let invalid = table.invalidUpdates
      world.observe("rows that were empty", blankRows, good: blankRows == 0)
      world.observe("invalid updates", invalid.count, good: invalid.isEmpty)
      world.observe("the first of them", invalid.first ?? "none")
      world.observe("calls to the table", table.calls.count)
      world.observe("rows in the list", table.count)
    }
  }

  // then the list shows what the file has, or not.
  public static func observed(_ run: Observation) throws -> Outcome {
    if run.number("rows that were empty") ?? 0 > 0 { return blank }
    if run.number("invalid updates") ?? 0 > 0 { return invalid }
    let stored = try run.storedRows(of: "Article")
    run.observe("rows in the file", stored)
    return run.number("rows in the list") == stored ? survives : ghosts
  }
}
