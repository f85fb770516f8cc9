import PlaygroundKit

extension Siblings {
  /// What a learner predicts, and the wrong predictions that prove that the check is fair.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Fill in a matrix, without a run: in answers.txt, say which value an article has at five \
      moments of scenario 32's sides, in form A, in form B, in their parent (the view context, \
      “screen”) and in the file. The article begins with 0 everywhere, and both forms have read \
      it. A adds 1 and saves into the screen; later B adds 10 and saves into the screen; at the \
      end the screen saves. Your answers are compared with runs of our sides, with one article.
      """,
    minutes: 10, file: nil,
    notASide: "Exercise 32 has no code: `faultline check 32` compares its answers with our sides.",
    questions: steps.map(question),
    shown: .init(["articles": 1, "looks": 1], bound: 0),
    requirements: steps.map { step in
      Requirement(
        step.key, "the four values \(step.what)",
        .traced(step.key, side: step.side, outcome: nil) { values($0, step.moment) },
        points: step.key == "end" ? 2 : 1,
        say: .init(
          pass: "All four values are right.", fail: "See answers.txt: {seen}.", hidden: ""))
    },
    hints: [
      "A save copies changes one level up: from A to the screen, or from the screen to the file."
        + " Which of the four places does it change? All others stay as they were.",
      "B's object holds the value that it has read, until something makes B read again. B's save"
        + " copies B's value, not a difference, and compares nothing.",
      "`refreshAllObjects()`, and a merge of A's save, make B read from the screen, not from the"
        + " file. The flag waits for the screen's own save. And which of the sides makes A read?",
    ],
    nearMisses: [
      .init(
        "SavesReachTheFile", points: 2, misses: ["a-saved", "b-saved", "flag", "merged"]),
      .init("SiblingsSeeEachOther", points: 1, misses: ["a-saved", "b-saved", "flag", "end"]),
      .init("DifferencesAreSaved", points: 5, misses: ["b-saved"]),
      .init("AFollows", points: 4, misses: ["end"]),
      .init("OnlyRefreshesHelp", points: 5, misses: ["merged"]),
      .init("TheFlagHelpsAtOnce", points: 5, misses: ["flag"]),
    ])

  /// A step of a side: the key of its question, and what is asked.
  private struct Step: Sendable {
    let key: String
    let side: String
    let moment: String
    let what: String
  }

  private static let steps = [
    Step(
      key: "a-saved", side: "wrong", moment: "A has saved",
      what: "when A has saved, and B does nothing"),
    Step(
      key: "b-saved", side: "wrong", moment: "B has saved",
      what: "when B, which has not read again, has saved after A"),
    Step(
      key: "flag", side: "flag", moment: "before B adds",
      what: "when B merges automatically, A has saved, and the screen has not"),
    Step(
      key: "merged", side: "merge", moment: "before B adds",
      what: "when B has merged the notification of A's save"),
    Step(
      key: "end", side: "right", moment: "the screen has saved",
      what: "at the end, if B has called refreshAllObjects() after A's save"),
  ]

  private static let places = ["A", "B", "screen", "file"]

  private static func question(_ step: Step) -> Question {
    let example = step.key == steps[0].key ? " Give four answers, separated by commas." : ""
    return Question(
      step.key, "Which values are there \(step.what)?\(example)",
      choices: places.flatMap { place in [0, 1, 10, 11].map { "\(place)=\($0)" } })
  }

  /// The four values that a side noted at a moment, in the words of the questions.
  private static func values(_ trace: Trace, _ moment: String) -> Set<String> {
    guard case .text(let text)? = trace.metrics.last(where: { $0.name == moment })?.amount else {
      return []
    }
    return Set(zip(places, text.split(separator: ", ")).map { "\($0)=\($1)" })
  }
}
