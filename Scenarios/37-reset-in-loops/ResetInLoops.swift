import CoreData
import PlaygroundKit

/// Saving writes objects down, it does not let go of them: whatever still refers to them does.
///
///     faultline run 37
///     faultline run 37 --set linked=0
///     faultline run 37 --set batch=5000
public enum ResetInLoops: Scenario {
  public static let card = Card(
    37, "reset-in-loops", "Reset in loops", part: .memory,
    claim: "An import that never resets its context keeps every object that something refers to.",
    question: "Each batch is saved. After \(rows.standard) rows, how many objects are still alive?",
    why: """
      A context lets go of a saved object only when nothing else holds it, and a category holds \
      all its articles. reset() lets go of everything at once.
      """,
    given: """
      {rows|# article|# articles} {linked|of one category|of no category}, saved in batches of \
      {batch}
      """,
    guide: "00-introduction.md#37",
    sources: [.rules("Performance Considerations: Context Reset")], panels: [.memory, .engine])

  private static let rows = Parameter(
    "rows", 15_000, in: 1...2_000_000, "articles to import", explored: 200)
  private static let batch = Parameter(
    "batch", 500, in: 1...100_000, "articles from one save to the next", explored: 10)
  private static let linked = Parameter(
    "linked", 1, in: 0...1, "1: each article belongs to the category")

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

  // Given a category that the importing context itself has made,
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
        world.mark("writes the batch down, and lets go of nothing that a category refers to")
        try bg.save()
      }
    }
  }
  // end: wrong

  // or also resets the context after each save, and takes the category from its id again,
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

  // then the file holds the same rows, and the memory of the process tells the two apart.
  public static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.storedRows(of: "Article")
    run.observe("rows stored", stored, of: run[rows])
    if stored != run[rows] { return lost }
    let alive = run.number("peak live objects") ?? 0
    // One batch and the category are alive at least; two batches are still no growth.
    return alive > 2 * run[batch] + 2 && run[rows] > 2 * run[batch] ? grows : flat
  }
}
