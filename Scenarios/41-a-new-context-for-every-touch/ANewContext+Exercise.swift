import PlaygroundKit

extension ANewContext {
  /// What to type next: there is no race to explore.
  static let next = [
    Next("faultline show 41", "the question, the outcomes, the code of every side"),
    Next(
      "faultline explore 41",
      "nothing new: each call follows the one before, so every schedule ends the same"),
  ]

  /// What a learner writes, what must hold, and the wrong policies that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A data manager makes a context for each call. Change the class `DataManager`, and the \
      sentence that states its policy, for four kinds of work: a form that reads a few articles \
      again and again, a list that is scrolled from end to end, two visits with a sync between \
      them, and two windows that take turns, with a sync before the second. An answer must not be \
      older than its piece of work. In all there may be at most 105 statements, and at any time 40 \
      live objects in all contexts together. The view context is the screen's, which has an \
      unsaved draft that must stay there, unsaved. Checked with 65 articles (the list shows all \
      of them, any other work 5), and with other numbers that you do not see.
      """,
    minutes: 20, file: "DataManager.swift", support: ["Traffic.swift"],
    given: """
      four kinds of work with a data manager; a form, a visit or a window touches half of {each} \
      articles
      """,
    notASide: """
      The exercise of scenario 41 has four kinds of work where the scenario has one, so it is no \
      side of it: `faultline check 41` runs it.
      """,
    shown: .init(["pieces": 12, "each": 10, "touches": 10], bound: 0),
    hidden: .init(["pieces": 16, "each": 8, "touches": 15], bound: 0),
    requirements: [
      Requirement(
        "statements", "at most 105 statements in all",
        .budget("statements", 1...105), points: 3,
        say: .init(
          pass: "No piece of work asks again for what it has read ({seen}).",
          fail: "Some work asks again for what it has read, or nothing is asked ({seen}).",
          hidden: "With other numbers some work asks again for what it has read.")),
      Requirement(
        "fresh", "no answer is older than its piece of work",
        .golden("stale") { _ in "none" }, points: 2, needs: "statements",
        say: .init(
          pass: "Each answer is as the file had it since the work began.",
          fail: "These got revisions from before they began: {seen}.",
          hidden: "With other numbers there are stale answers.")),
      Requirement(
        "live", "at most 40 objects are alive at any time",
        .budget("peak live objects", 1...40), points: 2, needs: "statements",
        say: .init(
          pass: "All contexts together keep few objects ({seen}).",
          fail: "The contexts keep more, together ({seen}).",
          hidden: "With other numbers more are alive.")),
      Requirement(
        "screen", "the screen keeps its unsaved draft",
        .golden("the screen has") { _ in "its draft" }, points: 1, needs: "statements",
        say: .init(
          pass: "No other code has saved or reset the view context.",
          fail: "The screen has {seen}.",
          hidden: "With other numbers the screen loses its draft.")),
    ],
    hints: [
      "Which kind of work does each requirement count? A row is asked for again when no context"
        + " has its object any more. What in your class has it, and for how long?",
      "A dictionary from the name of the work to its context lets the calls of one work share a"
        + " context. `retainsRegisteredObjects` makes a context keep what it has read.",
      "Drop the context in `end`, so that the next work begins with the file. For the list,"
        + " `reset()` the context when a new article is asked and it has 20 `registeredObjects`.",
    ],
    nearMisses: [
      .init("ReusesOne", points: 0, misses: ["statements"]),
      .init("ResetsAtEachEnd", points: 6, misses: ["fresh"]),
      .init("KeepsForEver", points: 4, misses: ["fresh", "live"]),
      .init("ResetsTheScreen", points: 7, misses: ["screen"]),
      .init("MergesForEver", points: 6, misses: ["live"]),
      .init("NoLimit", points: 6, misses: ["live"]),
      .init("OneWorkAtATime", points: 0, misses: ["statements"]),
      .init("ForgetsToKeep", points: 0, misses: ["statements"]),
    ])
}
