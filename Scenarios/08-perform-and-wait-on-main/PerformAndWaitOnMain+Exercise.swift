import PlaygroundKit

extension PerformAndWaitOnMain {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A button writes articles, and the app stands still until they are saved. Let the background \
      queue write them while the main thread stays free, and count them when they are saved. It \
      may take a tenth longer than before. Checked with 3,000 articles in an empty file, and with \
      other numbers that you do not see.
      """,
    minutes: 10, file: "ImportArticles.swift", support: ["Button.swift"],
    parameters: [Parameter("earlier", 0, in: 0...10_000, "articles that the file has already")],
    shown: .init(["rows": 3_000], bound: 1),
    hidden: .init(["rows": 1_234, "earlier": 5], bound: 1),
    requirements: [
      Requirement(
        "smooth", "at most one frame is dropped", .budget("frames dropped", 0...1), points: 2,
        needs: "stored",
        say: .init(
          pass: "The main thread stays free in each schedule ({seen}).",
          fail: "The main thread stands still ({seen}).",
          hidden: "The main thread stands still.")),
      Requirement(
        "off-main", "the main thread saves nothing",
        .golden("saves on the main thread") { _ in "none" }, points: 1, needs: "smooth",
        say: .init(
          pass: "Another thread writes, in each schedule.",
          fail: "The main thread itself saves, as often as the number says: {seen}.",
          hidden: "With other numbers the main thread writes and saves.")),
      // Before it takes 63 ms of virtual time for the articles of the task.
      Requirement(
        "as-fast", "it takes at most a tenth longer than before",
        .budget("total", 0...69_000_000), points: 1, data: .shown, needs: "smooth",
        say: .init(
          pass: "It is as fast as it was.",
          fail: "It takes longer ({seen} ns of virtual time, 63,000,000 before).", hidden: "")),
      Requirement(
        "stored", "all rows are in the file in the end",
        .store { try $0.storedRows(of: "Article") == $0["rows"] + $0["earlier"] }, points: 3,
        needs: "smooth",
        say: .init(
          pass: "All rows are there, {seen}.", fail: "Rows are missing: {seen}.",
          hidden: "Rows are missing.")),
      Requirement(
        "counted", "the function returns when the rows are saved, and says how many the file has",
        .golden("shown") { run in
          let rows = try run.storedRows(of: "Article")
          return "\(rows), with \(rows) in the file"
        }, points: 2,
        say: .init(
          pass: "It returns the number of rows that are in the file then.",
          fail: "When it returns, the rows are not saved, or it returns another number: {seen}.",
          hidden: "When it returns, the rows are not saved, or it returns another number than the"
            + " file has. There may be rows in the file before.")),
      Requirement.noSleep(points: 1, needs: "counted"),
    ],
    hints: [
      "`performAndWait` returns when its block has run, and its caller is the main thread.",
      "`await bg.perform { … }` suspends the function, and the main thread draws until it goes on."
        + " `performBackgroundTask { bg in … }` does not compile here: without the word `@Sendable`"
        + " its block belongs to the main actor, as the function does (`{ @Sendable bg in … }`).",
      "Await the whole block with the save in it; after it the view context can count the rows.",
    ],
    nearMisses: [
      .init("DoesNotWait", points: 7, misses: ["counted"]),
      .init("WritesOnMain", points: 3, misses: ["smooth", "off-main"]),
      .init("ForgetsToSave", points: 0, misses: ["stored", "counted"]),
      .init("SleepsInstead", points: 7, misses: ["counted", "no-sleep"]),
      .init("TakesTurns", points: 8, misses: ["off-main", "as-fast"]),
      .init("ReturnsTheArgument", points: 7, misses: ["counted"]),
      .init("StartsATask", points: 7, misses: ["counted"]),
    ])
}
