import PlaygroundKit

extension TheSaveThatWasNotHeard {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Imports save in the background, and the list on the screen never shows it. Change the class \
      `ShownList` so that after each save it shows the rows and the values that the file has, and \
      refreshes or replaces no object of an article that no import touched. Checked with 20 such \
      articles, in every schedule with at most one switch, and with other numbers and names that \
      you do not see. The checker is on, and reports every use of a context outside its queue.
      """,
    minutes: 10, file: "ShownList.swift", support: ["Imports.swift"],
    parameters: [Parameter("capitals", 0, in: 0...1, "1: the articles' names are in capitals")],
    checker: .record,
    shown: .init(["articles": 20, "changes": 1], bound: 1),
    hidden: .init(["articles": 30, "changes": 2, "capitals": 1], bound: 0),
    requirements: [
      Requirement(
        "values", "each row shows the value that the file has",
        .golden("values") { _ in "as in the file" }, points: 2, needs: "rows",
        say: .init(
          pass: "After each save each row shows the value of the file.",
          fail: "After some save a row shows an old value: {seen}.",
          hidden: "With other numbers a row shows an old value.")),
      Requirement(
        "rows", "the list has the rows that the file has",
        .golden("rows") { _ in "as in the file" }, points: 2,
        say: .init(
          pass: "After each save the list has the rows of the file.",
          fail: "After some save a new row is missing, or a deleted one is still there: {seen}.",
          hidden: "With other numbers the list has other rows than the file.")),
      Requirement(
        "cheap", "only the objects of touched articles are refreshed",
        .budget("objects filled again", 0...0), points: 2, needs: "values",
        say: .init(
          pass: "No object of an article that no import touched was refreshed.",
          fail: "Objects of articles that no import touched were refreshed or replaced: {seen}.",
          hidden: "With other numbers and names of articles, objects are refreshed that no import"
            + " has touched.")),
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 1,
        needs: "values",
        say: .init(
          pass: "Each context is used inside its queue, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "With other numbers a context is used outside its queue.")),
    ],
    hints: [
      "Two things are old: which rows there are, and what they show. `faultline run 18` shows which"
        + " of the two another fetch brings up to date.",
      "A fetch gives back the objects that the context has, with the values that they have. A"
        + " merge changes the values, and adds no object to your array.",
      "Set `screen.automaticallyMergesChangesFromParent = true` in `init`, and fetch in each call"
        + " of `rows`.",
    ],
    nearMisses: [
      .init("FetchesAgain", points: 2, misses: ["values"]),
      .init("OnlyMerges", points: 0, misses: ["rows"]),
      .init("RefreshesByName", points: 5, misses: ["cheap"]),
      .init("MergesAtOnce", points: 6, misses: ["confined"]),
      .init("RefreshesWhatItFetches", points: 5, misses: ["cheap"]),
      .init("ResetsFirst", points: 5, misses: ["cheap"]),
    ])
}
