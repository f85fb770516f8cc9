import PlaygroundKit

extension FivePolicies {
  /// What a learner predicts and chooses, what must hold, and the wrong choices that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      First predict, without a run: in answers.txt, say what is in the file after the save under \
      each of the five policies. Then choose in Policies.swift the policy that each of four places \
      of an app needs. Checked with a first saver that changes name and content and a second that \
      changes name and views, and with other changes that you do not see.
      """,
    minutes: 15, file: "Policies.swift", support: ["Edits.swift"],
    parameters: [
      Parameter("first", 3, in: 1...7, "what the first saver changes: name 1, content 2, views 4"),
      Parameter("second", 5, in: 1...7, "what the second saver changes"),
    ],
    notASide: """
      The exercise of scenario 26 chooses policies, and is no side of the scenario: `faultline \
      check` saves under each of them.
      """,
    questions: policies.map(question),
    shown: .init(["first": 3, "second": 5], bound: 0),
    hidden: .init(["first": 5, "second": 6], bound: 0),
    requirements: policies.map(prediction) + [
      place(
        "editors", "the second editor is told, and nothing of that edit is saved", points: 2
      ) { first, _ in first },
      place("feed", "the feed is right, and the editor's other changes are kept", points: 1) {
        first, second in first ?? second
      },
      place("desk", "the desk is right, and the feed's other changes are kept", points: 1) {
        first, second in second ?? first
      },
      place("backup", "the article is exactly as in the backup", points: 1) { _, second in
        second
      },
    ],
    hints: [
      "“Store” is what the first saver has saved, “object” what the second has in memory. Two of"
        + " the policies decide property by property, and only where both have changed one.",
      "Overwrite and rollback decide by the row: all of the second saver's values, the unchanged"
        + " ones too, or none of the second saver's changes. Only one policy makes the save fail.",
      "The editors need the error policy, the feed store trump, the desk object trump, and the"
        + " backup overwrite. `faultline run 26` shows the row that each policy leaves.",
    ],
    nearMisses: [
      .init("ObjectTrumpForAll", points: 6, misses: ["editors", "feed", "backup"]),
      .init("RollbackTells", points: 8, misses: ["editors"]),
      .init("StoreIsMine", points: 8, misses: ["feed", "desk"]),
      .init("MergesTheBackup", points: 9, misses: ["backup"]),
      .init("MergesWholeRows", points: 8, misses: ["store-trump", "object-trump"]),
      .init("ErrorsAreQuiet", points: 7, misses: ["error", "overwrite", "rollback"]),
    ])

  // MARK: The five rows

  /// The policies: the key of a question, the side that has the policy, and its name in a sentence.
  private static let policies = [
    (key: "error", side: "error", words: "the error policy"),
    ("store-trump", "storeTrump", "store trump"), ("object-trump", "objectTrump", "object trump"),
    ("overwrite", "overwrite", "overwrite"), ("rollback", "rollback", "rollback"),
  ]

  private static func question(_ key: String, _ side: String, _ policy: String) -> Question {
    let words =
      key == "error"
      ? """
      The row is name=old, content=old, views=0. Two contexts read it. The first changes name and \
      content to “first” and saves. The second has changed name to “second” and views to 2, and \
      saves after that. What is in the file if the second saves under the error policy? Is the \
      second saver told of the conflict? Give four answers, separated by commas.
      """ : "The same under \(policy)."
    return Question(
      key, words,
      choices: [
        "name=old", "name=first", "name=second", "content=old", "content=first", "views=0",
        "views=2", "told", "not told",
      ])
  }

  private static func prediction(_ key: String, _ side: String, _ policy: String) -> Requirement {
    Requirement(
      key, "the row under \(policy), and whether the second saver is told",
      .traced(key, side: side, outcome: nil, row), points: 1,
      say: .init(
        pass: "All four answers are right.", fail: "See answers.txt: {seen}.", hidden: ""))
  }

  /// The row in the file and what the second saver was told, in the words of the questions.
  @Sendable private static func row(_ trace: Trace) -> Set<String> {
    let noted = trace.metrics.compactMap { metric -> String? in
      guard case .text(let text) = metric.amount else { return nil }
      switch (metric.section, metric.name) {
      case ("the row in the file", _): return "\(metric.name)=\(text)"
      case (_, "second saver told"): return text == "nothing" ? "not told" : "told"
      default: return nil
      }
    }
    return Set(noted)
  }

  // MARK: The four places

  /// A place of the app: from what either saver has changed a property to, if they have, follows
  /// what the file must have; the old value where nothing follows.
  private static func place(
    _ name: String, _ what: String, points: Int,
    _ kept: @escaping @Sendable (_ first: String?, _ second: String?) -> String?
  ) -> Requirement {
    Requirement(
      name, what,
      .golden(name) { run in
        let properties = [("first", "second", "old"), ("first", "second", "old"), ("1", "2", "0")]
        let row = properties.enumerated().map { index, values in
          let isChanged = { (saver: String) in run[saver] & (1 << index) != 0 }
          return kept(isChanged("first") ? values.0 : nil, isChanged("second") ? values.1 : nil)
            ?? values.2
        }
        let stored = try run.stored(
          """
          SELECT A.ZNAME, A.ZCONTENT, A.ZVIEWS FROM ZARTICLE A JOIN ZCATEGORY C
          ON A.ZCATEGORY = C.Z_PK WHERE C.ZNAME = '\(name)'
          """)
        guard stored == [row] else { throw NotTheRow() }
        return row.joined(separator: ", ") + (name == "editors" ? ", told" : ", not told")
      }, points: points,
      say: .init(
        pass: "The row is right, whatever the two savers have changed.",
        // The row would give an answer of answers.txt away.
        fail: "This place needs another row in the file, or another answer to the second saver.",
        hidden: "The file has another row where the savers change other properties."))
  }

  private struct NotTheRow: Error {}
}
