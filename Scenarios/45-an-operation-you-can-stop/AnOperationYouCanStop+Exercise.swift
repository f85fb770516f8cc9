import PlaygroundKit

extension AnOperationYouCanStop {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      `ImportOperation` imports batches of articles. It ignores `cancel()` and never calls its \
      completion. Change the class so that it saves at most one batch after `cancel()` has \
      returned, saves each batch whole or not at all, and calls `completion` exactly once when no \
      more is saved, with the number of articles that it has imported. That holds for an operation \
      that is cancelled before it starts, too. If it is not cancelled, it imports everything. \
      Checked with 2 batches of 2 articles and a cancel at any step (a call into Core Data, or a \
      wait), in every schedule with at most 2 switches, and with other numbers that you do not \
      see, where the save of a batch fails: its articles are not counted, and you may stop or go \
      on. `cancel()` may be called twice, and the file already has an article, which does not \
      count. After `init` the check wraps `completionBlock` in a block of its own: if you use that \
      property, set it in `init`.
      """,
    minutes: 20, file: "ImportOperation.swift", support: ["Imports.swift"],
    parameters: [
      Parameter("broken", 0, in: 0...1_000, "the batch whose save fails, from 1; 0 for none")
    ],
    checker: .record, shown: .init(["batches": 2, "rows": 2, "after": 0, "broken": 0], bound: 2),
    hidden: .init(["batches": 4, "rows": 3, "after": 1, "broken": 3], bound: 0),
    requirements: [
      Requirement(
        "stops", "after cancel() at most one batch is saved",
        .budget("batches saved after the cancel", 0...1), points: 3,
        say: .init(
          pass: "The operation stops: {seen}.",
          fail: "The operation goes on after the cancel: {seen}.",
          hidden: "With other numbers the operation goes on after the cancel.")),
      Requirement(
        "whole", "the file has whole batches only", .never(["HALF A BATCH"]), points: 2,
        needs: "stops",
        say: .init(
          pass: "Each batch is in the file as a whole, or not at all, {seen}.",
          fail: "The file has a part of a batch {seen}.",
          hidden: "With other numbers the file has a part of a batch.")),
      Requirement(
        "once", "the completion is called exactly once",
        .golden("calls of the completion") { _ in "one" }, points: 2, needs: "stops",
        say: .init(
          pass: "One call, {seen}.", fail: "Not exactly one call: {seen}.",
          hidden: "With other numbers the completion is not called exactly once.")),
      Requirement(
        "true", "the completion says how many articles are imported",
        .golden("what it says") { _ in "what is in the file" }, points: 1, needs: "once",
        say: .init(
          pass: "The completion says how many articles are imported.",
          fail: "The completion counts other articles than this import has saved: {seen}.",
          hidden: "With other numbers the completion says another number.")),
      Requirement(
        "complete", "an import that is not stopped is complete", .reach("COMPLETE"), points: 1,
        needs: "stops",
        say: .init(
          pass: "If the cancel comes too late, every article is in the file.",
          fail: "However late the cancel comes, no schedule ends with every article in the file.",
          hidden: "")),
      Requirement(
        "confined", "the context is used inside its queue", .confined, points: 1, needs: "stops",
        say: .init(
          pass: "The context is used inside its queue, {seen}.",
          fail: "The context is used outside its queue: {seen}.",
          hidden: "With other numbers the context is used outside its queue.")),
    ],
    hints: [
      "An operation is finished when `main` returns. `cancel()` does nothing to a finished"
        + " operation, not even set `isCancelled`. What must `main` wait for?",
      "Ask `isCancelled` where nothing is unsaved: before each batch. And which of your methods"
        + " runs if the operation is cancelled before it starts? `main` does not; `start` does.",
      "In `main`, save each batch inside one `performAndWait`, and count the saved ones. Override"
        + " `start`: call `super.start()`, which calls `main` or not, and then `completion`.",
    ],
    nearMisses: [
      .init("ReturnsFirst", points: 0, misses: ["stops", "once", "true"]),
      .init("AsksAtEachArticle", points: 8, misses: ["whole"]),
      .init("TellsAtEachTap", points: 7, misses: ["once"]),
      .init("CountsTheFile", points: 9, misses: ["true"]),
      .init("CountsFailedSaves", points: 9, misses: ["true"]),
      .init("LosesTheTail", points: 9, misses: ["complete"]),
      .init("OffTheQueue", points: 9, misses: ["confined"]),
    ])
}
