import PlaygroundKit

extension ChildSaveNotOnDisk {
  /// What a learner writes, what must hold, and the wrong ways that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A form saves, the process is killed, and the form's articles are not in the file. Change \
      `saveToStore` so that everything is in the file when it returns, whatever number of parents \
      the context has and whatever their queues. Checked with 3 contexts from form to store, and \
      with another number that you do not see. An autosave of the form is queued before the call. \
      An error of any save is thrown.
      """,
    minutes: 20, file: "SaveToStore.swift", support: ["Forms.swift"],
    given: """
      a form with {rows|one new article|# new articles}, {levels} contexts from form to store, a \
      queued autosave of the form, kill -9 after saveToStore
      """,
    parameters: [
      Parameter("levels", 3, in: 2...8, "contexts from the form to the store"),
      Parameter("refused", 0, in: 0...1, "1: two more forms are saved, which are refused"),
    ],
    checker: .record, shown: .init(["levels": 3, "rows": 2]),
    hidden: .init(["levels": 5, "rows": 3, "refused": 1], bound: 0),
    requirements: [
      Requirement(
        "stored", "when saveToStore has returned, every article is in the file",
        .store { run in
          // What never returns has promised nothing.
          if run.ending.kind == .deadlock { return true }
          return try run.ending.kind == .killed && run.storedRows(of: "Article") == run["rows"]
        }, points: 3, needs: "no-deadlock",
        say: .init(
          pass: "When saveToStore has returned, every article is in the file, {seen}.",
          fail: "Articles are missing after the kill: {seen}.",
          hidden: "With another number of contexts, articles are missing after the kill.")),
      Requirement(
        "no-deadlock", "no thread waits for ever", .never(["DEADLOCK"]), points: 2,
        needs: "stored",
        say: .init(
          pass: "saveToStore returns, {seen}.", fail: "Threads wait for ever: {seen}.",
          hidden: "With another number of contexts, threads wait for ever.")),
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 2,
        needs: "no-deadlock",
        say: .init(
          pass: "Each context is used inside its queue, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "With another number of contexts, one is used outside its queue.")),
      Requirement(
        "thrown", "an error of a save is thrown",
        .golden("a refused save") { _ in "throws, throws" }, points: 1, data: .hidden,
        needs: "no-deadlock",
        say: .init(
          pass: "saveToStore throws when the store or a context refuses the form.", fail: "",
          hidden: "The store or a context refuses a form, and saveToStore does not throw.")),
    ],
    hints: [
      "A save hands the changes one level up. `context.parent` is the level that has them next; it"
        + " is nil where the context saves to the store.",
      "Go up in a loop, and save each level inside its own queue: `try await level.perform {"
        + " try level.save() }`. Await each save before you go on.",
      "Do not stop at a level without changes: the autosave has handed them up already. The"
        + " loop ends where `level.parent` is nil.",
    ],
    nearMisses: [
      .init("OneQueueForAll", points: 6, misses: ["confined"]),
      .init("WaitsOnMain", points: 0, misses: ["no-deadlock", "thrown"]),
      .init("StopsWithoutChanges", points: 0, misses: ["stored", "thrown"]),
      .init("ThreeLevels", points: 0, misses: ["stored", "thrown"]),
      .init("DoesNotWait", points: 0, misses: ["stored", "thrown"]),
      .init("OnlyTheRootThrows", points: 7, misses: ["thrown"]),
    ])
}
