import PlaygroundKit

extension ReadingSomeoneElsesObject {
  /// What a learner predicts and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      First predict, in answers.txt, how the wrong side of scenario 1 can end while the checker is \
      off. Then repair ExportArticles.swift: three of its functions read a managed object outside \
      the queue of its context. In every schedule each object is read where it belongs, the export \
      has what the file has, and the headline and the number of words are right. Checked with 4 \
      articles of one word, in every schedule with at most 2 switches, and with other numbers that \
      you do not see. The checker is on, and reports every read outside a queue. The file is \
      compiled in Swift 5 mode, in which all three mistakes compile.
      """,
    minutes: 20, file: "ExportArticles.swift", support: ["Screen.swift"],
    parameters: [Parameter("revision", 2, in: 2...99, "the revision that the editor publishes")],
    questions: [
      Question(
        "can-happen",
        """
        An export on its own queue reads the objects of the screen, while the screen refreshes \
        them. Which outcomes does our side “article.name in bg.perform” have in the schedules with \
        at most 2 switches? `faultline show 1` says what each word means.
        """,
        choices: outcomes.map(\.name))
    ],
    languageMode: .five, checker: .record,
    shown: .init(["articles": 4, "words": 1]),
    hidden: .init(["articles": 3, "words": 2, "revision": 7], bound: 1),
    requirements: [
      Requirement(
        "predicted", "the outcomes that the wrong side has with the checker off",
        .predict("can-happen") { found in
          let wrong = found.sides.first { $0.name == "wrong" }
          return Set((wrong?.outcomes ?? []).filter { $0.orders > 0 }.map(\.name))
        }, points: 3, credit: .fraction,
        say: .init(
          pass: "Yes, these. A crash needs real threads: here one runs at a time.",
          fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "own-queue", "each object is used on its own context's queue", .confined, points: 3,
        say: .init(
          pass: "The checker has nothing to report, {seen}.",
          fail: "An object is used outside its context's queue: {seen}.",
          hidden: "An object is used outside its context's queue with other numbers.")),
      Requirement(
        "current", "the export has what the file has",
        .golden("export") { run in
          try run.stored("SELECT ZNAME || ', ' || ZVIEWS FROM ZARTICLE").joined().sorted()
            .joined(separator: "; ")
        }, points: 2,
        say: .init(
          pass: "Each line is of the revision that the file has, {seen}.",
          fail: "The export has other lines than the file: {seen}.",
          hidden: "The export has other lines than the file, where the file has other names.")),
      Requirement(
        "headline", "headline and words are right, with other numbers too",
        .golden("headline") { run in
          let name = try run.stored("SELECT ZNAME FROM ZARTICLE").joined().first
          return "\(name ?? ""), \(run["articles"] * run["words"]) words"
        }, points: 1, needs: "own-queue",
        say: .init(
          pass: "Both are right.", fail: "They are not: {seen}.",
          hidden: "The headline or the number of words is wrong.")),
      Requirement(
        "checked", "the compiler's checks stay on", .free(of: ["@unchecked", "unsafe"]), points: 1,
        needs: "own-queue",
        say: .init(
          pass: "The code does not tell the compiler to look away.",
          fail: "The code tells the compiler to look away ({seen}), and the object stays where it"
            + " was.", hidden: "")),
    ],
    hints: [
      "`faultline replay` names the schedule's reads and their lines. Ask for each object: which"
        + " context has fetched it, and inside which queue is the code that reads it?",
      "An `objectID` may go anywhere, and so may values such as a name or a number. Pass ids into"
        + " the export's block and values out of it. A function that is `async` and not"
        + " `@MainActor` does not run on the main thread, whichever thread awaits it (unless"
        + " `NonisolatedNonsendingByDefault` is switched on, as it is not here).",
      "Lines: before the `async let`, make `let ids = shown.map(\\.objectID)` and pass them; in"
        + " the block look each up with `export.existingObject(with:)`. Headline: return the name"
        + " from the block, not the article. Words: make the function `@MainActor`.",
    ],
    nearMisses: [
      .init("OnlyTheExport", points: 5, misses: ["own-queue"]),
      .init("CopiesTooEarly", points: 8, misses: ["current"]),
      .init("SaysItIsSafe", points: 3, misses: ["own-queue", "current", "checked"]),
      .init("DoesNotWait", points: 9, misses: ["headline"]),
      .init("ExpectsACrash", points: 8, misses: ["predicted"]),
      .init("KnowsTheLines", points: 8, misses: ["current"]),
    ])
}
