import CoreData
import PlaygroundKit

/// A save writes objects to the file but frees none that another object still refers to.
///
///     faultline run 37
///     faultline run 37 --set linked=0
///     faultline run 37 --set batch=5000
public enum ResetInLoops: Scenario {
  public static let card = Card(
    37, "reset-in-loops", "Reset in loops", part: .memory,
    claim: "Saved objects that refer to each other stay alive until a reset or a refresh.",
    question: "Each batch is saved. After \(rows.standard) rows, how many objects are still alive?",
    why: """
      A saved object is freed as soon as nothing else refers to it. But the category refers to all \
      its articles, and each article to the category: a cycle, which a save does not break. \
      reset() drops every object of the context, cycles included.
      """,
    given: """
      {rows|# article|# articles} {linked|of one category|of no category}, saved in batches of \
      {batch}
      """,
    guide: "07-memory.md#37", sources: [.rules("Performance Considerations: Context Reset")],
    panels: [.memory, .engine], next: next)

  private static let rows = Parameter(
    "rows", 15_000, in: 1...2_000_000, "articles to import", explored: 200)
  private static let batch = Parameter(
    "batch", 500, in: 1...100_000, "articles per save", explored: 10)
  private static let linked = Parameter(
    "linked", 1, in: 0...1, "1: each article belongs to the category, 0: to none")

  private static let grows = Outcome(
    "GROWS", .forbidden, "the objects of earlier batches stay alive")
  private static let flat = Outcome(
    "FLAT", .accepted, "about one batch of objects is alive at a time")
  private static let lost = Outcome("LOST", .forbidden, "rows are missing from the file")

  public static let parameters = [rows, batch, linked]
  public static let outcomes = [grows, flat, lost]
  public static let sides: [Side] = [
    .wrong("save per batch", wrong),
    .right("save and reset per batch", right),
  ]
  public static let repeats = 3
  public static let limit = Duration.seconds(180)
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given a category that the importing context itself creates,
  private static func shelf(in context: NSManagedObjectContext) -> Category {
    let news = Category(context: context)
    news.name = "News"
    return news
  }

  // when a long import saves batch after batch in one context,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    try await bg.perform {
      let news = shelf(in: bg)
      for batch in batches(world) {
        for number in batch { insert(number, into: bg, world[linked] == 1 ? news : nil) }
        world.mark("the save writes the batch, but frees no article of the category")
        try bg.save()
      }
    }
  }
  // end: wrong

  // or also resets the context after each save and looks the category up again by its id,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    try await bg.perform {
      var news = shelf(in: bg)
      for batch in batches(world) {
        for number in batch { insert(number, into: bg, world[linked] == 1 ? news : nil) }
        try bg.save()
        let id = news.objectID
        bg.reset()
        if let again = try bg.existingObject(with: id) as? Category { news = again }
      }
    }
  }
  // end: right

  private static func batches(_ world: World) -> [Range<Int>] {
    let (rows, size) = (world[rows], world[batch])
    return stride(from: 0, to: rows, by: size).map { $0..<min($0 + size, rows) }
  }

  private static func insert(
    _ number: Int, into context: NSManagedObjectContext, _ category: Category?
  ) {
    let article = Article(context: context)
    article.name = "Article \(number)"
    article.views = Int64(number)
    article.category = category
  }

  // then the file holds the same rows, but the number of live objects differs.
  public static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.storedRows(of: "Article")
    run.observe("rows stored", stored, of: run[rows])
    if stored != run[rows] { return lost }
    let alive = run.number("peak live objects") ?? 0
    // At least one batch and the category are alive; two batches do not count as growth.
    return alive > 2 * run[batch] + 2 && run[rows] > 2 * run[batch] ? grows : flat
  }
}
