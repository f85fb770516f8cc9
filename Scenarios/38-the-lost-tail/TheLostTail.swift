import CoreData
import PlaygroundKit

/// A loop that saves every hundredth row loses the rows after the last save.
///
///     faultline run 38
///     faultline run 38 --set batch=7
public enum TheLostTail: Scenario {
  public static let card = Card(
    38, "the-lost-tail", "The lost tail", part: .memory,
    claim: "A loop that saves per batch must save once more after its last row.",
    question: "The loop saves when index % 100 == 0. How many of 1,000 rows are in the file?",
    why:
      "The rows after the last multiple are in the context as the loop ends, and nobody saves it.",
    given: "imports of 1, 99, 100, 101 and 1,000 articles, a save for every {batch}",
    guide: "00-introduction.md#38",
    sources: [.rules("Performance Considerations: Context Reset")])

  private static let batch = Parameter(
    "batch", 100, in: 1...10_000, "rows from one save to the next")

  private static let tailLost = Outcome(
    "TAIL LOST", .forbidden, "no error anywhere, and rows are missing")
  private static let complete = Outcome("COMPLETE", .accepted, "every import is in the file, whole")

  public static let parameters = [batch]
  public static let outcomes = [tailLost, complete]
  public static let sides: [Side] = [
    .wrong("save in the loop only", wrong),
    .right("save what is left after it", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  private static let sizes = [1, 99, 100, 101, 1_000]

  // Given five imports of known sizes, each on a context of its own,
  // when each saves and resets at every hundredth row and then ends,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let batch = world[batch]
    for size in sizes {
      let bg = world.container.newBackgroundContext()
      try await bg.perform {
        world.mark("saves at every multiple, and ends without another save")
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

  // or counts what it has not saved yet, and saves the rest when the loop is over,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let batch = world[batch]
    for size in sizes {
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

  // then the file holds of each import what its last save had reached.
  public static func observed(_ run: Observation) throws -> Outcome {
    var missing = 0
    for size in sizes {
      let rows = try run.stored("SELECT count(*) FROM ZARTICLE WHERE ZVIEWS = \(size)")
      let stored = rows.first?.first.flatMap { Int($0) } ?? 0
      run.observe("import of \(size)", stored, of: size, section: "rows in the file")
      missing += size - stored
    }
    run.observe("rows lost", missing, good: missing == 0, section: "rows in the file")
    return missing == 0 ? complete : tailLost
  }
}
