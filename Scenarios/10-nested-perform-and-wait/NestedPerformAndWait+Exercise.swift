import PlaygroundKit

extension NestedPerformAndWait {
  /// What a learner classifies and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      First say, in answers.txt, how each of five nestings ends: does the clean-up run now, or \
      later, or never, because of a deadlock? Then change `replaceArticles` in Replace.swift. It \
      deletes all articles of a context, saved or not, writes a new one, saves, and returns how \
      many there are then. It is called inside the context's queue and, by a thread that may wait, \
      outside, and must do the same at both places. What else is unsaved there is saved with it. \
      Checked with 1 old article in every schedule with at most 1 switch, and with another number \
      that you do not see.
      """,
    minutes: 15, file: "Replace.swift", support: ["Callers.swift"],
    questions: nestings.map { key, text in
      Question(
        key, "`bg` and `other` have private queues, the view context is `screen`. \(text)",
        choices: ["NOW", "LATER", "DEADLOCK"])
    },
    checker: .record, shown: .init(["old": 1], bound: 1), hidden: .init(["old": 4], bound: 0),
    requirements: nestings.map { key, _ in
      Requirement(
        key, "how the nesting “\(key)” ends",
        .predict(key) { found in
          let side = found.sides.first { $0.name == key }
          return Set((side?.outcomes ?? []).filter { $0.orders > 0 }.map(\.name))
        }, points: 1, say: .init(pass: "Yes.", fail: "See answers.txt: {seen}.", hidden: ""))
    } + [
      Requirement(
        "alone", "the new article is alone in the file", .never([]), points: 2, needs: "confined",
        say: .init(
          pass: "Nothing old is left, and nothing new is lost, {seen}.", fail: "Ends as {seen}.",
          hidden: "With another number of articles the new one is not alone.")),
      Requirement(
        "returned", "it returns 1 when the file has 1, inside and outside the queue",
        .golden("returned") { _ in
          "outside 1 of 1, inside 1 of 1, with 1 shelf"
        }, points: 2, needs: "alone",
        say: .init(
          pass: "Each caller gets the number that the file has then, and keeps its shelf.",
          fail: "A call returns another number than 1, or than the file has (after “of”), or the"
            + " shelf is lost: {seen}.",
          hidden: "With another number of articles a caller gets a wrong number.")),
      Requirement(
        "confined", "the context is used inside its queue", .confined, points: 1, needs: "alone",
        say: .init(
          pass: "The context is used inside its queue, {seen}.",
          fail: "The context is used outside its queue: {seen}.",
          hidden: "The context is used outside its queue.")),
    ],
    hints: [
      "For each nesting ask: is the calling thread already inside the queue that the call needs? If"
        + " it is, perform and performAndWait differ. If not, which thread holds that queue, and"
        + " what is that thread waiting for?",
      "Inside its own queue performAndWait is a plain call, and perform enqueues behind the block"
        + " that is running. `screen` runs its blocks on the main thread only, so a block of the"
        + " background has to wait there for main.",
      "In Replace.swift let a single `performAndWait` delete, write, save and count. Inside the"
        + " queue it runs at once; outside it waits for its turn.",
    ],
    nearMisses: [
      .init("NoQueue", points: 5, misses: ["confined"]),
      .init("EnqueuesBoth", points: 8, misses: ["returned"]),
      .init("KeepsAnOldOne", points: 5, misses: ["alone"]),
      .init("CleansUpElsewhere", points: 5, misses: ["alone", "returned"]),
      .init("AllAreNested", points: 7, misses: ["wrong", "through", "main"]),
      .init("AllAreQueues", points: 8, misses: ["right", "back"]),
    ])

  /// The five nestings, each named as the side that shows it.
  private static let nestings = [
    (
      "wrong",
      "In a block of `bg`: `bg.perform { clean up }`, then `bg.performAndWait { write }`."
    ),
    ("right", "The same, with `bg.performAndWait` for both."),
    (
      "through",
      "In a block of `bg`: `screen.performAndWait { bg.performAndWait { clean up in bg } }`, then"
        + " write. The main thread is free at first."
    ),
    (
      "back",
      "In a block of `bg`: `other.performAndWait { bg.performAndWait { clean up in bg } }`, then"
        + " write. (The answer is this engine's; Apple does not promise it.)"
    ),
    (
      "main",
      "On the main thread, in `bg.performAndWait`: `screen.perform { clean up in screen }`, then"
        + " write in `bg`."
    ),
  ]
}
