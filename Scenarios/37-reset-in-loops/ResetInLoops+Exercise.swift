import PlaygroundKit

extension ResetInLoops {
  /// What to type next: there is no race to explore.
  static let next = [
    Next("faultline show 37", "the question, the outcomes, the code of every side"),
    Next(
      "faultline explore 37",
      "nothing new: one import, one context, so every schedule ends the same"),
  ]

  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      An import saves batch after batch, and every article stays alive. Change `importArticles` \
      so that at most 250 objects are alive at any time, with one commit for each batch and every \
      article in the one category. Checked with 2,000 and 1,000 articles in batches of 100, and \
      with another number of articles that you do not see.
      """,
    minutes: 15, file: "ImportArticles.swift",
    shown: .init(["rows": 2_000, "batch": 100], bound: 1),
    hidden: .init(["rows": 1_234, "batch": 100], bound: 1),
    requirements: [
      Requirement(
        "live", "at most 250 objects are alive at any time",
        .budget("peak live objects", 0...250), points: 3,
        say: .init(
          pass: "It holds in each schedule ({seen}).", fail: "More are alive ({seen}).",
          hidden: "More are alive with another number of articles.")),
      Requirement(
        "flat", "twice as many articles need no more live objects",
        .growth("peak live objects", over: "rows", values: [1_000, 2_000], percentMax: 10),
        points: 1,
        say: .init(
          pass: "The peak does not depend on the number of articles ({seen}).",
          fail: "The peak grows with the number of articles ({seen}).",
          hidden: "The peak grows with the number of articles.")),
      Requirement(
        "stored", "every article is in the file and in the one category",
        .store(isComplete), points: 3, needs: "flat",
        say: .init(
          pass: "All are there, {seen}.",
          fail: "An article is missing, or is not in the one category: {seen}.",
          hidden: "With another number of articles one is missing, or not in the category.")),
      Requirement(
        "commits", "one commit for each batch", .budget("commits", 20...20), points: 1,
        data: .shown, needs: "flat",
        say: .init(
          pass: "As many as there are batches ({seen}).",
          fail: "There are 20 batches, and not as many commits ({seen}).",
          hidden: "There is not one commit for each batch.")),
    ],
    hints: [
      "A saved object is freed when nothing refers to it any more. What still refers to the"
        + " articles of earlier batches?",
      "`reset()` after each save drops all objects of the context, the category among them. The"
        + " category's `objectID` stays valid, and finds it again.",
      "After `try context.save()` keep `news.objectID`, call `context.reset()`, and make `news` the"
        + " result of `try context.existingObject(with: id) as? Category`.",
    ],
    nearMisses: [
      .init("FaultsTheArticles", points: 0, misses: ["live", "flat"]),
      .init("ResetsNowAndThen", points: 5, misses: ["live"]),
      .init("TinyBatches", points: 7, misses: ["commits"]),
      .init("FullBatchesOnly", points: 5, misses: ["stored"]),
      .init("ANewCategoryEachTime", points: 5, misses: ["stored"]),
      .init("KeepsTheOldCategory", points: 0, misses: ["stored", "live", "flat", "commits"]),
    ])

  /// Whether every article is there once, and all belong to one category.
  private static func isComplete(_ run: Observation) throws -> Bool {
    let counts = try run.stored(
      """
      SELECT count(DISTINCT ZARTICLE.ZNAME), count(*)
      FROM ZARTICLE JOIN ZCATEGORY ON ZARTICLE.ZCATEGORY = ZCATEGORY.Z_PK
      WHERE ZCATEGORY.ZNAME = 'News'
      """)
    let rows = run["rows"]
    return try counts == [["\(rows)", "\(rows)"]] && run.storedRows(of: "Article") == rows
      && run.storedRows(of: "Category") == 1
  }
}
