import PlaygroundKit

extension TwoQueuesWaiting {
  /// What a learner looks for and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A line about an article and a line about its shelf are written at the same time, and \
      sometimes both wait for ever. First explore our scenario, `faultline explore 9`, and put the \
      id of a deadlock into answers.txt. Then change WriteLines.swift so that no schedule ends \
      in a deadlock and both lines are still written at the same time. Checked with each line \
      written once, in every schedule with at most 1 switch.
      """,
    minutes: 15, file: "WriteLines.swift",
    questions: [
      Question(
        "deadlock",
        """
        Which schedule of our side “each waits inside its block” (WRONG in `faultline explore 9`) \
        ends as DEADLOCK? Give its id. A bonus is for an id with as few switches as possible.
        """)
    ],
    shown: .init(["rounds": 1], bound: 1), hidden: .init(["rounds": 2], bound: 0),
    requirements: [
      Requirement(
        "deadlock-id", "the id of a schedule of ours that ends as DEADLOCK",
        .answer("deadlock", side: "wrong", outcome: "DEADLOCK"), points: 3,
        say: .init(pass: "Yes: {seen}.", fail: "No: {seen}.", hidden: "")),
      Requirement(
        "shortest", "no deadlock of ours has fewer switches",
        .answer("deadlock", side: "wrong", outcome: "DEADLOCK", isShortest: true), points: 2,
        isBonus: true,
        say: .init(
          pass: "Yes: {seen}.", fail: "There is one with fewer switches; yours: {seen}.",
          hidden: "")),
      Requirement(
        "no-deadlock", "your file has no deadlock", .never(["DEADLOCK"]), points: 3,
        say: .init(
          pass: "In none of {seen} do two queues wait for each other.",
          fail: "Ends as {seen}.", hidden: "")),
      Requirement(
        "written", "both lines have what they asked for", .never([]), points: 2,
        say: .init(
          pass: "Both lines are right, in each of {seen}.", fail: "Ends as {seen}.", hidden: "")),
      Requirement(
        "at-once", "both lines are still written at the same time", .schedules(atLeast: 60),
        points: 1,
        say: .init(
          pass: "Neither line waits until the other is done: {seen}.",
          fail: "Only {seen}: one line is written after the other.", hidden: "")),
      Requirement.noSleep(points: 1),
    ],
    hints: [
      "Run `faultline explore 9`. The verdict of side WRONG names its smallest deadlock. In your own"
        + " folder `faultline draw` shows which queue each thread holds while it waits.",
      "A block keeps its context's queue until it returns. A function that is suspended at an"
        + " `await` between two blocks holds no queue.",
      "Ask first: `let shelf = try await shelves.perform { try nameOfShelf(in: shelves) }`. Then"
        + " write the line in a second block, `try await articles.perform { … }`.",
    ],
    nearMisses: [
      .init("OneAfterTheOther", points: 10, misses: ["at-once"]),
      .init("AsksFirst", points: 7, misses: ["no-deadlock", "written"]),
      .init("SleepsFirst", points: 6, misses: ["no-deadlock", "written", "no-sleep"]),
      .init("DoesNotWait", points: 10, misses: ["written"]),
      .init("MainsDeadlock", points: 7, misses: ["deadlock-id"]),
    ])
}
