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
    shown: .init(["rounds": 1], bound: 1), hidden: .init(["rounds": 1], bound: 1),
    requirements: [
      Requirement(
        "deadlock-id", "the id of a schedule of ours that ends as DEADLOCK",
        .answer("deadlock", side: "wrong", outcome: "DEADLOCK"), points: 2,
        say: .init(pass: "Yes: {seen}.", fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "shortest", "no deadlock of ours has fewer switches than yours",
        .answer("deadlock", side: "wrong", outcome: "DEADLOCK", isShortest: true), points: 2,
        isBonus: true,
        say: .init(pass: "Yes: {seen}.", fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "no-deadlock", "your file has no deadlock", .never(["DEADLOCK"]), points: 3,
        say: .init(
          pass: "In none of {seen} do two queues wait for each other.",
          fail: "Ends as {seen}.", hidden: "")),
      Requirement(
        "written", "each line is written, with what it asked for", .never([]), points: 2,
        say: .init(
          pass: "Both lines are right, in each of {seen}.", fail: "Ends as {seen}.", hidden: "")),
      Requirement(
        "at-once", "both lines are still written at the same time", .schedules(atLeast: 60),
        points: 3,
        say: .init(
          pass: "Neither line waits until the other is done: {seen}.",
          fail: "Only {seen}: one line is written after the other.", hidden: "")),
    ],
    hints: [
      "Run `faultline explore 9`. The verdict of side WRONG names its smallest deadlock. In your"
        + " own folder `faultline draw` shows which queue each thread holds while it waits.",
      "A block keeps its context's queue until it returns. A function that is suspended at an"
        + " `await` between two blocks holds no queue.",
      "Ask first: `let shelf = try await shelves.perform { try nameOfShelf(in: shelves) }`. Then"
        + " write the line in a second block, `try await articles.perform { … }`.",
    ],
    nearMisses: [
      .init("OneAfterTheOther", points: 9, misses: ["at-once"]),
      .init("AsksFirst", points: 5, misses: ["no-deadlock", "written"]),
      .init("DoesNotWait", points: 10, misses: ["written"]),
      .init("MainsDeadlock", points: 8, misses: ["deadlock-id"]),
    ])
}
