import PlaygroundKit

extension TheStoreThatWasNotThereYet {
  private static let missing = Parameter(
    "missing", 2, in: 1...2, "the store that is missing at the second launch")

  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      An app has two stores, and each is added on a queue of its own (both descriptions have \
      `shouldAddStoreAsynchronously`), so their handlers may run at the same time. Stores.swift \
      opens them as many apps do, and makes three mistakes. Change `openStores` and `load` so that \
      a container is handed out when both stores are loaded, and so that the error of a store that \
      cannot be opened is thrown. Checked at a launch with both stores and at one without the \
      second, in every schedule without a switch, and with another store missing that you do not \
      see. The app is not the scenario's, so a schedule of it has no id to replay: the page says \
      how the first one that goes wrong ends.
      """,
    minutes: 15, file: "Stores.swift", support: ["Launches.swift"],
    given: """
      a library of {articles|one article|# articles} on disk and a store in memory; at the second \
      launch store {missing} is on a disk that is not there
      """,
    parameters: [missing],
    notASide: """
      The exercise of scenario 42 launches another app than the scenario, so it is no side of it: \
      `faultline check 42` runs it.
      """,
    shown: .init(["articles": 2, "missing": 2], bound: 0),
    hidden: .init(["articles": 3, "missing": 1], bound: 0),
    requirements: [
      Requirement(
        "no-store", "no fetch comes before every store", .never(["NO STORE"]), points: 2,
        needs: "once",
        say: .init(
          pass: "No fetch comes too early, {seen}.",
          fail: "A fetch came before the handler of every store had been called. Ends as {seen}.",
          hidden: "With another store missing a fetch comes too early.")),
      Requirement(
        "once", "no continuation is resumed twice", .never(["RESUMED TWICE"]), points: 2,
        needs: "listed",
        say: .init(
          pass: "Each continuation is resumed once, {seen}.", fail: "Ends as {seen}.",
          hidden: "With another store missing a continuation is resumed twice.")),
      Requirement(
        "listed", "with both stores, the app lists the whole library",
        .golden("with both stores") { run in "lists \(run["articles"])" },
        points: 2,
        say: .init(
          pass: "Both stores are there when the app lists them, {seen}.",
          fail: "Something is missing, or nothing is listed: {seen}.",
          hidden: "With other numbers something is missing.")),
      Requirement(
        "error", "the app hears the error of the store that is missing",
        .golden("the app says") { _ in
          "The store at /unplugged/Store.sqlite cannot be made, because there is no folder for "
            + "it; make one."
        }, points: 3,
        say: .init(
          pass: "The app says which store is missing, and why.",
          fail: "The app hears nothing, or another error: {seen}.",
          hidden: "With another store missing the app does not hear its error.")),
      .noSleep(points: 1, needs: "listed"),
    ],
    hints: [
      "Three words of the file decide what a caller learns: `Task`, `try?` and `resume`. What"
        + " does each of them do when a store takes its time, when one fails, and when there are"
        + " two?",
      "`openStores` is async and throws, so it can wait for `load` and let its error through. In"
        + " `load` the handler is called once for each description, on different threads. A counter"
        + " there needs a lock, and the check does not see if it has none.",
      "An `AsyncStream` takes one element for each call of the handler. Yield the error, or nil,"
        + " and read as many elements as there are descriptions.",
    ],
    nearMisses: [
      .init("StillInATask", points: 0, misses: ["no-store", "once", "listed", "error"]),
      .init("AwaitsOneContinuation", points: 0, misses: ["no-store", "once", "listed", "error"]),
      .init("WaitsForAllToSucceed", points: 0, misses: ["no-store", "once", "listed", "error"]),
      .init(
        "SleepsInstead", points: 0, misses: ["no-store", "once", "listed", "error", "no-sleep"]),
      .init("TheFirstAnswer", points: 0, misses: ["listed", "error"]),
      .init("TriesAndForgets", points: 7, misses: ["error"]),
      .init("AnErrorOfItsOwn", points: 7, misses: ["error"]),
      .init("SleepsToBeSure", points: 9, misses: ["no-sleep"]),
    ])
}
