import PlaygroundKit

extension DeletedWhileYouHeldIt {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A form opens an article, waits until the user has typed, and saves the text as the \
      article's name. A sync may delete the article at any moment. Change `edit` in \
      EditArticle.swift so that it returns “saved” if the text was saved before the deletion, and \
      “gone” if not; so that a deleted article stays deleted; and so that no error reaches the \
      user. Checked with two articles, of which the sync deletes the first, in every schedule \
      with at most 1 switch; and again with another number of articles and a form whose context \
      merges automatically.
      """,
    minutes: 20, file: "EditArticle.swift", support: ["Sync.swift"],
    given: "articles; a sync deletes the first while a form edits it, then the second is edited",
    parameters: [Parameter("merges", 0, in: 0...1, "1: the form's context merges automatically")],
    checker: .record, shown: .init(["articles": 2], bound: 1),
    hidden: .init(["articles": 3, "merges": 1], bound: 0),
    requirements: [
      Requirement(
        "truth", "the form tells the truth", .store { try isTrue($0) },
        points: 3,
        say: .init(
          pass: "“Saved” means saved, and “gone” means gone, {seen}.",
          fail: "The form says “saved” of a text that was lost, or “gone” of one that it has saved,"
            + " or it does not save an article that is there: {seen}.",
          hidden: "If the form's context merges automatically, the form says the wrong thing or"
            + " stops. An object that a merge has deleted must not be changed.")),
      Requirement(
        "first", "the text is saved where the form is faster than the sync",
        .reach("IN TIME") { $0.text("the form said") == "saved, saved" }, points: 1, needs: "truth",
        say: .init(
          pass: "In some schedule the form has saved the text before the deletion.",
          fail: "The first text is never saved, even where the form is faster than the sync.",
          hidden: "")),
      Requirement(
        "stays-deleted", "a deleted article stays deleted",
        .store { try $0.storedRows(of: "Article") == $0["articles"] - 1 }, points: 2,
        say: .init(
          pass: "The deleted article is not in the file, {seen}.",
          fail: "The form writes the deleted article back: {seen}.",
          hidden: "If the form's context merges automatically, the form writes the deleted article"
            + " back or stops.")),
      Requirement(
        "no-error", "no error reaches the user", .never(["THREW"]), points: 2, needs: "truth",
        say: .init(
          pass: "The form comes to its end, {seen}.", fail: "Ends as {seen}.",
          hidden: "If the form's context merges automatically, an error reaches the user.")),
    ],
    hints: [
      "Replay the schedule that check names. When is the article deleted: before the form opens it,"
        + " while the form waits, or between the form's last look and its save?",
      "A deletion during the wait is found by a fetch after the wait, with `self == %@`. The object"
        + " that you hold does not know. A deletion after that is found by the save, if the values"
        + " are loaded (`returnsObjectsAsFaults = false`) and the policy refuses conflicts.",
      "After `typed`, fetch; if there is no article, return \"gone\". Set the name and save, and"
        + " `catch let error as CocoaError where error.code == .managedObjectMerge`: refresh the"
        + " article with `mergeChanges: false` and return \"gone\"; a rollback would take all other"
        + " edits in this context along. Nothing else edits here, so a conflict means a deletion."
        + " Elsewhere look at the conflict: its `newVersionNumber` is 0 if the row is gone.",
    ],
    nearMisses: [
      .init("FetchesAFault", points: 2, misses: ["truth"]),
      .init("FetchesAgainOnly", points: 2, misses: ["truth", "no-error"]),
      .init("LetsThePolicyDecide", points: 0, misses: ["truth", "stays-deleted"]),
      .init("LetsTheStoreWin", points: 2, misses: ["truth"]),
      .init("SwallowsTheError", points: 0, misses: ["truth", "stays-deleted", "no-error"]),
      .init("ChecksBeforeItWaits", points: 0, misses: ["truth", "stays-deleted", "no-error"]),
      .init("AsksTheObject", points: 0, misses: ["truth", "stays-deleted"]),
      .init("SavesOnlyTheSecond", points: 7, misses: ["first"]),
    ])

  /// Whether the form said “saved” of the first article if and only if the sync has seen its text,
  /// and has saved the text of the second, which is not deleted.
  private static func isTrue(_ run: Observation) throws -> Bool {
    let rows = try run.stored("SELECT count(*) FROM ZARTICLE WHERE ZNAME = 'Text 2'")
    guard let said = run.text("the form said") else { return false }
    return said == run.text("the form should have said") && rows == [["1"]]
  }
}
