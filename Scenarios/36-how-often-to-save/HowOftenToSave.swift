import CoreData
import PlaygroundKit

/// A save costs a commit, however few rows it writes, and holds all its objects until then.
///
///     faultline run 36
///     faultline run 36 --set rows=50000
public enum HowOftenToSave: Scenario {
  public static let card = Card(
    36, "how-often-to-save", "How often to save", part: .memory,
    claim: "Save a long import in batches of some hundreds: not each row, and not all at once.",
    question: """
      An import of \(rows.standard) articles may save after each article, after every 10, 100 or \
      500, or once at the end. What grows with the number of saves, and what with their size?
      """,
    why: """
      Each save is a transaction, and its commit costs much the same for 1 row as for 100. Until \
      then its objects stay in memory, and while it writes them no other context can save.
      """,
    given: "{rows|one article is|# articles are} imported; after each save the context is reset",
    guide: "07-memory.md#36",
    sources: [.rules("Performance Considerations: Context Reset")],
    panels: [.engine, .memory, .curve],
    next: [
      Next("faultline show 36", "the question, the outcomes, the code of every side"),
      Next(
        "faultline explore 36",
        "nothing new: one import, one context, so every schedule ends the same"),
    ])

  private static let rows = Parameter(
    "rows", 4_000, in: 1...1_000_000, "articles to import", explored: 600)

  private static let tooOften = Outcome(
    "TOO OFTEN", .forbidden, "the import makes a commit for fewer than 50 articles")
  private static let tooLate = Outcome(
    "TOO LATE", .forbidden, "more than 500 articles are in memory, and in one transaction")
  private static let inBatches = Outcome(
    "IN BATCHES", .accepted, "each commit writes some 50 to 500 articles")
  private static let lost = Outcome("LOST", .forbidden, "articles are missing from the file")

  public static let parameters = [rows]
  public static let outcomes = [tooOften, tooLate, inBatches, lost]
  public static let sides: [Side] = [
    .wrong("save each article", saveEach),
    .wrong("every 10", name: "tens", saveEvery10),
    .right("every 100", saveEvery100),
    .right("every 500", name: "hundreds", saveEvery500),
    .wrong("once, at the end", name: "once", saveOnce),
  ]
  public static let repeats = 3
  public static let limit = Duration.seconds(180)
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given an import that saves after each full batch and after the last article,
  // anchor: import
  private static func importArticles(_ world: World, savingEvery batch: Int) async throws {
    let (bg, rows) = (world.container.newBackgroundContext(), world[rows])
    let longest = try await bg.perform {
      var longest = Duration.zero
      for number in 1...rows {
        Article(context: bg).name = "Article \(number)"
        if number.isMultiple(of: batch) || number == rows {
          longest = max(longest, try ContinuousClock().measure { try bg.save() })
          bg.reset()
        }
      }
      return longest
    }
    world.observe("longest save", nanoseconds(longest), .nanoseconds)
  }
  // end: import

  // when a batch is one article,
  // anchor: wrong
  @MainActor private static func saveEach(_ world: World) async throws {
    world.mark("a commit for each article")
    try await importArticles(world, savingEvery: 1)
  }
  // end: wrong

  // or ten,
  @MainActor private static func saveEvery10(_ world: World) async throws {
    try await importArticles(world, savingEvery: 10)
  }

  // or a hundred,
  @MainActor private static func saveEvery100(_ world: World) async throws {
    try await importArticles(world, savingEvery: 100)
  }

  // or five hundred,
  @MainActor private static func saveEvery500(_ world: World) async throws {
    try await importArticles(world, savingEvery: 500)
  }

  // or everything,
  // anchor: once
  @MainActor private static func saveOnce(_ world: World) async throws {
    world.mark("every article is in memory until this save, and no other context saves meanwhile")
    try await importArticles(world, savingEvery: world[rows])
  }
  // end: once

  private static func nanoseconds(_ duration: Duration) -> Int { Int(duration / .nanoseconds(1)) }

  // then the file holds the same, and the counts tell what each way costs.
  public static func observed(_ run: Observation) throws -> Outcome {
    let (stored, rows) = (try run.storedRows(of: "Article"), run[rows])
    run.observe("articles in the file", stored, of: rows)
    if stored != rows { return lost }
    // A short import has nothing to choose.
    if (run.number("commits") ?? 0) * 50 > rows, rows >= 50 { return tooOften }
    return run.number("peak live objects") ?? 0 > 500 ? tooLate : inBatches
  }
}
