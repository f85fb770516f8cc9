import PlaygroundKit

extension TwoQueuesWaiting {
  /// What a learner looks for and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A line about an article and a line about its shelf are begun at once, and sometimes both \
      wait for ever. First look at the second WRONG of our scenario, `faultline explore 9 --side \
      main`, and put the id of a deadlock of it into answers.txt. Then change WriteLines.swift so \
      that no schedule ends in a deadlock and both lines are still begun at once. The title is the \
      one in the context `articles`, the shelf's name the one in `shelves`: what each context has \
      of the other's is an unsaved draft. Checked with each line written once, in every schedule \
      with at most 1 switch, and with other names.
      """,
    minutes: 15, file: "WriteLines.swift", support: ["Contexts.swift"],
    questions: [
      Question(
        "deadlock",
        """
        Which schedule of our side “main waits for a block that waits for main” ends as DEADLOCK? \
        Give its id; `faultline explore 9 --side main` names one. A bonus is for an id with as few \
        switches as possible.
        """)
    ],
    checker: .record, shown: .init(["rounds": 1], bound: 1),
    hidden: .init(["rounds": 1, "copy": 7], bound: 0),
    requirements: [
      Requirement(
        "deadlock-id", "the id of a schedule of ours that ends as DEADLOCK",
        .answer("deadlock", side: "main", outcome: "DEADLOCK"), points: 1,
        say: .init(pass: "Yes. {seen}.", fail: "See answers.txt. {seen}.", hidden: "")),
      Requirement(
        "shortest", "no deadlock of ours has fewer switches than yours",
        .answer("deadlock", side: "main", outcome: "DEADLOCK", isShortest: true), points: 1,
        isBonus: true,
        say: .init(pass: "Yes. {seen}.", fail: "See answers.txt. {seen}.", hidden: "")),
      Requirement(
        "no-deadlock", "your file has no deadlock", .never(["DEADLOCK"]), points: 2,
        needs: "confined",
        say: .init(
          pass: "Both lines come to their end, {seen}.",
          fail: "Ends as {seen}.", hidden: "With other names they end in a deadlock.")),
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 2,
        needs: "asked",
        say: .init(
          pass: "Each context is used inside its queue, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "With other names a line uses a context outside its queue.")),
      Requirement(
        "written", "each line is written, with what it asked for", .never([]), points: 2,
        needs: "asked",
        say: .init(
          pass: "Both lines are right, {seen}.", fail: "Ends as {seen}.",
          hidden: "With other names a line is wrong.")),
      Requirement(
        "asked", "each line asks both contexts", .budget("statements", 6...1_000), points: 1,
        data: .shown,
        say: .init(
          pass: "The names come from the contexts ({seen}, 2 of them for the drafts).",
          fail: "Not in every schedule ({seen}, 2 of them for the drafts).", hidden: "")),
      Requirement(
        "at-once", "both lines are still begun at once", .schedules(atLeast: 40),
        points: 2, needs: "no-deadlock",
        say: .init(
          pass: "Both lines are begun before either is done: {seen}.",
          fail: "Only {seen}: one line is begun after the other, or does less than it should.",
          hidden: "")),
    ],
    hints: [
      "Run `faultline explore 9 --side main`. The verdict names its smallest deadlock. In your"
        + " own folder `faultline draw` shows which queue each thread holds while it waits.",
      "A block keeps its context's queue until it returns. A function that is suspended at an"
        + " `await` between two blocks holds no queue.",
      "Ask first: `let shelf = try await shelves.perform { try nameOfShelf(in: shelves) }`. Then"
        + " write the line in a second block, `try await articles.perform { … }`.",
    ],
    nearMisses: [
      .init("OneAfterTheOther", points: 9, misses: ["at-once"]),
      .init("AsksOffTheQueue", points: 5, misses: ["confined"]),
      .init("AsksItsOwnContext", points: 9, misses: ["written"]),
      .init("TwoIds", points: 9, misses: ["deadlock-id"]),
      .init("AsksFirst", points: 1, misses: ["no-deadlock", "written", "asked"]),
      .init("DoesNotWait", points: 9, misses: ["written"]),
      .init("KnowsTheAnswer", points: 2, misses: ["written", "asked", "at-once"]),
      .init("AnotherSidesDeadlock", points: 9, misses: ["deadlock-id"]),
    ])
}
