import CoreData
import PlaygroundKit

/// Two contexts stand still for ever when each waits for the other inside a block of its own.
///
///     faultline run 9
///     faultline explore 9
public enum TwoQueuesWaiting: Scenario {
  public static let card = Card(
    9, "two-queues-waiting-for-each-other", "Two queues waiting for each other", part: .blocking,
    claim: "A block that others may wait for must not wait for them.",
    question: """
      A line about an article needs its shelf's name, a line about the shelf needs its articles. \
      Each asks the other's context. Who answers?
      """,
    why: """
      performAndWait inside a block holds one queue and wants a second. Whoever does it the other \
      way round at the same moment holds the second and wants the first.
      """,
    given:
      "one article on one shelf; both lines are written {rounds|once|# times}, at the same time",
    guide: "02-blocking.md#09",
    sources: [
      .tutorial("Parent/Child Managed Object Contexts: performBlockAndWait"),
      .operation("Creating an NSManagedObjectContext"),
    ])

  private static let rounds = Parameter(
    "rounds", 50, in: 1...100_000, "how often both lines are written", explored: 1)

  private static let deadlock = Outcome(
    "DEADLOCK", .forbidden, "each holds the queue that the other waits for", when: .deadlock)
  private static let lucky = Outcome(
    "LUCKY", .interesting, "both lines were written; no moment was the wrong one, this time")
  private static let written = Outcome(
    "WRITTEN", .accepted, "both lines were written by blocks that wait for nobody")

  public static let parameters = [rounds]
  public static let outcomes = [deadlock, lucky, written]
  public static let sides: [Side] = [
    .wrong("each waits inside its block", wrong),
    .wrong("main waits for a block that waits for main", name: "main", waitOnMain),
    .right("ask first, then write", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given one article on one shelf,
  @MainActor public static func given(_ world: World) async throws {
    let article = Article(context: world.container.viewContext)
    article.name = "Waiting"
    article.category = Category(context: world.container.viewContext)
    article.category?.name = "Queues"
    try world.container.viewContext.save()
  }

  // and a context for articles and one for shelves,
  private static func contexts(
    _ world: World
  ) -> (articles: NSManagedObjectContext, shelves: NSManagedObjectContext) {
    let articles = world.container.newBackgroundContext()
    let shelves = world.container.newBackgroundContext()
    articles.name = "articles"
    shelves.name = "shelves"
    return (articles, shelves)
  }

  // when the article's line, inside the one queue, waits for the other,
  // and the shelf's line, inside the other, waits for the one,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let (articles, shelves) = contexts(world)
    var lines = ("", "")
    for _ in 1...world[rounds] {
      async let article = articles.perform {
        let article = try title(in: articles)
        world.mark("holds the queue of the articles, and waits for that of the shelves")
        let shelf = try shelves.performAndWait { try nameOfShelf(in: shelves) }
        return "\(article), on \(shelf)"
      }
      async let shelf = shelves.perform {
        let shelf = try nameOfShelf(in: shelves)
        let article = try articles.performAndWait { try title(in: articles) }
        return "\(shelf), with \(article)"
      }
      lines = (try await article, try await shelf)
    }
    note(lines, asked: "inside a block", world)
  }
  // end: wrong

  // or the main thread waits for a block, and the block for the main thread,
  // anchor: main
  @MainActor private static func waitOnMain(_ world: World) throws {
    let (articles, screen) = (contexts(world).articles, world.container.viewContext)
    articles.perform {
      let shelf = screen.performAndWait { try? nameOfShelf(in: screen) }
      note(("", "\(shelf ?? ""), on the screen"), asked: "inside a block", world)
    }
    world.mark("main stands here until the block is done, and the block needs main")
    articles.performAndWait { articles.reset() }
  }
  // end: main

  // or each asks the other context first, while it holds nothing, and then writes its line,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let (articles, shelves) = contexts(world)
    var lines = ("", "")
    for _ in 1...world[rounds] {
      async let article = articleLine(articles, shelves)
      async let shelf = shelfLine(articles, shelves)
      lines = (try await article, try await shelf)
    }
    note(lines, asked: "between blocks", world)
  }

  private static func articleLine(
    _ articles: NSManagedObjectContext, _ shelves: NSManagedObjectContext
  ) async throws -> String {
    let shelf = try await shelves.perform { try nameOfShelf(in: shelves) }
    return try await articles.perform { "\(try title(in: articles)), on \(shelf)" }
  }

  private static func shelfLine(
    _ articles: NSManagedObjectContext, _ shelves: NSManagedObjectContext
  ) async throws -> String {
    let article = try await articles.perform { try title(in: articles) }
    return try await shelves.perform { "\(try nameOfShelf(in: shelves)), with \(article)" }
  }
  // end: right

  private static func title(in context: NSManagedObjectContext) throws -> String {
    try context.fetch(Article.fetchRequest()).first?.name ?? "nothing"
  }

  private static func nameOfShelf(in context: NSManagedObjectContext) throws -> String {
    try context.fetch(Category.fetchRequest()).first?.name ?? "nothing"
  }

  // then both lines stand there,
  private static func note(
    _ lines: (article: String, shelf: String), asked: String, _ world: World
  ) {
    world.observe("asks for the other's part", asked)
    world.observe("the article's line", lines.article)
    world.observe("the shelf's line", lines.shelf)
  }

  // or nobody ever comes to note them.
  public static func observed(_ run: Observation) throws -> Outcome {
    run.text("asks for the other's part") == "between blocks" ? written : lucky
  }
}
