import PlaygroundKit

extension TheLostUpdate {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Several writers add one to the same number, each in its own context, and some increments \
      are lost. Change `addOne` so that none is lost, in whatever order the writers run. Checked \
      with 2 writers that add 1 each, and with other numbers that you do not see.
      """,
    minutes: 15, file: "AddOne.swift",
    shown: .init(["writers": 2, "increments": 1]),
    hidden: .init(["writers": 2, "increments": 2], bound: 0),
    requirements: [
      Requirement(
        "kept", "no increment is lost", .never([]), points: 9,
        say: .init(
          pass: "Every increment is in the file, in each of {seen}.",
          fail: "Ends as {seen}.",
          hidden: "An increment is lost with other numbers of writers or increments.")),
      Requirement(
        "at-once", "the writers still run at the same time", .schedules(atLeast: 500), points: 2,
        needs: "kept",
        say: .init(
          pass: "Each writer has its own context, and none waits for another: {seen}.",
          fail: "Only {seen}: the writers wait for one another.",
          hidden: "The writers wait for one another.")),
      Requirement.noSleep(points: 1, needs: "kept"),
    ],
    hints: [
      "Run `faultline explore` on your folder, then `faultline replay` the smallest schedule that"
        + " ends as LOST. Which number does each writer read, and which does it save?",
      "A merge policy is asked after the damage: both contexts hold the same number. Let the save"
        + " fail instead, with `NSMergePolicy.error`, and catch `CocoaError.managedObjectMerge`.",
      "After a refused save call `context.refresh(article, mergeChanges: false)`, add one to the"
        + " number that the file holds now, and save again, in a loop.",
    ],
    nearMisses: [
      .init("RefreshBefore", points: 0, misses: ["kept"]),
      .init("KeepsItsOwnNumber", points: 0, misses: ["kept"]),
      .init("OneContextForAll", points: 10, misses: ["at-once"]),
      .init("WritesTheSum", points: 0, misses: ["kept"]),
      .init("WaitsAMoment", points: 0, misses: ["kept", "no-sleep"]),
    ])
}
