import CoreData
import PlaygroundKit

/// The line after `perform` does not wait for the block that was passed to it.
///
///     faultline run 7
///     faultline explore 7
public enum PerformReturnsFirst: Scenario {
  public static let card = Card(
    7, "perform-returns-first", "perform returns first", part: .blocking,
    claim: "perform returns before its block has run; whatever needs the block must wait for it.",
    question: """
      A background context writes \(rows.standard) articles inside perform. How many does the \
      screen count on the next line?
      """,
    why: """
      perform only enqueues its block and returns. The next line runs at once, on the caller's \
      thread, while the block waits for its turn or is still writing.
      """,
    given: "an empty file; a background context writes {rows|one article|# articles} in one save",
    guide: "02-blocking.md#07",
    sources: [
      .rules("perform vs performAndWait"),
      .tutorial("Parent/Child Managed Object Contexts: performBlock and performBlockAndWait"),
    ])

  private static let rows = Parameter(
    "rows", 1_000, in: 1...1_000_000, "articles written in one save", explored: 2)

  private static let early = Outcome("EARLY", .forbidden, "the screen counted before the save")
  private static let lucky = Outcome("LUCKY", .interesting, "the block was quicker, by its timing")
  private static let counted = Outcome("COUNTED", .accepted, "the screen counted after the save")
  private static let orders = [
    "AEBDCFGH", "ABEDCFGH", "ABDECFGH", "ABDCEFGH", "AEBDFCGH", "ABEDFCGH", "AEBDFGCH", "ABEDFGCH",
  ].map { order in
    let before = { (line: Character) in order.prefix { $0 != line }.suffix(1) }
    return Outcome(order, .interesting, "C comes after \(before("C")), E after \(before("E"))")
  }
  private static let inOrder = Outcome("ABCDEFGH", .accepted, "the text's order (in the exercise)")

  public static let parameters = [rows]
  public static let outcomes = [early, lucky, counted, inOrder] + orders
  public static let sides: [Side] = [
    .wrong("count on the next line", wrong),
    .right("await, then count", right),
    .right("count in the last line", name: "last", countInTheBlock),
    .column("lines", "eight lines", eightLines),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given a context that writes articles and saves them,
  private static func write(_ rows: Int, in context: NSManagedObjectContext) throws {
    for number in 1...rows { Article(context: context).name = "Article \(number)" }
    try context.save()
  }

  // when the screen counts on the line after perform,
  // anchor: wrong
  @MainActor private static func writeAndCount(
    _ bg: NSManagedObjectContext, _ world: World
  ) throws -> Int {
    bg.perform {
      try? write(world[rows], in: bg)
    }
    world.mark("this line does not wait for the block above it")
    return try world.container.viewContext.count(for: Article.fetchRequest())
  }
  // end: wrong

  // (what it counted is noted in a later block, after the writing,)
  @MainActor private static func wrong(_ world: World) async throws {
    let bg = world.container.newBackgroundContext()
    let shown = try writeAndCount(bg, world)
    await bg.perform { note(shown, "on the next line", world) }
  }

  // or after an await,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let (bg, screen) = (world.container.newBackgroundContext(), world.container.viewContext)
    try await bg.perform {
      try write(world[rows], in: bg)
    }
    let shown = try screen.count(for: Article.fetchRequest())
    note(shown, "after an await", world)
  }
  // end: right

  // or when the block's last line asks it to,
  // anchor: last
  @MainActor private static func countInTheBlock(_ world: World) async throws {
    let (bg, screen) = (world.container.newBackgroundContext(), world.container.viewContext)
    let shown: Int = try await withCheckedThrowingContinuation { done in
      bg.perform {
        do { try write(world[rows], in: bg) } catch { return done.resume(throwing: error) }
        screen.perform {
          done.resume(with: Result { try screen.count(for: Article.fetchRequest()) })
        }
      }
    }
    note(shown, "after the block", world)
  }
  // end: last

  // (and, for a puzzle, when eight lines of a log are written around and inside such blocks,)
  // anchor: lines
  @MainActor private static func eightLines(_ world: World) async throws {
    let (bg, log) = (world.container.newBackgroundContext(), Log())
    firstSeven(bg, log)
    await bg.perform { log.write("H") }
    for line in "CE" {
      let place = log.text().firstIndex(of: line)?.utf16Offset(in: log.text()) ?? 0
      world.observe("place of \(line)", place + 1, section: "eight lines")
    }
  }

  @MainActor private static func firstSeven(_ bg: NSManagedObjectContext, _ log: Log) {
    log.write("A")
    bg.perform {
      log.write("B")
      bg.perform { log.write("C") }
      log.write("D")
    }
    log.write("E")
    bg.performAndWait { log.write("F") }
    log.write("G")
  }
  // end: lines

  private static func note(_ shown: Int, _ place: String, _ world: World) {
    world.observe("counts", place)
    world.observe("articles counted", shown, of: world[rows])
  }

  // then it counts all articles, or those that were saved so far: none.
  public static func observed(_ run: Observation) throws -> Outcome {
    if let order = run.text("order of the lines") ?? order(run) {
      return outcomes.first { $0.name == order.prefix(8) } ?? early
    }
    if run.number("articles counted") != run[rows] { return early }
    return run.text("counts") == "on the next line" ? lucky : counted
  }

  /// The order of the eight lines, which follows from where C and E are.
  private static func order(_ run: Observation) -> String? {
    guard let c = run.number("place of C"), let e = run.number("place of E") else { return nil }
    var others = "ABDFGH".makeIterator()
    return String((1...8).compactMap { $0 == c ? "C" : $0 == e ? "E" : others.next() })
  }
}
