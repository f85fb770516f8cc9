import PlaygroundKit

extension SavingTheViewContext {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      An app saves its contexts from many places: from the main thread, from global queues, from \
      blocks of the contexts and from tasks. Change both functions in SaveSafely.swift so that \
      each of these callers may use them. In every schedule each context is used inside its \
      queue, no edit is saved by half, the context is saved when the function returns, and an \
      error of the save reaches the caller. The async function also gives its thread back while \
      it waits: tasks share a few threads. Checked with 1 article, in every schedule with at most \
      1 switch, and with another number of articles. The checker is on.
      """,
    minutes: 15, file: "SaveSafely.swift",
    support: ["Callers.swift", "../../Shared/StoredCount.swift"],
    checker: .record, shown: .init(["articles": 1], bound: 1),
    hidden: .init(["articles": 2], bound: 0),
    requirements: [
      Requirement(
        "own-queue", "each context is used inside its queue", .confined, points: 2,
        needs: "saved",
        say: .init(
          pass: "The checker has nothing to report, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "A context is used outside its queue with other numbers.")),
      Requirement(
        "whole", "no edit is lost or saved by half", .store { try isEdited($0) }, points: 1,
        needs: "own-queue",
        say: .init(
          pass: "Each edit is in the file, and none was there by half, {seen}.",
          fail: "An edit is lost, or was in the file by half: {seen}.",
          hidden: "An edit is lost, or was in the file by half, with other numbers.")),
      Requirement(
        "saved", "the context is saved when the function returns",
        .golden("saved on return") { _ in "1, 2, 3, 4, 5" }, points: 2, needs: "own-queue",
        say: .init(
          pass: "The file has the change when the function returns, {seen}.",
          fail: "After each of five saves the file has this many changes, not 1 to 5: {seen}.",
          hidden: "When the function returns, the file lacks the change.")),
      Requirement(
        "told", "an error of the save reaches the caller",
        .golden("told") { _ in "133020, 133020" }, points: 2, needs: "own-queue",
        say: .init(
          pass: "Both callers are told of a conflict, {seen}.",
          fail: "Two saves were refused with error 133020, and the callers were told: {seen}.",
          hidden: "A save was refused, and a caller was not told.")),
      Requirement(
        "suspends", "the async function holds no thread while a private context saves",
        .budget("threads of tasks held by a save", 0...0), points: 1, needs: "own-queue",
        say: .init(
          pass: "The function suspends, and the context's queue saves.",
          fail: "The async function waits on its thread, or saves on it ({seen}).",
          hidden: "With other numbers the async function waits on its thread, or saves on it.")),
    ],
    hints: [
      "Which queue must a save run in? The function does not know which thread calls it, and needs"
        + " not know: each context can bring a block to its own queue.",
      "`performAndWait` returns when its block has run, hands on what the block throws, and runs"
        + " the block at once if the caller is already inside the queue. Its sister is awaited.",
      "Both calls hand on the error of their block if the block itself says `try`. An error that is"
        + " dropped on the way costs two points, and so does a call that returns before the save."
        + " `performAndWait` in the async function holds a thread that other tasks need.",
    ],
    nearMisses: [
      .init("AlwaysOnMain", points: 0, misses: ["own-queue"]),
      .init("LocksTheSave", points: 0, misses: ["own-queue", "whole", "suspends"]),
      .init("AsksForTheThread", points: 0, misses: ["own-queue"]),
      .init("DoesNotWait", points: 0, misses: ["saved", "told"]),
      .init("SwallowsTheError", points: 6, misses: ["told"]),
      .init("AwaitsOnlyPrivate", points: 0, misses: ["own-queue", "suspends"]),
      .init("WaitsInATask", points: 7, misses: ["suspends"]),
    ])

  /// Whether each edit is in the file in the end, and none was there by half.
  private static func isEdited(_ run: Observation) throws -> Bool {
    try edits(in: run) == run["articles"] && run.number("stored by half") == 0
  }
}
