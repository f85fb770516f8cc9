import PlaygroundKit

extension TheDefaultPolicySaysNo {
  /// What a learner repairs, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A form saves under the error policy, and `try?` drops what a refused save says. Change \
      `save` in SaveForm.swift so that it returns nil if the form is saved, and otherwise a report \
      of the conflicts for the editor. The report has one line for each field that either saver \
      has changed, first name, then content: “name: read old, mine second, theirs first”. A saver \
      that has not changed the field has the value that was read, and nil is written as an empty \
      text. If the other saver has deleted the article, the report is the line “deleted by the \
      other saver”. A refused edit stays in the form. Any other error of the save is thrown. \
      Checked with three kinds of conflict and an article that is not valid, for edits that the \
      task names and for others that you do not see.
      """,
    minutes: 20, file: "SaveForm.swift", support: ["Conflicts.swift"],
    parameters: [
      Parameter("mine", 1, in: 1...3, "what the form changes: name 1, content 2"),
      Parameter("theirs", 3, in: 1...3, "what the other saver changes: name 1, content 2"),
      Parameter("start", 0, in: 0...1, "1: the article's texts are others before"),
    ],
    notASide: """
      The exercise of scenario 25 reports conflicts, and is no side of the scenario: `faultline \
      check` makes the conflicts.
      """,
    shown: .init(["mine": 1, "theirs": 3], bound: 0),
    hidden: .init(["mine": 3, "theirs": 2, "start": 1], bound: 0),
    requirements: [
      Requirement(
        "saved", "without a conflict the form is saved, and nothing is reported",
        .golden("quiet") { run in
          try requireRow("quiet", edited(run, by: "mine", "second"), run)
          return "no report"
        }, points: 1, needs: "changed",
        say: .init(
          pass: "A save without a conflict is left alone.",
          fail: "The form is not saved, or a conflict is reported where none is: {seen}.",
          hidden: "The form is not saved, or a conflict is reported where none is.")),
      report("changed", "another context has saved the article", points: 2),
      report("elsewhere", "the article was changed past the coordinator", points: 2),
      Requirement(
        "deleted", "the report of a deleted article",
        .golden("deleted") { _ in "deleted by the other saver" },
        points: 1,
        say: .init(
          pass: "A deletion is reported too.",
          fail: "The report of a deleted article is another: {seen}.",
          hidden: "A deleted article is reported wrongly for other edits.")),
      Requirement(
        "thrown", "an error that is no conflict is thrown", .golden("invalid") { _ in "throws" },
        points: 1, needs: "changed",
        say: .init(
          pass: "What is no conflict is not reported as one, and not dropped either.",
          fail: "A save that is refused because the article is not valid gives: {seen}.",
          hidden: "A save that is refused because the article is not valid does not throw.")),
      Requirement(
        "pending", "a refused edit stays in the form",
        .golden("edits still in the form") { _ in "changed, elsewhere, deleted, invalid" },
        points: 2,
        needs: "changed",
        say: .init(
          pass: "Each refused edit is still there, and the editor can decide.",
          fail: "These edits are still in their form: {seen}.",
          hidden: "A refused edit is gone from its form.")),
      Requirement(
        "untouched", "a refused save leaves the other saver's row as it is",
        .store { run in
          for place in ["changed", "elsewhere"] {
            try requireRow(place, edited(run, by: "theirs", "first"), run)
          }
          return true
        }, points: 1, needs: "changed",
        say: .init(
          pass: "The other saver's values are still in the file.",
          fail: "The other saver's values are no longer in the file, {seen}.",
          hidden: "The other saver's values are overwritten for other edits.")),
    ],
    hints: [
      "What does `save()` throw, and what is in the error's `userInfo`? Print it once before you"
        + " format it.",
      "`userInfo[\"conflictList\"]` has an `NSMergeConflict` for each object. What this form read"
        + " is its `objectSnapshot`; what was found is its `cachedSnapshot`. For a change past the"
        + " coordinator these two are the `cachedSnapshot` and the `persistedSnapshot`. A"
        + " `newVersionNumber` of 0 means that the row is deleted.",
      "Lines: `let read = conflict.objectSnapshot ?? conflict.cachedSnapshot`, `let theirs ="
        + " conflict.persistedSnapshot ?? conflict.cachedSnapshot`, and mine is"
        + " `conflict.sourceObject.value(forKey: field)`. Skip a field where all three are equal.",
    ],
    nearMisses: [
      .init("OneKindOnly", points: 8, misses: ["elsewhere"]),
      .init("KnowsTheWords", points: 0, misses: ["changed", "elsewhere", "deleted", "thrown"]),
      .init("ReportsAndOverwrites", points: 7, misses: ["pending", "untouched"]),
      .init("RollsBack", points: 8, misses: ["pending"]),
      .init("SwallowsTheRest", points: 9, misses: ["thrown"]),
      .init(
        "StoreTrump", points: 0,
        misses: ["changed", "elsewhere", "deleted", "pending", "untouched"]),
      .init("ReturnsAnEmptyReport", points: 9, misses: ["saved"]),
    ])

  // MARK: What must be reported

  private struct NotTheRow: Error {}

  /// What name and content are after a saver has changed its fields to a text.
  private static func edited(_ run: Observation, by saver: String, _ text: String) -> [String] {
    zip([1, 2], old(run)).map { run[saver] & $0 != 0 ? text : $1 }
  }

  /// What name and content are before.
  private static func old(_ run: Observation) -> [String] {
    run["start"] == 0 ? ["old", "old text"] : ["first draft", "first draft text"]
  }

  private static func requireRow(_ place: String, _ row: [String], _ run: Observation) throws {
    let stored = try run.stored(
      """
      SELECT A.ZNAME, A.ZCONTENT FROM ZARTICLE A JOIN ZCATEGORY C
      ON A.ZCATEGORY = C.Z_PK WHERE C.ZNAME = '\(place)'
      """)
    guard stored == [row] else { throw NotTheRow() }
  }

  private static func report(_ place: String, _ what: String, points: Int) -> Requirement {
    Requirement(
      place, "the report when \(what)",
      .golden(place) { run in
        let mine = edited(run, by: "mine", "second")
        let theirs = edited(run, by: "theirs", "first")
        let old = old(run)
        let lines = ["name", "content"].enumerated().compactMap { index, field in
          [mine[index], theirs[index]] == [old[index], old[index]]
            ? nil : "\(field): read \(old[index]), mine \(mine[index]), theirs \(theirs[index])"
        }
        return lines.joined(separator: " / ")
      }, points: points,
      say: .init(
        pass: "The editor reads what was read, what is mine and what is theirs.",
        fail: "The report is another: {seen}.",
        hidden: "The report is another where the savers change other fields."))
  }
}
