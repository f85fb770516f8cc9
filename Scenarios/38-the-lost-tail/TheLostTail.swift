import CoreData
import PlaygroundKit

/// A loop that saves only at every hundredth row loses the rows after its last save.
///
///     faultline run 38
///     faultline run 38 --set batch=7
public enum TheLostTail: Scenario {
  public static let card = Card(
    38, "the-lost-tail", "The lost tail", part: .memory,
    claim: "A loop that saves per batch must save once more after its last row.",
    question: "The loop saves when index % 100 == 0. How many of 1,000 rows are in the file?",
    why: """
      The loop saves at index 0 and at each multiple of the batch, and nowhere else. Rows inserted \
      after the last multiple exist only in the context, which is released without a save.
      """,
    given: """
      five imports, of 1, b − 1, b, b + 1 and 10 × b articles, where b = {batch}; the loop saves \
      every b articles
      """,
    guide: "07-memory.md#38",
    sources: [.rules("Performance Considerations: Context Reset")],
    next: [
      Next("faultline show 38", "the question, the outcomes, the code of every side"),
      Next(
        "faultline explore 38",
        "nothing new: the imports run one after another, so every schedule ends the same"),
    ])

  private static let batch = Parameter(
    "batch", 100, in: 3...10_000, "articles per save", explored: 4)

  private static let tailLost = Outcome(
    "TAIL LOST", .forbidden, "rows are missing, and no save reported an error")
  private static let complete = Outcome(
    "COMPLETE", .accepted, "the file has every row of every import")

  public static let parameters = [batch]
  public static let outcomes = [tailLost, complete]
  public static let sides: [Side] = [
    .wrong("save in the loop only", wrong),
    .right("also save after the loop", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given five imports of known sizes, each on its own context,
  private static func sizes(_ batch: Int) -> [Int] {
    [1, batch - 1, batch, batch + 1, 10 * batch]
  }

  // when each saves and resets at every multiple of the batch, and not after its last row,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let batch = world[batch]
    for size in sizes(batch) {
      let bg = world.container.newBackgroundContext()
      try await bg.perform {
        world.mark("the loop saves at every multiple of the batch, but not after the last row")
        for index in 0..<size {
          insert(index, of: size, into: bg)
          if index % batch == 0 {
            try bg.save()
            bg.reset()
          }
        }
      }
    }
  }
  // end: wrong

  // or saves after every full batch, and once more after the loop,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let batch = world[batch]
    for size in sizes(batch) {
      let bg = world.container.newBackgroundContext()
      try await bg.perform {
        for index in 0..<size {
          insert(index, of: size, into: bg)
          if (index + 1) % batch == 0 {
            try bg.save()
            bg.reset()
          }
        }
        if bg.hasChanges { try bg.save() }
      }
    }
  }
  // end: right

  private static func insert(_ index: Int, of size: Int, into context: NSManagedObjectContext) {
    let article = Article(context: context)
    article.name = "Article \(index)"
    article.views = Int64(size)
  }

  // then the file holds the rows of each import up to its last save.
  public static func observed(_ run: Observation) throws -> Outcome {
    var missing = 0
    for size in sizes(run[batch]) {
      let rows = try run.stored("SELECT count(*) FROM ZARTICLE WHERE ZVIEWS = \(size)")
      let stored = rows.first?.first.flatMap { Int($0) } ?? 0
      run.observe("import of \(size)", stored, of: size, section: "rows in the file")
      missing += size - stored
    }
    run.observe("rows lost", missing, good: missing == 0, section: "rows in the file")
    return missing == 0 ? complete : tailLost
  }
}
