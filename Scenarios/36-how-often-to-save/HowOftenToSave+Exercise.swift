import PlaygroundKit

extension HowOftenToSave {
  /// What a learner finds, which limits must hold, and the wrong batches that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      An import makes a category for each section of a feed, and an article for each of its items. \
      It saves once, at the end. Change `importFeed` so that it keeps three limits: at most 7 \
      commits, at most 70 live objects, and at most 45 objects in one save, because a user's save \
      waits until they are written. Each section fits into one save. Checked with 63 sections of \
      one article each, and with a feed of short and long sections that you do not see.
      """,
    minutes: 20, file: "ImportFeed.swift", support: ["Feed.swift"],
    given: """
      a feed of {sections|one section|# sections} with {each|one article|# articles} each, but \
      {long|one article|# articles} in each ninth
      """,
    parameters: [
      Parameter("sections", 63, in: 1...10_000, "sections of the feed"),
      Parameter("each", 1, in: 1...1_000, "articles of a section"),
      Parameter("long", 1, in: 1...1_000, "articles of each ninth section"),
    ],
    notASide: """
      The exercise of scenario 36 imports a feed in which articles belong to sections, so it is no \
      side of the scenario: `faultline check 36` runs it.
      """,
    shown: .init(["sections": 63, "each": 1, "long": 1], bound: 0),
    hidden: .init(["sections": 27, "each": 1, "long": 34], bound: 0),
    requirements: [
      Requirement(
        "live", "at most 70 objects are alive at any time",
        .budget("peak live objects", 1...70), points: 2, needs: "stored",
        say: .init(
          pass: "The import keeps few objects ({seen}).",
          fail: "Not between 1 and 70 ({seen}).",
          hidden: "With short and long sections more are alive.")),
      Requirement(
        "short", "at most 45 objects in one save",
        .budget("objects in the largest save", 1...45), points: 2, needs: "stored",
        say: .init(
          pass: "No other writer waits for more than that ({seen}).",
          fail: "Not between 1 and 45, and another writer waits for all of them ({seen}).",
          hidden: "With short and long sections more are written in one save.")),
      Requirement(
        "commits", "at most 7 commits", .budget("commits", 1...7), points: 2, needs: "live",
        say: .init(
          pass: "As few as that: {seen}.", fail: "There are more, or none at all ({seen}).",
          hidden: "With short and long sections there are more commits, or none.")),
      Requirement(
        "stored", "every article is in the file, in the category of its section",
        .store(isComplete), points: 2, needs: "live",
        say: .init(
          pass: "All are there, {seen}.",
          fail: "Articles are missing, or are in no category: {seen}.",
          hidden: "With short and long sections articles are missing, or are in no category.")),
    ],
    hints: [
      "Which numbers of objects keep each limit, if every save writes the same number of them? The"
        + " commits say how small a batch may be, and the other two how large.",
      "No number of sections does it for all feeds, because a section may be long. What a save"
        + " costs depends on the objects that it writes: `insertedObjects` has them.",
      "Before each section: if more than 45 objects would be unsaved with it, save, then `reset()`,"
        + " which frees them although they refer to each other. After the loop save what is left.",
    ],
    nearMisses: [
      .init("SavesEachSection", points: 6, misses: ["commits"]),
      .init("CountsSections", points: 0, misses: ["live", "short"]),
      .init("NeverResets", points: 0, misses: ["live"]),
      .init("ForgetsTheTail", points: 0, misses: ["stored"]),
      .init("FillsTheMemory", points: 6, misses: ["short"]),
      .init("SavesAfterThirty", points: 6, misses: ["short"]),
      .init("SavesIntoAParent", points: 0, misses: ["live", "short"]),
    ])

  /// Whether every article is there once, in the category of its section.
  private static func isComplete(_ run: Observation) throws -> Bool {
    let sizes = (0..<run["sections"]).map { run[$0 % 9 == 8 ? "long" : "each"] }
    let rows = try run.stored(
      """
      SELECT ZCATEGORY.ZNAME, count(DISTINCT ZARTICLE.ZNAME), count(*)
      FROM ZARTICLE JOIN ZCATEGORY ON ZARTICLE.ZCATEGORY = ZCATEGORY.Z_PK
      GROUP BY ZCATEGORY.Z_PK ORDER BY ZCATEGORY.Z_PK
      """)
    let right = sizes.enumerated().map { ["Section \($0)", "\($1)", "\($1)"] }
    return try Set(rows) == Set(right) && rows.count == sizes.count
      && run.storedRows(of: "Article") == sizes.reduce(0, +)
  }
}
