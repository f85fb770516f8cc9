import PlaygroundKit

extension AutomaticMergingAndMergingTwice {
  /// What a learner predicts and puts right, what must hold, and the wrong answers that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      First predict, in answers.txt, without a run: how many merges and redrawn rows does each of \
      four set-ups cost? Then change `startMerging` in MergeOnce.swift so that the screen is \
      current after each save of the import, and each save is merged once. Add observers with \
      `center`; once the one that you return is removed, none may be left. Checked with 2 \
      articles and 3 saves, and with other numbers that you do not see. The checker is on, and \
      reports every use of a context outside its queue.
      """,
    minutes: 10, file: "MergeOnce.swift", support: ["Import.swift"],
    questions: setUps.map(question),
    checker: .record,
    shown: .init(["articles": 2, "saves": 3], bound: 0),
    hidden: .init(["articles": 3, "saves": 2], bound: 1),
    requirements: setUps.map(prediction) + [
      Requirement(
        "once", "each save is merged once, and the screen is current after it",
        .golden("after the saves") { "merges: \($0["saves"]), stale rows: 0, observers left: 0" },
        points: 1,
        say: .init(
          pass: "One merge for each save, and each row shows what the file has.",
          fail: "For all saves together: {seen}.",
          hidden: "With other numbers a save is merged more than once or not at all.")),
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 1, needs: "once",
        say: .init(
          pass: "Each context is used inside its queue, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "With other numbers a context is used outside its queue.")),
    ],
    hints: [
      "The flag listens to every save of the coordinator. What does the observer listen to? Which"
        + " of these saves does neither of them hear?",
      "A merge refreshes each changed object that the context holds, whether or not an earlier"
        + " merge has brought the same values. So rows redrawn are merges times changed rows.",
      "Keep one of the two: `screen.automaticallyMergesChangesFromParent = true` and no observer,"
        + " or the observer alone, which takes the ids to `screen.perform`.",
    ],
    nearMisses: [
      .init("RefreshesAll", points: 4, misses: ["once"]),
      .init("KeepsItsObserver", points: 4, misses: ["once"]),
      .init("MergesAtOnce", points: 5, misses: ["confined"]),
      .init("AnswersForOneSave", points: 3, misses: ["flag", "observer", "both"]),
      .init("SavesAreSeen", points: 5, misses: ["neither"]),
    ])

  private static let setUps = [
    (key: "neither", side: "neither", words: "with neither the flag nor the observer"),
    ("flag", "right", "with the flag alone"), ("observer", "observer", "with the observer alone"),
    ("both", "wrong", "with the flag and the observer"),
  ]

  private static func question(_ key: String, _ side: String, _ setUp: String) -> Question {
    Question(
      key,
      key == "neither"
        ? """
        2 articles are on the screen, and an import changes both of them in each of 3 saves. After \
        each save the main thread is idle for a moment. The screen's context is set up \(setUp). \
        How many merges reach the context, and how many rows does the screen redraw because of \
        them? Are the rows current or stale at the end? Give three answers, separated by commas.
        """ : "The same \(setUp).",
      choices: [
        "merges=0", "merges=1", "merges=2", "merges=3", "merges=6", "redrawn=0", "redrawn=2",
        "redrawn=3", "redrawn=4", "redrawn=6", "redrawn=12", "current", "stale",
      ])
  }

  private static func prediction(_ key: String, _ side: String, _ setUp: String) -> Requirement {
    Requirement(
      key, "the counts \(setUp)", .traced(key, side: side, outcome: nil, counts), points: 1,
      say: .init(
        pass: "All three answers are right.", fail: "See answers.txt: {seen}.", hidden: ""))
  }

  /// The merges, the redrawn rows and the state of the screen, in the words of the questions.
  @Sendable private static func counts(_ trace: Trace) -> Set<String> {
    let words = trace.metrics.compactMap { metric -> String? in
      guard case .number(let number) = metric.amount else { return nil }
      switch metric.name {
      case "merges into the screen": return "merges=\(number)"
      case "rows redrawn": return "redrawn=\(number)"
      case "rows current at the end": return number == metric.total ? "current" : "stale"
      default: return nil
      }
    }
    return Set(words)
  }
}
