import PlaygroundKit

extension AFormYouCanThrowAway {
  /// What a learner writes, what must hold, and the wrong ways that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Two forms are open at once: one is cancelled, the other is saved. Change the class `Form` so \
      that nothing of the cancelled form is ever in the file, before `cancel` or after it, and \
      everything of the saved one is there when `save` returns. While both are open, the view \
      context is autosaved. Then a sync sets `views` of both articles to 1, which the view context \
      merges sooner or later. No form may undo that. If that is all that has changed, `save` must \
      succeed, and the file has both changes. If a save is refused for another reason, `save` \
      throws its error. (A form that is cancelled after that is not checked.) Checked with one \
      edit in each form, in every schedule with at most \
      one switch, and with more edits that you do not see.
      """,
    minutes: 20, file: "Form.swift", support: ["Forms.swift"],
    given: """
      {forms|one form is|# forms are} cancelled and {forms|one|#} saved; a sync changes their \
      articles; the view context merges, and is autosaved
      """,
    parameters: [
      Parameter("edits", 1, in: 1...100, "edits in each form"),
      Parameter("refused", 0, in: 0...1, "1: two more forms are saved, which are refused"),
    ],
    checker: .record, shown: .init(["forms": 1, "edits": 1], bound: 1),
    hidden: .init(["forms": 1, "edits": 3, "refused": 1], bound: 0),
    requirements: [
      Requirement(
        "no-leak", "nothing of a cancelled form is in the file",
        .budget("cancelled edits in the file", 0...0), points: 2,
        say: .init(
          pass: "The file never has anything of the cancelled form.",
          fail: "After the autosave or after Cancel, the file has texts or categories of the"
            + " cancelled form ({seen}).",
          hidden: "With more edits, the file has something of a cancelled form.")),
      Requirement(
        "saved", "after save, the edit is in the file",
        .golden("after Save") { _ in "in the file" }, points: 2, needs: "no-leak",
        say: .init(
          pass: "When save returns, text and category are in the file.",
          fail: "Text or category of the saved form is missing in the file: {seen}.",
          hidden: "With more edits, a saved text or category is missing in the file.")),
      Requirement(
        "thrown", "an error of a save is thrown",
        .golden("a refused save") { _ in "throws, throws" }, points: 1, data: .hidden,
        needs: "saved",
        say: .init(
          pass: "save throws when a form is refused.", fail: "",
          hidden: "A form is refused, and save does not throw.")),
      Requirement(
        "merged", "what the sync has set stays",
        .golden("after the sync") { _ in "in the file and on the screen" }, points: 2,
        needs: "saved",
        say: .init(
          pass: "What the sync has set is in the file and on the screen.",
          fail: "What the sync has set is missing in the file or on the screen: {seen}.",
          hidden: "With more edits, something that the sync has set is missing.")),
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 1,
        needs: "no-leak",
        say: .init(
          pass: "Each context is used inside its queue, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "With more edits, a context is used outside its queue.")),
    ],
    hints: [
      "An autosave may come between `edit` and `cancel`. Whatever is unsaved in the view context"
        + " goes with it. Where can the edit wait instead?",
      "Make a context in `init`: a child of the view context, whose save goes one level up, or a"
        + " context on `screen.persistentStoreCoordinator`. Cancel then only resets or drops it.",
      "The sync saves between `edit` and `save`. A context on the coordinator has the error"
        + " policy, and is refused. Here the two never change the same field, so"
        + " `mergeByPropertyObjectTrump` keeps both; elsewhere decide as in scenario 25.",
    ],
    nearMisses: [
      .init("SetsEverythingBack", points: 0, misses: ["no-leak"]),
      .init("ErrorPolicy", points: 3, misses: ["saved", "thrown"]),
      .init("OverwritesTheRow", points: 6, misses: ["merged"]),
      .init("CopiesEverything", points: 6, misses: ["merged"]),
      .init("SavesTheChild", points: 3, misses: ["saved", "thrown"]),
      .init("SwallowsTheError", points: 7, misses: ["thrown"]),
      .init("OffTheQueue", points: 7, misses: ["confined"]),
    ])
}
