import CoreData
import PlaygroundKit

/// A function that returns what it fetched in a background context lets objects leave their queue.
///
///     faultline run 16
///     faultline explore 16
public enum TheAsyncFetch: Scenario {
  public static let card = Card(
    16, "the-async-fetch-that-leaks-objects", "The async fetch that leaks objects", part: .identity,
    claim: "Return ids or values from an async fetch; the objects belong to the context inside it.",
    question: """
      fetchArticles() fetches in a background context and returns the objects, and it compiles \
      in Swift 6 mode. Its caller on the main thread reads their names. What does it read?
      """,
    why: """
      The objects belong to the background context still. If that was released, they can load \
      nothing. If it lives, its queue changes them while the main thread reads.
      """,
    given: "{articles|one article|# articles} of revision 1; a list is shown while 2 is published",
    guide: "03-identity.md#16",
    sources: [.rules("Async/Await with Core Data: Using async/await")])

  private static let articles = Parameter(
    "articles", 1_000, in: 1...10_000, "articles that are fetched and shown", explored: 2)

  private static let stopped = Outcome(
    "STOPPED", .forbidden, "the process ended while it read an object", when: .crashed,
    saying: "NSObjectInaccessibleException")
  private static let mixed = Outcome(
    "MIXED", .forbidden, "the list has lines of both revisions, as the store never had")
  private static let lucky = Outcome("LUCKY", .interesting, "the list is whole, by its timing")
  private static let whole = Outcome(
    "WHOLE", .accepted, "the list is of one revision, and each object was read in its own queue")

  public static let parameters = [articles]
  public static let outcomes = [stopped, mixed, lucky, whole]
  public static let sides: [Side] = [
    .wrong("return the objects", wrong),
    .wrong("the same, context kept", name: "kept", keepTheContext),
    .right("return values", right),
    .right("fetch on main", name: "main", fetchOnMain),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles on a shelf, at revision 1,
  @MainActor public static func given(_ world: World) async throws {
    let shelf = Category(context: world.container.viewContext)
    shelf.name = "Shelf"
    for _ in 0..<world[articles] {
      let article = Article(context: world.container.viewContext)
      (article.name, article.views, article.category) = ("Revision 1", 1, shelf)
    }
    try world.container.viewContext.save()
  }

  // and an editor that publishes revision 2, the newest article first,
  private static func publish(in context: NSManagedObjectContext) async throws {
    try await ArticleStore(in: context).publish(revision: 2)
  }

  // when a function fetches in a context of its own, and returns the objects,
  // anchor: wrong
  private static func fetchArticles(from store: NSPersistentContainer) async throws -> [Article] {
    let context = store.newBackgroundContext()
    return try await context.perform { try context.fetch(Article.fetchRequest()) }
  }

  @MainActor private static func wrong(_ world: World) async throws {
    let articles = try await fetchArticles(from: world.container)
    let editor = world.container.newBackgroundContext()
    try await publish(in: editor)
    world.mark("these objects belong to a context that fetchArticles has released")
    let lines = articles.map { ArticleValue(of: $0) }
    note(lines, read: "outside their queue", world)
  }
  // end: wrong

  // or keeps the context, which then serves the editor too,
  // anchor: kept
  private static func fetchArticles(in context: NSManagedObjectContext) async throws -> [Article] {
    try await context.perform { try context.fetch(Article.fetchRequest()) }
  }

  @MainActor private static func keepTheContext(_ world: World) async throws {
    let context = world.container.newBackgroundContext()
    let articles = try await fetchArticles(in: context)
    async let published: Void = publish(in: context)
    world.mark("the main thread reads what the context's queue is changing")
    let lines = articles.map { ArticleValue(of: $0) }
    try await published
    note(lines, read: "outside their queue", world)
  }
  // end: kept

  // or returns values, which it has read inside the block,
  // anchor: right
  private static func fetchLines(in context: NSManagedObjectContext) async throws -> [ArticleValue]
  {
    try await context.perform {
      let request = Article.fetchRequest()
      request.returnsObjectsAsFaults = false
      return try context.fetch(request).map { ArticleValue(of: $0) }
    }
  }

  @MainActor private static func right(_ world: World) async throws {
    let context = world.container.newBackgroundContext()
    async let published: Void = publish(in: context)
    let lines = try await fetchLines(in: context)
    try await published
    note(lines, read: "in their queue", world)
  }
  // end: right

  // or fetches in the context of its caller, with the values loaded,
  // anchor: main
  @MainActor private static func fetchOnMain(_ world: World) async throws {
    let editor = world.container.newBackgroundContext()
    async let published: Void = publish(in: editor)
    let request = Article.fetchRequest()
    (request.returnsObjectsAsFaults, request.shouldRefreshRefetchedObjects) = (false, true)
    let lines = try world.container.viewContext.fetch(request).map { ArticleValue(of: $0) }
    try await published
    note(lines, read: "in their queue", world)
  }
  // end: main

  // then each line is of one revision or the other.
  private static func note(_ lines: [ArticleValue], read place: String, _ world: World) {
    world.observe("the objects were read", place)
    world.observe(list: lines)
  }

  public static func observed(_ run: Observation) throws -> Outcome {
    guard run.isOfOneRevision(run[articles]) else { return mixed }
    return run.text("the objects were read") == "in their queue" ? whole : lucky
  }
}
