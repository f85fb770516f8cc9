import CoreData
import PlaygroundKit

/// Two contexts deadlock if each waits for the other inside a block of its own.
///
///     faultline run 9
///     faultline explore 9
public enum TwoQueuesWaiting: Scenario {
  public static let card = Card(
    9, "two-queues-waiting-for-each-other", "Two queues waiting for each other", part: .blocking,
    claim: "Inside a block, never wait for a context whose blocks may be waiting for yours.",
    question: """
      A line about an article needs its shelf's name, and a line about the shelf needs its \
      articles. Each block asks the other context with performAndWait. What happens?
      """,
    why: """
      A thread that calls performAndWait inside a block keeps the queues that it holds while it \
      waits for another. Here each thread waits for a queue that the other one holds.
      """,
    given:
      "one article on one shelf; a line about each is written {rounds|once|# times}, concurrently",
    guide: "02-blocking.md#09",
    sources: [
      .tutorial("Parent/Child Managed Object Contexts: performBlockAndWait"),
      .operation("Creating an NSManagedObjectContext"),
    ])

  private static let rounds = Parameter(
    "rounds", 50, in: 1...100_000, "how often both lines are written", explored: 1)
  private static let copy = Parameter("copy", 1, in: 1...99, "the copy that the lines are about")

  private static let deadlock = Outcome(
    "DEADLOCK", .forbidden, "each thread holds the queue that the other one waits for",
    when: .deadlock)
  private static let lucky = Outcome(
    "LUCKY", .interesting, "both lines were written, because the timing was lucky")
  private static let written = Outcome(
    "WRITTEN", .accepted, "both lines were written, each with what it asked for")
  private static let halfWritten = Outcome(
    "HALF WRITTEN", .forbidden, "a line lacks what it asked the other context for")

  public static let parameters = [rounds, copy]
  public static let outcomes = [deadlock, lucky, written, halfWritten]
  public static let sides: [Side] = [
    .wrong("each waits inside its block", wrong),
    .wrong("main waits for a block that waits for main", name: "main", waitOnMain),
    .right("ask first, then write", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  private static func copyWords(_ copy: Int) -> String { copy == 1 ? "" : ", copy \(copy)" }

  // Given one article on one shelf,
  @MainActor public static func given(_ world: World) async throws {
    let article = Article(context: world.container.viewContext)
    article.name = "Waiting\(copyWords(world[copy]))"
    article.category = Category(context: world.container.viewContext)
    article.category?.name = "Queues\(copyWords(world[copy]))"
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

  // when the article's line, inside the articles' queue, waits for the shelves' queue,
  // and the shelf's line, inside the shelves' queue, waits for the articles' queue,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let (articles, shelves) = contexts(world)
    var lines = ("", "")
    for _ in 1...world[rounds] {
      async let article = articles.perform {
        let article = try title(in: articles)
        world.mark("this block holds the articles' queue and waits for the shelves' queue")
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

  // or the main thread waits for a block that waits for the main thread,
  // anchor: main
  @MainActor private static func waitOnMain(_ world: World) throws {
    let (articles, screen) = (contexts(world).articles, world.container.viewContext)
    articles.perform {
      let shelf = screen.performAndWait { try? nameOfShelf(in: screen) }
      note(("", "\(shelf ?? ""), on the screen"), asked: "inside a block", world)
    }
    world.mark("the main thread waits here for a block that waits for main")
    articles.performAndWait { articles.reset() }
  }
  // end: main

  // or each line asks the other context first, while it holds no queue, and is then written,
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

  // then both lines are noted,
  private static func note(
    _ lines: (article: String, shelf: String), asked: String, _ world: World
  ) {
    world.observe("asks the other context", asked)
    world.observe("the article's line", lines.article)
    world.observe("the shelf's line", lines.shelf)
  }

  // unless the threads wait for each other in a cycle and note nothing.
  public static func observed(_ run: Observation) throws -> Outcome {
    let lines = [run.text("the article's line"), run.text("the shelf's line")]
    let (title, shelf) = ("Waiting\(copyWords(run[copy]))", "Queues\(copyWords(run[copy]))")
    guard lines == ["\(title), on \(shelf)", "\(shelf), with \(title)"] else { return halfWritten }
    return run.text("asks the other context") == "inside a block" ? lucky : written
  }
}
