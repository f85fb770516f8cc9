import PlaygroundKit

extension TheExecutorThatBlocks {
  /// What a learner looks for and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Two actors run on the queues of two contexts and ask each other, and sometimes both wait for \
      ever. First explore our scenario, `faultline explore 44`, replay the id beside DEADLOCK, and \
      answer the questions in answers.txt. Then change `enqueue` in Executor.swift so that no \
      schedule ends in a deadlock, \
      the jobs of one actor run one after the other in the order in which they came, and each of \
      them runs inside the queue of the context. Checked with one round, in every schedule with at \
      most 1 switch.
      """,
    minutes: 15, file: "Executor.swift", support: ["Clerks.swift"],
    questions: [
      Question(
        "deadlock",
        """
        Which schedule of our side “enqueue waits” (WRONG in `faultline explore 44`) ends as \
        DEADLOCK? Give its id.
        """),
      Question(
        "waits",
        """
        Replay the smallest of these schedules, whose id `faultline explore 44` prints. At which \
        two steps does a job begin to wait for a queue that it never gets? Give their numbers.
        """),
    ],
    checker: .record, shown: .init(["rounds": 1], bound: 1),
    hidden: .init(["rounds": 2], bound: 0),
    requirements: [
      Requirement(
        "deadlock-id", "the id of a schedule of ours that ends as DEADLOCK",
        .answer("deadlock", side: "wrong", outcome: "DEADLOCK"), points: 1,
        say: .init(pass: "Yes. {seen}.", fail: "See answers.txt. {seen}.", hidden: "")),
      Requirement(
        "waits", "the steps at which both jobs begin to wait",
        .traced("waits", side: "wrong", outcome: "DEADLOCK", waits), points: 1,
        say: .init(
          pass: "Each job waits there inside the queue that the other one asks for.",
          fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "no-deadlock", "your executor has no deadlock", .never(["DEADLOCK", "HANG"]), points: 3,
        needs: "order",
        say: .init(
          pass: "Both actors come to their end, {seen}.", fail: "Ends as {seen}.",
          hidden: "In more rounds your executor ends in a deadlock.")),
      Requirement(
        "order", "the jobs of an actor run one after the other, in their order",
        .golden("order in one actor") { _ in "begins, ends, first, second" }, points: 2,
        say: .init(
          pass: "A job begins when the one before it has ended, {seen}.",
          fail: "Jobs run in the middle of another, or in another order: {seen}.",
          hidden: "In more rounds jobs run in the middle of another, or in another order.")),
      Requirement(
        "written", "each line has what it asked the other actor for",
        .golden("lines") { _ in "Rain, with Weather; Weather, with Rain" }, points: 1,
        needs: "order",
        say: .init(
          pass: "Both lines are whole, {seen}.", fail: "A line is missing or wrong: {seen}.",
          hidden: "In more rounds a line is missing or wrong.")),
      Requirement(
        "confined", "each job runs inside the queue of the context", .confined, points: 2,
        needs: "order",
        say: .init(
          pass: "The contexts are used inside their queues, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "In more rounds a context is used outside its queue.")),
    ],
    hints: [
      "Run `faultline explore 44`, then `faultline replay` the id beside DEADLOCK. Both jobs are in"
        + " the lane “tasks”. One waits for \"shelves\": on which queue has it begun a block?"
        + " A step that asks for a queue and gets it does not wait; “then waits for” does.",
      "`enqueue` runs on the thread of the caller, before the caller's job has ended. It has to see"
        + " to it that the job runs later; it need not wait for that.",
      "A context's queue runs blocks one after the other, in their order. `perform` puts a block"
        + " there and returns; `performAndWait` does not return before the block has run.",
    ],
    nearMisses: [
      .init("RunsInPlace", points: 2, misses: ["order", "confined"]),
      .init("WaitsOnASemaphore", points: 2, misses: ["no-deadlock", "order", "written"]),
      .init("SleepsFirst", points: 2, misses: ["no-deadlock", "order", "written"]),
      .init("NestedIsNoDeadlock", points: 8, misses: ["deadlock-id", "waits"]),
    ])

  /// The numbers of the steps whose waits are still there in the end.
  @Sendable private static func waits(_ trace: Trace) -> Set<String> {
    Set(
      trace.parties.indices.compactMap { party in
        guard let last = trace.steps.lastIndex(where: { $0.party == party }),
          case .waits? = trace.steps[last].stop
        else { return nil }
        return "\(last + 1)"
      })
  }
}
