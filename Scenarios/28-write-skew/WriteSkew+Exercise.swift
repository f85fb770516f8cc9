import PlaygroundKit

extension WriteSkew {
  /// What a learner breaks and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Two articles are on a page, and one of them must stay. First break it: find a schedule of \
      our wrong side that leaves a page empty, with `faultline explore 28` or step by step with \
      `faultline explore 28 --side wrong --step`, and put its id into answers.txt. Then change \
      `takeDown` so that one article stays in every schedule, and both editors still work at the \
      same time, each in its own context. Checked with one page, in every schedule with at most 2 \
      switches, and with another number of pages that you do not see.
      """,
    minutes: 25, file: "TakeDown.swift",
    questions: [
      Question(
        "both-off",
        """
        Which schedule of our side “look, take down, save” (WRONG in `faultline explore 28`) ends \
        as BOTH OFF? Give its id.
        """)
    ],
    shown: .init(["pages": 1]), hidden: .init(["pages": 2], bound: 0),
    requirements: [
      Requirement(
        "broken", "the id of a schedule of ours that empties the page",
        .answer("both-off", side: "wrong", outcome: "BOTH OFF"), points: 3,
        say: .init(pass: "Yes: {seen}.", fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "one-stays", "no page is empty in the end", .never(["BOTH OFF"]), points: 4,
        data: .shown,
        say: .init(
          pass: "One article stays, in each of {seen}.", fail: "Ends as {seen}.", hidden: "")),
      Requirement(
        "done", "each editor does its work, and no error ends it", .never([]), points: 2,
        data: .shown, needs: "one-stays",
        say: .init(
          pass: "The page is done, in each of {seen}.", fail: "Ends as {seen}.", hidden: "")),
      Requirement(
        "other-pages", "the same with another number of pages", .never([]), points: 1,
        data: .hidden, needs: "one-stays",
        say: .init(
          pass: "It also holds for pages you do not see.", fail: "",
          hidden: "It does not hold for another number of pages.")),
      Requirement(
        "at-once", "both editors still work at the same time", .schedules(atLeast: 200),
        points: 2, needs: "one-stays",
        say: .init(
          pass: "Each editor has its own context, and no lock makes one wait: {seen}.",
          fail: "Only {seen}: one editor waits until the other is done.", hidden: "")),
    ],
    hints: [
      "Replay the smallest BOTH OFF with --explain. Which row does each editor write, and which row"
        + " does it only read? A save compares the versions of the rows that it writes.",
      "Either let the save also check what was read, with `context.detectConflicts(for:)`, or let"
        + " both editors write one row that they share, the page. Keep the error policy, and catch"
        + " `CocoaError.managedObjectMerge`.",
      "In a loop: look; if your own article must stay, return; take it down; call"
        + " `context.detectConflicts(for: other)` for each of the others; save and return. After a"
        + " refusal call `context.reset()`, which forgets what was read, and look again.",
    ],
    nearMisses: [
      .init("LooksTwice", points: 3, misses: ["one-stays", "done"]),
      .init("PolicyDecides", points: 3, misses: ["one-stays", "done"]),
      .init("ReadsLater", points: 3, misses: ["one-stays", "done"]),
      .init("LetsTheErrorOut", points: 10, misses: ["done"]),
      .init("FirstPageOnly", points: 11, misses: ["other-pages"]),
      .init("OneContextForBoth", points: 10, misses: ["at-once"]),
      .init("OneStays", points: 9, misses: ["broken"]),
    ])
}
