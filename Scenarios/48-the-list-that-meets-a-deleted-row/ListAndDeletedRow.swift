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
      The row of an article can be gone before the list hears of it and reads it. And a merge \
      changes many rows at once, while a table that hears of them singly counts after each.
      """,
    given: "a list of {articles} articles; a clean-up deletes every other one",
    guide: "04-merging.md#48",
    sources: [.tutorial("Strategy 1: Notifications"), .rules("Enable Concurrency Debug")])

  private static let articles = Parameter(
    "articles", 100, in: 2...10_000, "articles in the list", explored: 4)

  private static let blank = Outcome("BLANK", .forbidden, "a row was empty: its article was gone")
  private static let invalid = Outcome(
    "INVALID UPDATE", .forbidden, "the table counted other rows than it was told of (UIKit throws)")
  private static let ghosts = Outcome("GHOSTS", .forbidden, "the list shows articles that are gone")
  private static let current = Outcome(
    "CURRENT", .accepted, "no row was ever empty, and the list shows what the file has")

  public static let parameters = [articles]
  public static let outcomes = [blank, invalid, ghosts, current]
  public static let sides: [Side] = [
    .wrong("no merging") { try await show(.withoutMerging, $0) },
    .wrong("merging, rows read late", name: "late") { try await show(.readingLate, $0) },
    .wrong("merging, told singly", name: "singly") { try await show(.tellingSingly, $0) },
    .right("merging, rows read, one update") { try await show(.well, $0) },
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles,
  @MainActor public static func given(_ world: World) async throws {
    for number in 0..<world[articles] {
      let article = Article(context: world.container.viewContext)
      (article.name, article.views) = ("Article \(10_000 + number)", Int64(number))
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
  // anchor: list
  private enum Way { case withoutMerging, readingLate, tellingSingly, well }

  @MainActor private static func show(_ way: Way, _ world: World) async throws {
    let screen = world.container.viewContext
    if way == .withoutMerging { world.mark("the list's context hears of no save but its own") }
    screen.automaticallyMergesChangesFromParent = way != .withoutMerging
    let request = Article.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let readsLate = way == .readingLate
    if readsLate { world.mark("a row is read when it is shown, and may be gone by then") }
    (request.returnsObjectsAsFaults, request.fetchBatchSize) = (readsLate, readsLate ? 1 : 0)
    let list = try List(
      NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: screen, sectionNameKeyPath: nil,
        cacheName: nil), way, world)

    async let cleaned: Void = cleanUp(world.container.newBackgroundContext())
    list.scroll()
    try await cleaned
    await screen.perform(schedule: .enqueued) {}
    list.scroll()
    list.note()
  }
  // end: list

  /// The list: a table, a controller, and what the rows have shown.
  @MainActor private final class List: @MainActor NSFetchedResultsControllerDelegate {
    private let controller: NSFetchedResultsController<Article>
    private let way: Way
    private let world: World
    private lazy var table = Table { [unowned self] in controller.fetchedObjects?.count ?? 0 }
    private var blankRows = 0

    init(_ controller: NSFetchedResultsController<Article>, _ way: Way, _ world: World) throws {
      (self.controller, self.way, self.world) = (controller, way, world)
      controller.delegate = self
      try controller.performFetch()
      table.reload()
    }

    func scroll() {
      blankRows += (0..<table.count).count { row in
        controller.object(at: IndexPath(item: row, section: 0)).name == nil
      }
    }

    // anchor: delegate
    typealias Controller = NSFetchedResultsController<any NSFetchRequestResult>

    func controllerWillChangeContent(_ controller: Controller) {
      if way != .tellingSingly { table.beginUpdates() }
    }

    func controller(
      _ controller: Controller, didChange object: Any, at old: IndexPath?,
      for type: NSFetchedResultsChangeType, newIndexPath new: IndexPath?
    ) {
      if way == .tellingSingly { world.mark("the table counts after each change") }
      if let old, type == .delete || type == .move { table.deleteRow(at: old.item) }
      if let new, type == .insert || type == .move { table.insertRow(at: new.item) }
    }

    func controllerDidChangeContent(_ controller: Controller) {
      if way != .tellingSingly { table.endUpdates() }
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
    let stored = try run.storedRows(of: "Article")
    run.observe("rows in the file", stored)
    if run.number("rows that were empty") ?? 0 > 0 { return blank }
    if run.number("invalid updates") ?? 0 > 0 { return invalid }
    return run.number("rows in the list") == stored ? current : ghosts
  }
}
