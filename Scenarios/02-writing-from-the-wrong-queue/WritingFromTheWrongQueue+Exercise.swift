import PlaygroundKit

extension WritingFromTheWrongQueue {
  /// What a learner breaks and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      First break it: find the smallest schedule in which our side “read, then write” loses an \
      increment, and put its id and the order of its blocks into answers.txt. Core Data's checker \
      has nothing to report of that side. Then change `addOne` in AddOne.swift so that no schedule \
      loses an increment, and each task is told the number that its own increment made, without a \
      lock or a queue beside that of the context. Checked with 2 tasks that add once each, in \
      every schedule with at most 2 switches, and with other numbers that you do not see. The \
      checker is on.
      """,
    minutes: 15, file: "AddOne.swift", support: ["Tasks.swift"],
    parameters: [Parameter("before", 0, in: 0...1_000, "the views that the article begins with")],
    questions: [
      Question(
        "lost",
        """
        Which schedule of our side “read, then write” (`faultline explore 2 --side split`) ends as \
        LOST? Give its id.
        """),
      Question(
        "order",
        """
        And in which order do the blocks run in the smallest such schedule? Replay it; the page \
        names no task. Task 1 is the one that is interrupted, task 2 the other; r is a block that \
        reads (`article.views`, line 89), w one that writes (`article.views = views + 1`, line \
        91). There is one switch, so task 2 runs to its end before task 1 goes on.
        """,
        choices: [
          "r1-w1-r2-w2", "r1-r2-w1-w2", "r1-r2-w2-w1", "r2-r1-w1-w2", "r2-w2-r1-w1",
        ]),
    ],
    checker: .record, shown: .init(["writers": 2, "increments": 1]),
    hidden: .init(["writers": 3, "increments": 1, "before": 5], bound: 0),
    requirements: [
      Requirement(
        "lost-id", "the id of a schedule of ours that loses an increment",
        .answer("lost", side: "split", outcome: "LOST"), points: 2,
        say: .init(pass: "Yes. {seen}.", fail: "See answers.txt. {seen}.", hidden: "")),
      Requirement(
        "order", "the order of the blocks in which it is lost",
        // The one switch is after the read of task 1; task 2 then runs to its end.
        .traced("order", side: "split", outcome: "LOST") { _ in ["r1-r2-w2-w1"] }, points: 2,
        say: .init(
          pass: "Yes. Both read 0, and the second write overwrites the first.",
          fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "counted", "every increment is there", .store { try isCounted($0) }, points: 2,
        needs: "own-queue",
        say: .init(
          pass: "No increment is lost, {seen}.", fail: "The number in the file is wrong {seen}.",
          hidden: "The number in the file is wrong with other tasks or another start.")),
      Requirement(
        "own-queue", "the object is used inside its queue", .confined, points: 1,
        needs: "counted",
        say: .init(
          pass: "The checker has nothing to report, {seen}.",
          fail: "The object is used outside its queue: {seen}.",
          hidden: "The object is used outside its queue with other numbers.")),
      Requirement(
        "told", "each task is told the number that its own increment made",
        .golden("told") { run in
          let (first, count) = (run["before"] + 1, run["writers"] * run["increments"])
          return (first..<(first + count)).map(String.init).joined(separator: ", ")
        }, points: 2, needs: "counted",
        say: .init(
          pass: "Each number is told once, {seen}.", fail: "The tasks are told: {seen}.",
          hidden: "With other numbers some number is told twice, or never.")),
      Requirement(
        "no-lock", "no lock, and no queue but that of the context", .free(of: locks), points: 1,
        needs: "counted",
        say: .init(
          pass: "No thread waits at a lock of yours.",
          fail: "The code has a lock or another queue ({seen}): other code that changes the article"
            + " does not ask for it. One block on the article's own context is enough.",
          hidden: "")),
    ],
    hints: [
      "Run `faultline explore 2 --side split` and replay the id beside LOST. Between which two"
        + " blocks of the first task does the second one run?",
      "A block of a context is never interrupted by another block of the same context. Between two"
        + " blocks any other may run, also in the middle of your function.",
      "Make both blocks one: read, add, write, and return the new number from the same"
        + " `try context.performAndWait { … }`.",
    ],
    nearMisses: [
      .init("AddsOffTheQueue", points: 4, misses: ["own-queue", "counted", "told"]),
      .init("OneBigLock", points: 9, misses: ["no-lock"]),
      .init("AnotherQueue", points: 9, misses: ["no-lock"]),
      .init("ReadsAgain", points: 8, misses: ["told"]),
      .init("WritesTheSum", points: 4, misses: ["counted", "told"]),
      .init("OffTheQueue", points: 6, misses: ["lost-id", "order"]),
    ])

  /// What keeps other calls of the function out, and no other code.
  private static let locks: Set<String> = [
    "NSLock", "NSRecursiveLock", "NSCondition", "NSConditionLock", "Mutex", "DispatchQueue",
    "DispatchSemaphore", "OperationQueue", "pthread_mutex_t", "pthread_mutex_lock",
    "os_unfair_lock", "newBackgroundContext", "privateQueueConcurrencyType",
    "mainQueueConcurrencyType", "privateQueue", "mainQueue",
  ]

  /// Whether the file has the number that the article began with, and every increment.
  private static func isCounted(_ run: Observation) throws -> Bool {
    let views = try run.stored("SELECT ZVIEWS FROM ZARTICLE").joined()
    return views.map { Int($0) } == [run["before"] + run["writers"] * run["increments"]]
  }
}
