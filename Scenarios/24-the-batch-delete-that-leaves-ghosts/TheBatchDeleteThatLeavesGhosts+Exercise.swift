import PlaygroundKit

extension TheBatchDeleteThatLeavesGhosts {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A clean-up deletes every second of 60 articles, which three contexts hold: the screen's and \
      two private ones. `cleanUp` in CleanUp.swift deletes the rows with a batch request, and \
      leaves their objects behind in all three. Change it so that no context holds an object \
      without a row, the objects of the other articles stay as they are, and the whole takes at \
      most 8 statements, the contexts' own reading included. Checked also with another number.
      """,
    minutes: 15, file: "CleanUp.swift", support: ["Contexts.swift"],
    shown: .init(["articles": 60], bound: 0), hidden: .init(["articles": 40], bound: 0),
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
        .golden("objects without a row") { _ in "0, 0, 0" }, points: 4,
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
        .budget("statements", 4...8), points: 3, needs: "no-ghosts",
        say: .init(
          pass: "Few, however many articles there are: {seen}.",
          fail: "More than 8, or too few to delete anything: {seen}.",
          hidden: "With another number there are more than 8 statements.")),
    ],
    hints: [
      "Which notification does a batch delete post? What would a context have to be told, and which"
        + " result says it?",
      "Set the request's `resultType` to `.resultTypeObjectIDs`; its result then has the ids of the"
        + " deleted rows. One class method of `NSManagedObjectContext` takes ids into several"
        + " contexts at once, each on its queue.",
      "Lines: in the block `let result = try cleaner.execute(request) as? NSBatchDeleteResult`, and"
        + " return `result?.result as? [NSManagedObjectID] ?? []` as `ids`. After the block"
        + " `NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids],"
        + " into: contexts)`.",
    ],
    nearMisses: [
      .init("DeletesObjects", points: 7, misses: ["statements"]),
      .init("OnlyTheScreen", points: 0, misses: ["no-ghosts"]),
      .init("ResetsThem", points: 8, misses: ["kept"]),
      .init("RefreshesThem", points: 0, misses: ["no-ghosts"]),
      .init("DeletesAll", points: 0, misses: ["deleted", "kept"]),
    ])
}
