import CoreData
import Foundation
import PlaygroundKit

/// An object that is created outside its context's queue may be saved before it is filled.
///
///     faultline run 3
///     faultline explore 3
public enum CreatingOutsidePerform: Scenario {
  public static let card = Card(
    3, "creating-an-object-outside-perform", "Creating an object outside perform", part: .queues,
    claim: "Create and fill an object in one block of its context.",
    question: """
      Main creates articles in a background context and fills them. Meanwhile the context saves, \
      inside its own queue. Which articles does the save see?
      """,
    why: """
      Article(context: bg) inserts at once. From then on every save of bg includes the article, \
      filled or not, and no queue keeps a save out of the lines that fill it.
      """,
    given: "main creates {articles|one article|# articles}, and their context saves during each",
    guide: "01-queues.md#03",
    sources: [.rules("Error 2: Not Using perform; Thread Confinement")])

  private static let articles = Parameter(
    "articles", 200, in: 1...10_000, "articles that main creates", explored: 1)

  private static let words = Parameter(
    "words", 600, in: 1...10_000, "words of each article, which main puts together", explored: 1)

  private static let crashed = Outcome(
    "CRASHED", .forbidden, "the process crashed: two threads changed one context", when: .crashed)
  private static let threw = Outcome(
    "SAVE FAILED", .forbidden, "a save failed, because another thread changed its context")
  private static let lost = Outcome(
    "LOST", .forbidden, "in the end bg saves once more, and the file still lacks a value")
  private static let half = Outcome(
    "HALF FILLED", .forbidden, "the save stored some article before all its values were set")
  private static let named = Outcome(
    "NAMED", .forbidden, "the checker reported every line outside the queue")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "the save stored each article whole or not at all, by luck")
  private static let whole = Outcome(
    "WHOLE", .accepted, "the save stored each article whole or not at all")

  public static let parameters = [articles, words]
  public static let outcomes = [crashed, threw, lost, half, named, lucky, whole]
  public static let sides: [Side] = [
    .wrong("create on main", createOnMain),
    .wrong("the same, checker on", name: "checked", checker: .record, createOnMain),
    .right("create inside perform", createInside),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given an empty file, and articles that are filled as soon as they are created,
  // anchor: create
  private static func create(_ number: Int, words: Int, in bg: NSManagedObjectContext) {
    let article = Article(context: bg)
    article.name = "Article \(number)"
    article.content = (1...words).map { "word \($0)" }.joined(separator: " ")
  }
  // end: create

  // when main creates them in a background context that saves meanwhile,
  // anchor: wrong
  @MainActor private static func createOnMain(_ world: World) async throws {
    let (bg, words) = (world.container.newBackgroundContext(), world[words])
    var halves: [Int?] = []
    for number in 1...world[articles] {
      async let half = bg.perform { halfFilled(afterSaveOf: bg, world) }
      world.mark("this thread is outside bg's queue, and bg may be saving")
      create(number, words: words, in: bg)
      halves.append(await half)
    }
    await finish(bg, "on main", halves, world)
  }
  // end: wrong

  // or lets the context's queue create them, each in one block,
  // anchor: right
  @MainActor private static func createInside(_ world: World) async throws {
    let (bg, words) = (world.container.newBackgroundContext(), world[words])
    var halves: [Int?] = []
    for number in 1...world[articles] {
      async let half = bg.perform { halfFilled(afterSaveOf: bg, world) }
      await bg.perform { create(number, words: words, in: bg) }
      halves.append(await half)
    }
    await finish(bg, "in bg's queue", halves, world)
  }
  // end: right

  private static func halfFilled(afterSaveOf bg: NSManagedObjectContext, _ world: World) -> Int? {
    do {
      try bg.save()
      return try world.storedArticles(where: "ZNAME IS NULL OR ZCONTENT IS NULL")
    } catch { return nil }
  }

  // then bg saves once more,
  private static func finish(
    _ bg: NSManagedObjectContext, _ created: String, _ halves: [Int?], _ world: World
  ) async {
    world.observe("created", created)
    let rest = await bg.perform { halfFilled(afterSaveOf: bg, world) }
    let failed = (halves + [rest]).count { $0 == nil }
    world.observe("saves that failed", failed, of: halves.count + 1, good: failed == 0)
    for (name, half) in [
      ("stored half filled", halves.reduce(0) { $0 + ($1 ?? 0) }),
      ("half filled in the end", rest ?? 0),
    ] {
      world.observe(name, half, good: half == 0, section: "articles")
    }
  }

  // and the file has every article with its values, unless a save has met one half filled.
  public static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.storedRows(of: "Article")
    run.observe("in the file in the end", stored, of: run[articles], section: "articles")
    if let report = run.violations.first {
      run.observe("first report", report.operation)
      return named
    }
    if run.number("saves that failed") ?? 0 > 0 { return threw }
    if stored != run[articles] || run.number("half filled in the end") != 0 { return lost }
    if run.number("stored half filled") != 0 { return half }
    return run.text("created") == "on main" ? lucky : whole
  }
}
