import PlaygroundKit

extension TheCoordinatorIsALock {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A user takes notes while articles are imported. The main thread saves each note, and stands \
      still until the import's transaction ends. Change Import.swift so that the main thread drops \
      no frame, each note is in the file when `saveNote` returns, and the import gives other \
      writers a turn: it needs at least 2 transactions and at most 4, and a note can be saved when \
      a quarter to three quarters of the articles are in the file. Checked with 720 articles and \
      one note in every schedule with at most 1 switch, and with other numbers that you do not see.
      """,
    minutes: 15, file: "Import.swift", support: ["Meeting.swift"],
    shown: .init(["rows": 720, "notes": 1], bound: 1),
    hidden: .init(["rows": 870, "notes": 2], bound: 0),
    requirements: [
      Requirement(
        "no-stall", "the main thread drops no frame", .budget("frames dropped", 0...0),
        points: 4, needs: "rows",
        say: .init(
          pass: "The main thread draws each frame in time, in each schedule.",
          fail: "The main thread stands still for longer than a frame ({seen}).",
          hidden: "With other numbers the main thread drops frames.")),
      Requirement(
        "rows", "all articles are in the file in the end",
        .store { try $0.storedRows(of: "Article") == $0["rows"] }, points: 2, needs: "no-stall",
        say: .init(
          pass: "All articles are there, {seen}.", fail: "Articles are missing: {seen}.",
          hidden: "With another number of articles some are missing.")),
      Requirement(
        "notes", "each note is in the file when the function returns",
        .golden("each note") { _ in "in the file when it returned" }, points: 2,
        needs: "no-stall",
        say: .init(
          pass: "No note is only in memory, {seen}.", fail: "It is {seen}.",
          hidden: "With other numbers a note is not in the file yet.")),
      Requirement(
        "turns", "the import has 2 transactions or more, and at most 4",
        .budget("import's transactions", 2...4), points: 1, needs: "rows",
        say: .init(
          pass: "Other writers get a turn, and the import pays for few commits ({seen}).",
          fail: "The import needs at least 2 transactions and at most 4 ({seen}).",
          hidden: "With other numbers there are too few transactions, or too many.")),
      // With no more than half in a transaction, one of them ends between these two numbers.
      Requirement(
        "middle", "a note can come when about half of the articles are in the file",
        .reach("SMOOTH") { run in
          let articles = run.number("articles after the note") ?? 0
          return run["rows"] / 4...run["rows"] * 3 / 4 ~= articles
        }, points: 1, needs: "rows",
        say: .init(
          pass: "In some schedule a note comes in the middle of the import.",
          fail: "`saveNote` never returns with a quarter to three quarters of the articles in the"
            + " file. Does one transaction write most of them?",
          hidden: "")),
    ],
    hints: [
      "Replay the schedule that check names. When does the import get the store's write lock, when"
        + " does it release the lock, and what does main do in between?",
      "Short transactions make the wait shorter, but the next one may come before main's save. A"
        + " main thread that must not wait must not save: which context can, on which queue?",
      "In `saveNote`: `let writer = container.newBackgroundContext()`, then `try await"
        + " writer.perform { … }` with the save in it. In the import execute one request for each"
        + " 240 articles: `for first in stride(from: 1, through: count, by: 240)`.",
    ],
    nearMisses: [
      .init("ShortTransactionsOnly", points: 0, misses: ["no-stall", "middle"]),
      .init("BlocksAgain", points: 0, misses: ["no-stall", "middle"]),
      .init("SavesElsewhereOnly", points: 8, misses: ["turns", "middle"]),
      .init("SavesIntoTheScreen", points: 7, misses: ["notes", "middle"]),
      .init("LeavesItToTheLast", points: 9, misses: ["middle"]),
      .init("ForgetsTheTail", points: 0, misses: ["rows"]),
    ])
}
