import PlaygroundKit

extension MergingWhileEditing {
  /// What a learner predicts and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      First predict, in answers.txt, what a save stores after a merge under an unsaved edit, and \
      what it stores without the merge. Then change `done` in Done.swift. The form's context \
      merges automatically, and that stays so. Each headline must fit the text under it, the \
      editor's work must be in each row, and the editor is asked for another headline only if the \
      text has changed; the sync also saves articles whose text stays. Checked with one article, \
      in every schedule with at most 1 switch, and with another number of articles that you do \
      not see.
      """,
    minutes: 20, file: "Done.swift", support: ["Form.swift"],
    questions: [
      Question(
        "merged",
        """
        A form has read the text “old” and has written the headline “about the old text”. A sync \
        saves the text “new” with the headline “about the new text”, and the form's context merges \
        that. Then the form saves, under the error policy. What is in the file, and how many \
        conflicts were found? Give three answers, separated by commas.
        """, choices: cells),
      Question(
        "not-merged",
        """
        The same, and the form's context does not merge. A refused save refreshes the article \
        without its changes, the editor writes a headline for the text that is there, and the form \
        saves again.
        """, choices: cells),
    ],
    shown: .init(["articles": 1, "keys": 0], bound: 1),
    hidden: .init(["articles": 2, "keys": 0], bound: 0),
    requirements: [
      prediction("merged", "with the merge", side: "wrong", outcome: "MIXED"),
      prediction("not-merged", "without the merge", side: "right", outcome: "REWRITTEN"),
      Requirement(
        "fits", "each headline fits its text", .never([]), points: 2,
        say: .init(
          pass: "No text has a headline that was written for another, {seen}.",
          fail: "Ends as {seen}.", hidden: "With other numbers a headline does not fit.")),
      Requirement(
        "work", "the editor's work is in each row",
        .store { run in
          try run.stored("SELECT COUNT(*) FROM ZARTICLE WHERE ZVIEWS <> 1") == [["0"]]
            && run.number("headlines of others") == 0
        }, points: 2,
        needs: "fits",
        say: .init(
          pass: "Each row has a headline that the editor wrote.",
          fail: "A row is without the editor's work, or the editor was not asked about its text:"
            + " {seen}.",
          hidden: "With other numbers a row is without the editor's work.")),
      Requirement(
        "asked", "the editor is asked again only about a new text",
        .golden("asked without need") { _ in "0" }, points: 1, needs: "work",
        say: .init(
          pass: "The editor writes a second time only for another text.",
          fail: "Asked again about a text that the headline was written for, {seen}.",
          hidden: "With 2 articles the editor is asked without need. The sync saves the second and"
            + " leaves its text: a refusal says that the row has changed, and not that the text"
            + " has.")),
      Requirement(
        "merges", "the form's context still merges",
        .golden("the form's context merges") { _ in "always" }, points: 1, needs: "work",
        say: .init(
          pass: "The form still shows what others save.",
          fail: "Done has turned the form's automatic merging off: {seen}.",
          hidden: "With other numbers the form's context does not merge any more.")),
    ],
    hints: [
      "When `done` runs, which text did the editor see, and which text does the article have? Which"
        + " of the two do the versions compare?",
      "Two checks are needed. A merge that has been here shows in `article.content != seen`. A save"
        + " whose merge has not been here yet shows as error 133020.",
      "In a loop: `if article.content != seen { form.askAgain(article); seen = article.content }`,"
        + " with a `var seen` of your own, then save and return. On `.managedObjectMerge` refresh"
        + " the article with `mergeChanges: true`, which keeps the headline, and go round again:"
        + " the comparison says whether the text has changed.",
    ],
    nearMisses: [
      .init("GivesUp", points: 6, misses: ["work"]),
      .init("AsksAfterEveryRefusal", points: 9, misses: ["asked"]),
      .init("ComparesOnly", points: 4, misses: ["fits", "work", "asked", "merges"]),
      .init("StopsMerging", points: 9, misses: ["merges"]),
      .init("WritesItself", points: 6, misses: ["work"]),
      .init("TheMergeWins", points: 8, misses: ["merged"]),
      .init("TheEditWins", points: 8, misses: ["not-merged"]),
    ])

  private static let cells = [
    "name=about the old text", "name=about the new text", "content=old", "content=new",
    "conflicts=0", "conflicts=1",
  ]

  private static func prediction(
    _ key: String, _ what: String, side: String, outcome: String
  ) -> Requirement {
    Requirement(
      key, "the row in the file and the conflicts, \(what)",
      .traced(key, side: side, outcome: outcome) { trace in
        Set(
          trace.metrics.compactMap { metric -> String? in
            switch (metric.name, metric.amount) {
            case ("name", .text(let text)), ("content", .text(let text)): "\(metric.name)=\(text)"
            case ("conflicts", .number(let number)): "conflicts=\(number)"
            default: nil
            }
          })
      }, points: 2,
      say: .init(
        pass: "All three answers are right.", fail: "See answers.txt: {seen}.", hidden: ""))
  }
}
