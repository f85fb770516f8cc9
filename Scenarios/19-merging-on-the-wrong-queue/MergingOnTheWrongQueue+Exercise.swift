import PlaygroundKit

extension MergingOnTheWrongQueue {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Two contexts receive the saves of an import: the screen's, whose queue is main, and a \
      private one for the search index. `bring` in Observer.swift is called for each of them, \
      inside the save, and hops to main for both. Change it so that each merge runs on the queue \
      of the context that receives it, no schedule ends in a deadlock, and both contexts are \
      current when the import is over. Checked with one article and one save, in every schedule \
      with at most 1 switch, and with other numbers that you do not see. The checker is on, and \
      reports every use of a context outside its queue.
      """,
    minutes: 10, file: "Observer.swift", support: ["Receivers.swift"],
    checker: .record, shown: .init(["articles": 1, "rounds": 1], bound: 1),
    hidden: .init(["articles": 2, "rounds": 2], bound: 0),
    requirements: [
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 2,
        needs: "current",
        say: .init(
          pass: "Each merge runs on the queue of its context, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "A context is used outside its queue with other numbers.")),
      Requirement(
        "no-deadlock", "no schedule ends in a deadlock", .never(["DEADLOCK"]), points: 2,
        needs: "confined",
        say: .init(
          pass: "The save never waits for a queue that waits for it, {seen}.",
          fail: "Ends as {seen}.", hidden: "A schedule with other numbers ends in a deadlock.")),
      Requirement(
        "current", "both contexts are current when the import is over",
        .golden("stale objects") { _ in "0" }, points: 1,
        needs: "confined",
        say: .init(
          pass: "Both contexts show what the file has.",
          fail: "Objects that show an old number, {seen}.",
          hidden: "A context is stale with other numbers.")),
      Requirement(
        "merged", "each save is merged once into each context",
        .golden("merges") { "\(2 * $0["rounds"])" }, points: 1, needs: "confined",
        say: .init(
          pass: "Each save is merged once into each context.",
          fail: "Merges in both contexts together: {seen}.",
          hidden: "With other numbers the count of merges is another.")),
    ],
    hints: [
      "On which thread does `bring` run? Which queue does that thread hold, and which queue does"
        + " `receiver` have?",
      "`DispatchQueue.main` is the queue of main-queue contexts only. Which method of a context"
        + " runs a block on that context's own queue, whatever it is?",
      "Line: `receiver.perform { receiver.mergeChanges(fromContextDidSave: ids) }`, and not"
        + " `performAndWait`, which would keep the save waiting. The notification has ids only, so"
        + " it may cross: `nonisolated(unsafe) let ids = save`.",
    ],
    nearMisses: [
      .init("MergesWhereItIs", points: 0, misses: ["confined"]),
      .init("WaitsForTheQueue", points: 0, misses: ["no-deadlock", "current", "merged"]),
      .init("AsksForTheType", points: 0, misses: ["confined"]),
      .init("OnlyTheScreen", points: 0, misses: ["current", "merged"]),
      .init("RefreshesAll", points: 5, misses: ["merged"]),
      .init("SyncsOnMain", points: 0, misses: ["confined", "no-deadlock", "current", "merged"]),
    ])
}
