import PlaygroundKit

extension TwoContainers {
  /// What a learner finds and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A small app counts the readers of an article. A feed brings readers from elsewhere, one at \
      a time, and the screen adds the one that sits before it. But the screen never shows the \
      readers of the feed, and its save is refused, although its context merges automatically. \
      Find the reason in Readers.swift and remove it, and the code that nothing needs then: in \
      the end the screen shows the readers of the feed before it adds one, every reader is counted \
      once, and nothing in the file can open a second container. Checked with 3 readers, two of \
      them from the feed, in every schedule with at most one switch, and with another number that \
      you do not see. The checker is on, and reports every use of a context outside its queue.
      """,
    minutes: 10, file: "Readers.swift", support: ["List.swift"],
    checker: .record,
    shown: .init(["imports": 3], bound: 1), hidden: .init(["imports": 2], bound: 1),
    requirements: [
      Requirement(
        "counted", "each reader is counted once", .store { try hasEveryReader($0) }, points: 3,
        data: .shown,
        say: .init(
          pass: "The screen and the file have every reader, {seen}.",
          fail: "The screen or the file does not have every reader: {seen}.", hidden: "")),
      Requirement(
        "other-numbers", "the same with other numbers", .store { try hasEveryReader($0) },
        points: 1, data: .hidden, needs: "counted",
        say: .init(
          pass: "The same holds for numbers you do not see.", fail: "",
          hidden: "Readers are missing, with numbers you do not see.")),
      Requirement(
        "one-container", "nothing opens the store a second time",
        .free(of: ["loadPersistentStores", "addPersistentStore"]), points: 1, needs: "counted",
        say: .init(
          pass: "The app opens no store beside the one that it is given.",
          fail: "The code can still open a second store ({seen}); delete that too.", hidden: "")),
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 1,
        needs: "counted",
        say: .init(
          pass: "Each context is used inside its queue, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "With another number a context is used outside its queue.")),
    ],
    hints: [
      "`faultline replay` shows which context saves and which one merges. Automatic merging merges"
        + " from the parent. Is the parent of the feed's context the parent of the screen's?",
      "The parent of a container's contexts is the container's coordinator. How many containers"
        + " are there after three readers?",
      "Give the feed the archive instead of the file, and take the context from"
        + " `archive.container`. Then nothing needs `Archive(file:)` any more: delete it.",
    ],
    nearMisses: [
      .init("ChoosesAPolicy", points: 0, misses: ["counted", "other-numbers", "one-container"]),
      .init("OneMoreContainer", points: 0, misses: ["counted", "other-numbers", "one-container"]),
      .init("Observes", points: 5, misses: ["one-container"]),
      .init("KnowsTheNumber", points: 5, misses: ["other-numbers"]),
      .init("SharesTheContext", points: 5, misses: ["confined"]),
    ])

  /// Whether the file has every reader, those of the feed and the one before the screen, and the
  /// screen has shown those of the feed.
  private static func hasEveryReader(_ run: Observation) throws -> Bool {
    guard run.number("readers on the screen") == run["imports"] - 1 else { return false }
    return try run.stored("SELECT ZVIEWS FROM ZARTICLE") == [["\(run["imports"])"]]
  }
}
