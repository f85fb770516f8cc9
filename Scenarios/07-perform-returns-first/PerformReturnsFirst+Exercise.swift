import PlaygroundKit

extension PerformReturnsFirst {
  /// What a learner predicts and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      EightLines.swift writes eight lines into a log: A, E and G on the main thread, the others in \
      blocks of a background context. First predict, in answers.txt, in which orders the lines can \
      come. Then change the function so that they come in the order of the alphabet in every \
      schedule. Each line stays in the queue of its context, and the main thread waits for no \
      block: a line of the background takes 20 ms, which is longer than a frame. Checked with the \
      eight lines written once, in every schedule with at most 3 switches, and more than once.
      """,
    minutes: 15, file: "EightLines.swift", support: ["Lines.swift"],
    parameters: [Parameter("rounds", 1, in: 1...100, "times the eight lines are written")],
    questions: [
      Question(
        "orders",
        """
        In which orders can the eight lines come, as EightLines.swift stands? It is our side \
        “eight lines”. Think of every schedule with at most 3 switches.
        """,
        choices: [
          "ABCDEFGH", "ABDCEFGH", "ABDCEFHG", "ABDCFEGH", "ABDECFGH", "ABEDCFGH", "ABEDFCGH",
          "ABEDFGCH", "AEBDCFGH", "AEBDFCGH", "AEBDFGCH", "AEBDFGHC", "AEFBDCGH",
        ])
    ],
    checker: .record, shown: .init(["rounds": 1], bound: 3),
    hidden: .init(["rounds": 2], bound: 1),
    requirements: [
      Requirement(
        "orders", "the orders in which the lines of our side can come",
        .predict("orders") { found in
          let lines = found.sides.first { $0.name == "lines" }
          return Set((lines?.outcomes ?? []).filter { $0.orders > 0 }.map(\.name))
        }, points: 4, credit: .fraction,
        say: .init(
          pass: "Yes, these. Each wait fixes one order, and nothing else does.",
          fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "in-order", "your eight lines come in the order of the alphabet",
        .golden("order of the lines") { run in
          String(repeating: "ABCDEFGH", count: run["rounds"])
        }, points: 3, needs: "confined",
        say: .init(
          pass: "They come in this order {seen}.", fail: "They come in another order: {seen}.",
          hidden: "Written more than once, they come in another order.")),
      Requirement(
        "confined", "each line is written inside its context's queue", .confined, points: 2,
        needs: "in-order",
        say: .init(
          pass: "Each line stays in its queue, {seen}.",
          fail: "A line is written outside the queue of its context: {seen}.",
          hidden: "Written more than once, a line is outside the queue of its context.")),
      Requirement(
        "main-free", "the main thread waits for no block of the background",
        .budget("frames dropped", 0...0), points: 1, needs: "in-order",
        say: .init(
          pass: "The function suspends, and the main thread is free meanwhile.",
          fail: "The main thread waits for a block, and draws nothing meanwhile ({seen}).",
          hidden: "Written more than once, the main thread waits for a block.")),
    ],
    hints: [
      "For each line ask: which call has enqueued its block, and which lines were before that call?"
        + " A queue runs its blocks in the order in which they were enqueued. Which lines are in"
        + " no such relation?",
      "`perform` without `await` orders nothing after it. The line E may come anywhere before F."
        + " The block with C was enqueued by the block with B and D, so it cannot begin before D.",
      "`await bg.perform { … }` for the block with B, C and D, and for F. Inside a block, write C"
        + " where it belongs: this code is already inside the queue.",
    ],
    nearMisses: [
      .init("AwaitsTheOuterBlock", points: 4, misses: ["in-order"]),
      .init("SleepsInBetween", points: 4, misses: ["in-order"]),
      .init("OneBlockForAll", points: 4, misses: ["confined"]),
      .init("BlocksEverywhere", points: 9, misses: ["main-free"]),
      .init("TicksThemAll", points: 8, misses: ["orders"]),
      .init("WaitsAtASemaphore", points: 9, misses: ["main-free"]),
      .init("KnowsTheAnswer", points: 4, misses: ["in-order"]),
    ])
}
