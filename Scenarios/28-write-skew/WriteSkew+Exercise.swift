import PlaygroundKit

extension WriteSkew {
  /// What a learner breaks and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Two articles are on a page, and one of them must stay. First break it: `faultline explore \
      28` names a schedule of our wrong side that leaves a page empty with one switch. Find one \
      with two switches, step by step with `faultline explore 28 --side wrong --step`, and put its \
      id into answers.txt. Then change `takeDown` so that one article stays in every schedule, and \
      both editors still work at the same time, each in its own context, and without a lock: \
      another process does not wait at it. Checked with one page, in every schedule with at most 2 \
      switches, and with other pages that you do not see, on which each editor works alone while \
      views of the articles are counted.
      """,
    minutes: 25, file: "TakeDown.swift", support: ["Editors.swift"],
    parameters: [
      Parameter("alone", 0, in: 0...1, "1: each page has one editor, and views are counted")
    ],
    questions: [
      Question(
        "both-off",
        """
        Which schedule of our side “look, take down, save” (WRONG in `faultline explore 28`) ends \
        as BOTH OFF with two switches? Give its id.
        """)
    ],
    shown: .init(["pages": 1]), hidden: .init(["pages": 2, "alone": 1], bound: 1),
    requirements: [
      Requirement(
        "broken", "the id of a schedule of ours that empties the page with two switches",
        .answer("both-off", side: "wrong", outcome: "BOTH OFF", switches: 2), points: 3,
        say: .init(pass: "Yes. {seen}.", fail: "See answers.txt. {seen}.", hidden: "")),
      Requirement(
        "one-stays", "no page is empty in the end", .never(["BOTH OFF"]), points: 3,
        data: .shown,
        say: .init(
          pass: "One article stays, {seen}.", fail: "Ends as {seen}.", hidden: "")),
      Requirement(
        "in-between", "no page is empty in between", .store(nothingWasPutBack), points: 1,
        data: .shown, needs: "one-stays",
        say: .init(
          pass: "No article is taken down and put back, {seen}.",
          fail: "An article is taken down and put back, and its page is empty in between: {seen}.",
          hidden: "")),
      Requirement(
        "done", "one article is left on the page, and no error ends an editor", .never([]),
        points: 2, data: .shown, needs: "one-stays",
        say: .init(
          pass: "The page is done, {seen}.", fail: "Ends as {seen}.", hidden: "")),
      Requirement(
        "other-pages", "the same with other pages", .never([]), points: 1,
        data: .hidden, needs: "done",
        say: .init(
          pass: "It also holds for pages you do not see.", fail: "",
          hidden: "It does not hold for other pages. A save can also be refused because views"
            + " were counted, even twice, and then the other article is still up.")),
      .noLock(points: 1, needs: "one-stays"),
      Requirement(
        "at-once", "both editors still work at the same time", .schedules(atLeast: 150),
        points: 1, needs: "no-lock",
        say: .init(
          pass: "The steps of the editors mix: {seen}.",
          fail: "Only {seen}: one editor waits for the other, as with one context for both, or does"
            + " less than it should.",
          hidden: "")),
    ],
    hints: [
      "Replay the smallest BOTH OFF with --explain. Which row does each editor write, and which row"
        + " does it only read? A save compares the versions of the rows that it writes. With"
        + " --step, interrupt one editor when it has looked, and the other one when it has too.",
      "Either let the save also check what was read, with `context.detectConflicts(for:)`, or let"
        + " both editors write one row that they share, the page. Keep the error policy, and use"
        + " `catch let error as CocoaError where error.code == .managedObjectMerge`.",
      "In a loop: look; if your own article must stay, return; take it down; call"
        + " `context.detectConflicts(for: other)` for each of the others; save and return. After a"
        + " refusal call `context.reset()`, which forgets what was read, and look again.",
    ],
    nearMisses: [
      .init("LooksTwice", points: 3, misses: ["one-stays", "done", "other-pages"]),
      .init("PolicyDecides", points: 3, misses: ["one-stays", "done", "other-pages"]),
      .init("ReadsLater", points: 3, misses: ["one-stays", "done", "other-pages"]),
      .init("LetsTheErrorOut", points: 9, misses: ["done", "other-pages"]),
      .init("PutsItBack", points: 10, misses: ["in-between", "other-pages"]),
      .init("TriesTwice", points: 11, misses: ["other-pages"]),
      .init("OnlyTheFirst", points: 10, misses: ["other-pages", "at-once"]),
      .init("FirstPageOnly", points: 11, misses: ["other-pages"]),
      .init("OneContextForBoth", points: 11, misses: ["at-once"]),
      .init("OneLock", points: 10, misses: ["no-lock"]),
      .init("OneSwitch", points: 9, misses: ["broken"]),
    ])

  /// Whether each article that is up has been saved at most once since it was made: one that was
  /// taken down and put back has been saved twice.
  private static func nothingWasPutBack(_ run: Observation) throws -> Bool {
    try run.stored("SELECT 1 FROM ZARTICLE WHERE ZTIMESTAMP IS NOT NULL AND Z_OPT > 2").isEmpty
  }
}
