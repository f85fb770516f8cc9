import PlaygroundKit

extension TheObserverThatNeverLeaves {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Each import adds an observer, so each save is merged once more than the one before it. \
      Change `importOnce` so that each save is merged once, the screen is current after it, and at \
      most one observer is left in the end, of those that `center` counts. Checked with 2 \
      articles and 3 imports, in every schedule with at most one switch, and with other numbers \
      that you do not see. The checker is on, and reports every use of a context outside its queue.
      """,
    minutes: 10, file: "ImportOnce.swift", support: ["Imports.swift"],
    checker: .record,
    shown: .init(["articles": 2, "imports": 3], bound: 1),
    hidden: .init(["articles": 1, "imports": 5], bound: 0),
    requirements: [
      Requirement(
        "once", "each save is merged once", .golden("merges") { "\($0["imports"])" }, points: 2,
        say: .init(
          pass: "One merge for each save.", fail: "Merges for all saves together: {seen}.",
          hidden: "With other numbers the count of merges is another.")),
      Requirement(
        "current", "the screen is current after each save",
        .golden("stale rows seen") { _ in "0" }, points: 2, needs: "once",
        say: .init(
          pass: "After each save each row shows what the file has.",
          fail: "Rows on the screen that show an old number: {seen}.",
          hidden: "A row on the screen is stale with other numbers.")),
      Requirement(
        "removed", "at most one observer is left", .budget("observers at the end", 0...1),
        points: 2, needs: "counted",
        say: .init(
          pass: "No observer is left that has nothing to do ({seen}).",
          fail: "Observers were added and not removed ({seen}).",
          hidden: "With another number of imports more observers are left.")),
      Requirement(
        "counted", "observers are added by `center`, which counts them",
        .free(of: ["NotificationCenter", "NSNotificationCenter"]), points: 1, needs: "once",
        say: .init(
          pass: "Each observer is counted.", fail: "An observer may not be counted ({seen}).",
          hidden: "")),
      Requirement(
        "confined", "the merge runs on the queue of the screen's context", .confined, points: 1,
        needs: "once",
        say: .init(
          pass: "No context is used outside its queue.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "With other numbers a context is used outside its queue.")),
    ],
    hints: [
      "How many observers hear the third save? `faultline run 22` shows what the last save costs.",
      "The block is called for every save of the context until its token is removed. Does an import"
        + " still need its observer when its save has returned?",
      "Keep the token: `let token = center.addObserver(…)`. Then remove it in any case:"
        + " `defer { center.removeObserver(token) }`.",
    ],
    nearMisses: [
      .init("RemovesTheContext", points: 0, misses: ["once", "removed"]),
      .init("KeepsItWeakly", points: 0, misses: ["once", "removed"]),
      .init("RemovesTooEarly", points: 0, misses: ["once", "current"]),
      .init("RefreshesAll", points: 0, misses: ["once"]),
      .init("IgnoresLaterSaves", points: 6, misses: ["removed"]),
      .init("AddsElsewhere", points: 5, misses: ["counted"]),
      .init("MergesAtOnce", points: 7, misses: ["confined"]),
    ])
}
