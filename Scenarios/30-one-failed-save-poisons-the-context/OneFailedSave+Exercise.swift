import PlaygroundKit

extension OneFailedSave {
  /// What a learner repairs, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      At each of two desks, two editors share a context, and a save of it is refused: at the first \
      desk because the first editor has changed an article that another saver has changed too, at \
      the second because the first editor has made a keyword whose name another saver has used. \
      The second editor's edits wait behind it. Change `save` in SaveDesk.swift so that it takes \
      back the refused objects with all their changes and nothing else, saves the rest, and \
      returns the ids of the objects that it took back. At each desk one save fails, and no more. \
      What the other saver saved stays as it is. Later one more edit is refused at each desk, and \
      `save` takes it back and returns it too. (If a save fails for another reason than these \
      two, throw its error. If that is your second save, the ids of the first are lost, which is \
      accepted.) Checked with 2 edits of each kind by the \
      second editor, and with other numbers and another reason that you do not see.
      """,
    minutes: 15, file: "SaveDesk.swift", support: ["Desk.swift"],
    parameters: [
      Parameter("others", 2, in: 1...10, "articles that the second editor edits, adds, deletes"),
      Parameter("refused", 1, in: 1...10, "edits of the first editor that are refused"),
      Parameter("another", 0, in: 0...1, "1: at a third desk a save fails for another reason"),
    ],
    notASide: """
      The exercise of scenario 30 saves two desks, and is no side of the scenario: `faultline \
      check` edits at both.
      """,
    shown: .init(["others": 2, "refused": 1], bound: 0),
    hidden: .init(["others": 3, "refused": 2, "another": 1], bound: 0),
    requirements: [
      Requirement(
        "others", "the second editor's edits are saved where an article was changed",
        .store { try hasOthers($0, "changed") }, points: 2, needs: "theirs",
        say: .init(
          pass: "Every change, new article and deletion of the second editor is in the file.",
          fail: "An edit of the second editor is not in the file: {seen}.",
          hidden: "With other numbers an edit of the second editor is not in the file.")),
      Requirement(
        "others-taken", "the same where a name was taken",
        .store { try hasOthers($0, "taken") }, points: 2, needs: "theirs",
        say: .init(
          pass: "A name that is taken does not stop the second editor either.",
          fail: "An edit of the second editor is not in the file: {seen}.",
          hidden: "With other numbers an edit of the second editor is not in the file.")),
      Requirement(
        "theirs", "what the other saver saved stays as it is",
        .store { run in
          try run.storedArticles(where: "ZCONTENT = 'theirs'") == run["refused"]
            && run.stored("SELECT DISTINCT ZMEANING FROM ZKEYWORD") == [["theirs"]]
        }, points: 1, needs: "others",
        say: .init(
          pass: "The other saver's values are still in the file.",
          fail: "The other saver's values are not in the file: {seen}.",
          hidden: "With other numbers the other saver's values are not in the file.")),
      Requirement(
        "told", "the refused edits are taken back whole, and their ids returned",
        .golden("told") { run in
          let names = (1...run["refused"]).map { "refused \($0)" }.joined(separator: " and ")
          let two = "\(names), then the later edit; \(names), then the later edit"
          return run["another"] == 1 ? "\(two); another error is told" : two
        }, points: 1, needs: "others",
        say: .init(
          pass: "The first editor can be told, and no other, now and later.",
          fail: "Returned, or left in the file: {seen}.",
          hidden: "With other numbers other edits are reported, or a save that fails for another"
            + " reason ends as if it had succeeded.")),
      Requirement(
        "later", "the next save of each context succeeds",
        .golden("later saves") { _ in "saved, saved" }, points: 1, needs: "others",
        say: .init(
          pass: "The contexts can go on.",
          fail: "One more edit and one more save, at the two desks: {seen}.",
          hidden: "With other numbers the next save is refused too.")),
      Requirement(
        "once", "one failed save at each desk, two in all",
        .budget("saves that threw", 2...2), points: 1, needs: "others",
        say: .init(
          pass: "The first refusal at each desk says all that was needed ({seen}).",
          fail: "One save may fail at each desk, two in all ({seen}).",
          hidden: "With other numbers more than one save fails, or none.")),
    ],
    hints: [
      "What does the error of the refused save name? Print its `userInfo` once, for each desk.",
      "Under `conflictList` are the conflicts: `NSMergeConflict` with a `sourceObject` (133020), or"
        + " `NSConstraintConflict` with `conflictingObjects` (133021). `rollback()` takes back more"
        + " than these. What takes back the pending changes of a single object?",
      "`desk.refresh(object, mergeChanges: false)` drops the changes of one object, and"
        + " `desk.delete(object)` a new one. Note the ids before that, then save again.",
    ],
    nearMisses: [
      .init("RollsBack", points: 0, misses: ["others", "others-taken"]),
      .init("LetsTheObjectWin", points: 0, misses: ["theirs", "told"]),
      .init("OneKindOnly", points: 3, misses: ["others-taken", "told", "later", "once"]),
      .init("OneAtATime", points: 7, misses: ["once"]),
      .init("SwallowsTheRest", points: 7, misses: ["told"]),
      .init("ChangesThePolicy", points: 7, misses: ["told"]),
    ])

  /// Whether each change, new article and deletion of the second editor is in the file.
  private static func hasOthers(_ run: Observation, _ trouble: String) throws -> Bool {
    let name = "ZNAME LIKE '\(trouble)"
    return try run.storedArticles(where: "\(name) edited %' AND ZCONTENT = 'second'")
      == run["others"] && run.storedArticles(where: "\(name) new %'") == run["others"]
      && run.storedArticles(where: "\(name) deleted %'") == 0
  }
}
