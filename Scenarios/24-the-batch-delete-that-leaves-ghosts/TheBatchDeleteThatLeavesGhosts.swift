import CoreData
import PlaygroundKit

/// A batch delete removes rows from the file and tells no context, not even one that merges.
///
///     faultline run 24
///     faultline run 24 --set articles=50000
public enum TheBatchDeleteThatLeavesGhosts: Scenario {
  public static let card = Card(
    24, "the-batch-delete-that-leaves-ghosts", "The batch delete that leaves ghosts",
    part: .merging,
    claim: "After a batch delete, merge the ids of the deleted rows into every context.",
    question: """
      A batch delete removes the articles that were read. The screen's context merges \
      automatically. Which rows does the screen show, and what happens if one of them is edited?
      """,
    why: """
      A batch request is SQL inside the store. No context is involved, so no did-save notification \
      is posted, and there is nothing that the flag could merge. An object whose row is gone stays \
      in its context, with its old values.
      """,
    given: """
      {articles|one article|# articles}, of which every second was read, in a main-queue and a \
      private context that merge automatically; a clean-up deletes the read ones
      """,
    guide: "04-merging.md#24",
    sources: [.rules("Pattern 4"), .swiftConcurrency("Operações em lote")],
    panels: [.engine, .memory])

  private static let articles = Parameter(
    "articles", 2_000, in: 2...100_000, "articles, of which every second was read", explored: 2)

  private static let ghosts = Outcome(
    "GHOSTS", .forbidden, "a context still holds objects whose rows are gone from the file")
  private static let gone = Outcome(
    "GONE", .accepted, "what the clean-up deleted is gone from the file and from both contexts")

  public static let parameters = [articles]
  public static let outcomes = [ghosts, gone]
  public static let sides: [Side] = [
    .wrong("batch delete", deleteOnly),
    .right("batch delete, merge the ids", deleteAndMerge),
    .right("delete(_:) each, save", name: "objects", deleteObjects),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles of which every second was read,
  @MainActor public static func given(_ world: World) async throws {
    for number in 0..<world[articles] {
      let article = Article(context: world.container.viewContext)
      (article.name, article.views) = ("Article \(number)", Int64(number % 2))
    }
    try world.container.viewContext.save()
  }

  private static func read() -> NSFetchRequest<Article> {
    let request = Article.fetchRequest()
    request.predicate = NSPredicate(format: "views > 0")
    return request
  }

  // when a clean-up deletes their rows in the store,
  // anchor: wrong
  @MainActor private static func deleteOnly(_ world: World) async throws {
    try await cleanUp(world) { cleaner, _ in
      try await cleaner.perform {
        world.mark("rows go from the file; no context is told, and no notification is posted")
        _ = try cleaner.execute(NSBatchDeleteRequest(fetchRequest: read()))
      }
    }
  }
  // end: wrong

  // or also asks for their ids and merges them into every context,
  // anchor: right
  @MainActor private static func deleteAndMerge(_ world: World) async throws {
    try await cleanUp(world) { cleaner, contexts in
      let ids = try await cleaner.perform {
        let request = NSBatchDeleteRequest(fetchRequest: read())
        request.resultType = .resultTypeObjectIDs
        let result = try cleaner.execute(request) as? NSBatchDeleteResult
        return result?.result as? [NSManagedObjectID] ?? []
      }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: contexts)
    }
  }
  // end: right

  // or deletes objects and saves, which the contexts merge by themselves,
  // anchor: objects
  @MainActor private static func deleteObjects(_ world: World) async throws {
    try await cleanUp(world) { cleaner, _ in
      try await cleaner.perform {
        for article in try cleaner.fetch(read()) { cleaner.delete(article) }
        try cleaner.save()
      }
    }
  }
  // end: objects

  // while a screen and an index hold all articles,
  @MainActor private static func cleanUp(
    _ world: World,
    delete: @Sendable (NSManagedObjectContext, [NSManagedObjectContext]) async throws -> Void
  ) async throws {
    let (screen, index) = (world.container.viewContext, world.container.newBackgroundContext())
    for context in [screen, index] {
      context.automaticallyMergesChangesFromParent = true
      try await context.perform { try context.hold() }
    }
    try await delete(world.container.newBackgroundContext(), [screen, index])
    for (name, context) in [("on the screen", screen), ("in the index", index)] {
      let held = await context.perform(schedule: .enqueued) {
        context.heldArticles.count { !$0.isDeleted && $0.views > 0 }
      }
      world.observe(name, held, good: held == 0, section: "objects without a row")
    }
    world.observe("a save of such an object", edit(in: screen))
  }

  // and one of what the screen still shows is edited,
  @MainActor private static func edit(in screen: NSManagedObjectContext) -> String {
    let shown = screen.heldArticles.first { !$0.isDeleted && $0.views > 0 }
    guard let shown else { return "no such object" }
    shown.name = "edited"
    do {
      try screen.save()
      return "succeeds"
    } catch {
      return "fails with \((error as NSError).code)"
    }
  }

  // then no context holds an object without a row, or some does.
  public static func observed(_ run: Observation) throws -> Outcome {
    run.observe("rows in the file", try run.storedRows(of: "Article"))
    let held = ["on the screen", "in the index"].compactMap(run.number)
    return held == [0, 0] ? gone : ghosts
  }
}
