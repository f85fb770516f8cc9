import PlaygroundKit

extension TheScreenFromTheBackground {
  /// What a learner matches and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      First match in answers.txt: four programs and what is reported of each. Then repair \
      ReloadList.swift, which reloads a list inside a block of the feed's context. In every \
      schedule the feed publishes in its own context, and the list is reloaded on the main \
      thread, which is not blocked meanwhile; each object is used on its own queue, and the \
      list shows in the end what the file has. Checked with a list of 2 articles and 1 revision, \
      in every schedule with at most 1 switch, and with other numbers that you do not see. The \
      checker is on.
      """,
    minutes: 15, file: "ReloadList.swift", support: ["Feed.swift", "../../Shared/Screen.swift"],
    parameters: [Parameter("first", 1, in: 1...99, "the number of the first revision")],
    questions: questions,
    checker: .record, shown: .init(["articles": 2, "revisions": 1, "frames": 1], bound: 1),
    hidden: .init(["articles": 3, "revisions": 1, "frames": 1, "first": 7], bound: 0),
    requirements: questions.map(matching) + [
      Requirement(
        "main", "the list is reloaded on the main thread",
        .never(["HALF DRAWN", "OFF MAIN", "CRASHED"]), points: 1, needs: "shown",
        say: .init(
          pass: "The list reports nothing, {seen}.",
          fail: "Ends as {seen}. Your `reload` is off the main thread. So is a block of `perform`,"
            + " and so is an async function that is not `@MainActor`, also after its `await`.",
          hidden: "The list is reloaded off the main thread with other numbers.")),
      Requirement(
        "own-queue", "each object is used on its own context's queue", .confined, points: 1,
        needs: "main",
        say: .init(
          pass: "Core Data's checker reports nothing, {seen}.",
          fail: "An object is used outside its context's queue: {seen}.",
          hidden: "An object is used outside its context's queue with other numbers.")),
      Requirement(
        "shown", "in the end the list shows what the file has",
        .golden("shown in the end") { try inTheFile($0) }, points: 1,
        needs: "main",
        say: .init(
          pass: "It does, {seen}.", fail: "It shows something else: {seen}.",
          hidden: "With other numbers the list shows something else than the file has.")),
      Requirement(
        "not-blocked", "the feed publishes in its own context, and main is not blocked",
        .golden("the feed publishes") { _ in "in its context, and main is free" }, points: 1,
        needs: "main",
        say: .init(
          pass: "The main thread is free while the feed publishes.",
          fail: "The feed should publish in its context, and main be free. It publishes {seen}."
            + " (`performAndWait` runs the block on its caller's thread.)",
          hidden: "With other numbers the main thread waits for the feed, or publishes itself.")),
    ],
    hints: [
      "Two rules are broken easily here: which thread may touch the list, and which thread may"
        + " read the articles. Which thread may do both with the same objects, without waiting?",
      "A function that is `async` and not `@MainActor` does not run on the main thread here, not"
        + " even after an `await`. A block that `perform` runs never inherits `@MainActor`.",
      "Mark `showNews` as `@MainActor`. Let the block return `try feed.publish().map { row($0) }`:"
        + " a row is an id and a text. Reload the list with these rows after the `await`.",
    ],
    nearMisses: [
      .init("PassesTheObjects", points: 7, misses: ["own-queue"]),
      .init("OutOfTheBlock", points: 4, misses: ["main"]),
      .init("TellsTheCompiler", points: 4, misses: ["main", "own-queue", "shown", "not-blocked"]),
      .init("BlocksMain", points: 7, misses: ["not-blocked"]),
      .init("PublishesOnMain", points: 7, misses: ["not-blocked"]),
      .init("ChecksTheThread", points: 4, misses: ["shown"]),
      .init("KnowsTheNumber", points: 4, misses: ["shown"]),
      .init("OneCheckerForAll", points: 4, misses: ["reload", "objects", "promise", "values"]),
    ])

  /// The programs by the keys of their questions, each with the side that it is.
  ///
  /// The promise is no side: a trap costs a process, and what it says is the test of rule H16.
  private static let programs = [
    ("reload", "wrong"), ("objects", "objects"), ("promise", "wrong"), ("values", "right"),
  ]

  private static let questions = [
    question(
      "reload",
      """
      A block of `bg.perform` fetches articles, and reloads the list with them. Which report does \
      this program get? main-thread-checker: “UI API called on a background thread”. \
      concurrency-debug: the report of `-com.apple.CoreData.ConcurrencyDebug 1` about an object \
      or a context off its queue. executor-trap: “Incorrect actor executor assumption”, and the \
      process ends. fetched-results: “An exception was caught from the delegate of \
      NSFetchedResultsController”. none: no report at all.
      """),
    question(
      "objects",
      """
      The block returns the articles that it has fetched. After the `await` the main thread \
      reloads the list with them. Which report?
      """),
    question(
      "promise",
      """
      The block makes the rows from its articles, and reloads the list with these rows inside \
      `MainActor.assumeIsolated { … }`. Which report?
      """),
    question(
      "values",
      """
      The block returns the rows that it has made from its articles: an id and a text each. After \
      the `await` the main thread reloads the list with these rows. Which report?
      """),
  ]

  private static func question(_ key: String, _ words: String) -> Question {
    Question(
      key, words,
      choices: [
        "main-thread-checker", "concurrency-debug", "executor-trap", "fetched-results", "none",
      ])
  }

  private static func matching(_ question: Question) -> Requirement {
    let side = programs.first { $0.0 == question.key }?.1 ?? ""
    let isPromise = question.key == "promise"
    return Requirement(
      question.key, "what is reported of program “\(question.key)”",
      .traced(question.key, side: side, outcome: nil) {
        isPromise ? ["executor-trap"] : report($0)
      }, points: 1,
      say: .init(pass: "Yes.", fail: "See answers.txt: {seen}.", hidden: ""))
  }

  /// What was reported in a run of ours, in the words of the questions.
  @Sendable private static func report(_ trace: Trace) -> Set<String> {
    switch trace.outcome {
    case "HALF DRAWN", "OFF MAIN": ["main-thread-checker"]
    case "NAMED": ["concurrency-debug"]
    default: ["none"]
    }
  }
}
