import PlaygroundKit

extension ResetUnderYourFeet {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      An import saves and resets after each batch, and then reports on the last ten items of its \
      feed: the names and revisions that the file has. Items may correct articles that came \
      before, and during the import a desk corrects one of the last ten in a context of its own. \
      Change `importFeed` so that the report is right and at most 40 objects are alive at any \
      time; the context keeps its objects until a reset. Checked with 128 items in batches of 25, \
      and with another number that you do not see.
      """,
    minutes: 15, file: "ImportFeed.swift", support: ["Newsroom.swift"],
    given: """
      a feed of {items|one item|# items}, imported in batches of {batch}; the report has the last \
      {articles}
      """,
    parameters: [
      Parameter("items", 128, in: 10...10_000, "items of the feed"),
      Parameter("batch", 25, in: 1...10_000, "items in one save"),
    ],
    notASide: """
      The exercise of scenario 39 imports a feed with corrections, so it is no side of the \
      scenario: `faultline check 39` runs it.
      """,
    shown: .init(["articles": 10, "items": 128, "batch": 25], bound: 1),
    hidden: .init(["articles": 10, "items": 154, "batch": 25], bound: 1),
    requirements: [
      Requirement(
        "dangling", "each line is one that the file has, and nothing stops",
        .golden("the lines") { _ in "as the file has them" }, points: 2,
        say: .init(
          pass: "No line has missing or old values.",
          fail: "The lines are wrong: {seen}.",
          hidden: "With another number of items lines have no values, or old ones.")),
      Requirement(
        "report", "the report has the last ten items, as the file has them",
        .golden("the last lines", lines), points: 2,
        say: .init(
          pass: "Each item has its line, with every correction.",
          fail: "Lines are missing or wrong: {seen}.",
          hidden: "With another number of items lines are missing or wrong.")),
      Requirement(
        "live", "at most 40 objects are alive at any time",
        .budget("peak live objects", 1...40), points: 1, needs: "report",
        say: .init(
          pass: "It holds in each schedule ({seen}).", fail: "More are alive ({seen}).",
          hidden: "With another number of items more are alive.")),
      Requirement(
        "stored", "every item is in the file, with its last revision",
        .store(isComplete), points: 1, needs: "report",
        say: .init(
          pass: "All are there, {seen}.", fail: "Articles or corrections are missing: {seen}.",
          hidden: "With another number of items articles or corrections are missing.")),
    ],
    hints: [
      "What is left of an object when its context is reset? What else names the same row, and"
        + " stays valid?",
      "The id of a new article is temporary until the save, and permanent after it. So the moment"
        + " to take it lies between `save()` and `reset()`.",
      "Collect the articles of the current batch only. After each save append their `objectID`s"
        + " to a list and keep its last ten; after the loop `existingObject(with:)` finds them.",
    ],
    nearMisses: [
      .init("NeverResets", points: 0, misses: ["dangling", "report", "live"]),
      .init("RefreshesInstead", points: 5, misses: ["live"]),
      .init("KeepsTheLines", points: 0, misses: ["dangling", "report"]),
      .init("TemporaryIDs", points: 0, misses: ["dangling", "report"]),
      .init("ReportsTheFeed", points: 0, misses: ["dangling", "report"]),
      .init("ForgetsTheTail", points: 3, misses: ["dangling", "stored"]),
    ])

  /// An item's name and revision by its place in the feed, before later corrections.
  private static func item(_ number: Int) -> (name: Int, revision: Int) {
    number % 6 == 5 ? (number - 3, 2) : (number, 1)
  }

  /// The lines of the last ten items, each with the last revision of its article.
  @Sendable private static func lines(_ run: Observation) throws -> String {
    let items = run["items"]
    // The article that the desk corrects.
    let desk = (items - 10..<items).first { $0 % 3 != 2 }
    return (items - 10..<items).map { number in
      let name = item(number).name
      if name == desk { return "Item \(name), revision 3" }
      let isCorrected = name % 6 == 2 && name + 3 < items
      return "Item \(name), revision \(isCorrected ? 2 : 1)"
    }.joined(separator: "; ")
  }

  /// Whether every article of the feed is there once, with its last revision.
  private static func isComplete(_ run: Observation) throws -> Bool {
    let items = run["items"]
    let names = Set((0..<items).map { item($0).name })
    let corrected = names.count { $0 % 6 == 2 && $0 + 3 < items }
    return try run.storedArticles(where: "ZNAME LIKE 'Item %'") == names.count
      && run.storedArticles(where: "ZNAME LIKE 'Item %' AND ZVIEWS = 2") == corrected
  }
}
