import PlaygroundKit

extension TheLostUpdate {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Several writers add one to the same number, each in its own context, and some increments \
      are lost. Change `addOne` so that none is lost, in whatever order the writers run, and while \
      they still run at the same time, without a lock: another process does not wait at it. \
      Checked with 2 writers that add 1 each, and with other numbers that you do not see.
      """,
    minutes: 15, file: "AddOne.swift", support: ["Shares.swift"],
    parameters: [Parameter("uneven", 0, in: 0...1, "1: the writers do not add equally often")],
    shown: .init(["writers": 2, "increments": 1]),
    // The second writer adds 3: one retry, or two, are not enough for the first.
    hidden: .init(["writers": 2, "increments": 2, "uneven": 1], bound: 1),
    requirements: [
      Requirement(
        "kept", "no increment is lost", .never([]), points: 9,
        say: .init(
          pass: "Every increment is in the file, {seen}.",
          fail: "Ends as {seen}.",
          hidden: "With other numbers of writers or increments, an increment is lost, or an error"
            + " ends a writer.")),
      .noLock(points: 1, needs: "kept"),
      Requirement(
        "at-once", "the writers still run at the same time", .schedules(atLeast: 400), points: 1,
        needs: "no-lock",
        say: .init(
          pass: "The steps of the writers mix: {seen}.",
          fail: "Only {seen}: the writers wait for one another, as they do with one context for"
            + " all, or do less than they should.",
          hidden: "")),
      Requirement.noSleep(points: 1, needs: "kept"),
    ],
    hints: [
      "Run `faultline explore` on your folder, then `faultline replay` the smallest schedule that"
        + " ends as LOST. Which number does each writer read, and which does it save?",
      "A built-in policy picks one of two numbers, and here both are the same. Let the save fail"
        + " instead, with `NSMergePolicy.error`, and use"
        + " `catch let error as CocoaError where error.code == .managedObjectMerge`;"
        + " `catch CocoaError.managedObjectMerge` does not compile.",
      "After a refused save call `context.refresh(article, mergeChanges: false)`, add one to the"
        + " number that the file holds now, and save again, in a loop: the next save may be refused"
        + " too.",
    ],
    nearMisses: [
      .init("KeepsItsOwnNumber", points: 0, misses: ["kept"]),
      .init("OneContextForAll", points: 11, misses: ["at-once"]),
      .init("WritesTheSum", points: 0, misses: ["kept"]),
      .init("WaitsAMoment", points: 0, misses: ["kept", "no-sleep"]),
      .init("TriesThreeTimes", points: 0, misses: ["kept"]),
      .init("OneLock", points: 10, misses: ["no-lock"]),
    ])
}
