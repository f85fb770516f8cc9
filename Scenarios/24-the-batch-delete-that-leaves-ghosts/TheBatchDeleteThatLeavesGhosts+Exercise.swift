import PlaygroundKit

extension TheBatchDeleteThatLeavesGhosts {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Of 20 articles every second one has been read. Three contexts hold all of them: the screen's \
      and two private ones. `cleanUp` in CleanUp.swift deletes the rows of the read ones with a \
      batch request, and leaves the objects behind in all three. Change it so that no context \
      holds an object without a row, and the objects of the other articles stay as they are. The \
      whole takes at most 8 statements; 6 of them are there already. No context keeps a change \
      that is not saved: each is rolled back before it is looked at. Meanwhile the screen asks the \
      cleaner whether it has changes, and waits for the answer. Checked in every schedule with at \
      most one switch, and with another number of articles. The checker is on, and reports every \
      use of a context outside its queue.
      """,
    minutes: 15, file: "CleanUp.swift", support: ["Contexts.swift"],
    checker: .record,
    shown: .init(["articles": 20], bound: 1), hidden: .init(["articles": 16], bound: 0),
    requirements: [
      Requirement(
        "deleted", "the read articles are gone from the file, and no others",
        .store { run in
          try run.stored("SELECT COUNT(*), SUM(ZVIEWS) FROM ZARTICLE")
            == [["\(run["articles"] / 2)", "0"]]
        }, points: 1, needs: "no-ghosts",
        say: .init(
          pass: "The file has the other half.", fail: "The file has other rows, {seen}.",
          hidden: "With another number the file has other rows.")),
      Requirement(
        "no-ghosts", "no context holds an object without a row",
        .golden("objects without a row") { _ in "0, 0, 0" }, points: 3,
        needs: "deleted",
        say: .init(
          pass: "None is left in any of the three contexts.",
          fail: "Objects without a row, in the three contexts: {seen}.",
          hidden: "With another number a context holds an object without a row.")),
      Requirement(
        "kept", "the other objects stay in their contexts",
        .golden("other objects") { run in
          [String](repeating: "\(run["articles"] / 2)", count: 3).joined(separator: ", ")
        }, points: 2, needs: "no-ghosts",
        say: .init(
          pass: "The other half is untouched.",
          fail: "Other objects, in the three contexts: {seen}.",
          hidden: "With another number objects are lost that have a row.")),
      Requirement(
        "statements", "at most 8 statements, however many articles there are",
        .budget("statements", 4...8), points: 2, needs: "no-ghosts",
        say: .init(
          pass: "Few, however many articles there are: {seen}.",
          fail: "More than 8, or too few to delete anything: {seen}.",
          hidden: "With another number there are more than 8 statements.")),
      Requirement(
        "ends", "the screen and the cleaner never wait for each other", .never(["DEADLOCK"]),
        points: 1, needs: "no-ghosts",
        say: .init(
          pass: "The screen gets its answer in every schedule.",
          fail: "The screen waits for the cleaner, and the cleaner for the screen: {seen}.",
          hidden: "With another number the screen and the cleaner wait for each other.")),
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 1,
        needs: "no-ghosts",
        say: .init(
          pass: "Each context is used inside its queue, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "With another number a context is used outside its queue.")),
    ],
    hints: [
      "Which notification does a batch delete post? What would a context have to be told, and which"
        + " result says it?",
      "Set the request's `resultType` to `.resultTypeObjectIDs`; its result then has the ids of the"
        + " deleted rows. One class method of `NSManagedObjectContext` takes ids into several"
        + " contexts at once, here each on its own queue.",
      "The method is `mergeChanges(fromRemoteContextSave:into:)`, and its dictionary has the ids"
        + " under `NSDeletedObjectsKey`. It waits for the queue of each context: let the cleaner's"
        + " block return the ids, and call it after the block.",
    ],
    nearMisses: [
      .init("DeletesObjects", points: 8, misses: ["statements"]),
      .init("DeletesInTheOthers", points: 0, misses: ["no-ghosts"]),
      .init("ResetsThem", points: 8, misses: ["kept"]),
      .init("MergesInside", points: 0, misses: ["no-ghosts", "kept", "ends"]),
      .init("MergesOnNoQueue", points: 9, misses: ["confined"]),
      .init("DeletesAll", points: 0, misses: ["deleted", "kept"]),
    ])
}
