import PlaygroundKit

extension TheCoordinatorIsALock {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A user takes notes while articles are imported. The main thread saves each note, and stands \
      still until the import's transaction ends. Change Import.swift so that the main thread never \
      stands still for longer than a frame, each note is in the file when `saveNote` returns, and \
      the import gives other writers a turn: it needs several transactions, but not more than 30. \
      Checked with 800 articles and one note in every schedule with at most 1 switch, and with \
      other numbers that you do not see.
      """,
    minutes: 15, file: "Import.swift", support: ["Meeting.swift"],
    shown: .init(["rows": 800, "notes": 1], bound: 1),
    hidden: .init(["rows": 870, "notes": 2], bound: 0),
    requirements: [
      Requirement(
        "no-stall", "the main thread never stands still for longer than a frame",
        .budget("longest stall", 0...0), points: 4, needs: "rows",
        say: .init(
          pass: "The main thread draws each frame in time, in each schedule.",
          fail: "The main thread stands still for a frame, and longer ({seen} ns).",
          hidden: "With other numbers the main thread stands still.")),
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
        "turns", "the import gives other writers a turn", .budget("commits", 3...30), points: 2,
        needs: "rows",
        say: .init(
          pass: "Each transaction writes a good number of rows, and not all ({seen}).",
          fail: "The import needs more transactions than one, and fewer than 30 ({seen}).",
          hidden: "With other numbers there are too few transactions, or too many.")),
    ],
    hints: [
      "Replay the schedule that check names. When does the import get the store's write lock, when"
        + " does it release the lock, and what does main do in between?",
      "Short transactions make the wait shorter, but the next one may come before main's save. A"
        + " main thread that must not wait must not save: which context can, on which queue?",
      "In `saveNote`: `let writer = container.newBackgroundContext()`, then `try await"
        + " writer.perform { … }` with the save in it. In the import execute one request for each"
        + " 400 articles: `for first in stride(from: 1, through: count, by: 400)`.",
    ],
    nearMisses: [
      .init("ShortTransactionsOnly", points: 0, misses: ["no-stall"]),
      .init("WritesLater", points: 0, misses: ["no-stall"]),
      .init("BlocksAgain", points: 0, misses: ["no-stall"]),
      .init("SavesElsewhereOnly", points: 8, misses: ["turns"]),
      .init("SavesIntoTheScreen", points: 6, misses: ["notes", "turns"]),
      .init("ForgetsTheTail", points: 0, misses: ["rows"]),
    ])
}
