import PlaygroundKit

extension TheAsyncFetch {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      `fetchArticles` in FetchArticles.swift is an example from a guide. It compiles, and a list \
      that uses it ends the process, or shows lines that belong to no moment. Find out why and \
      repair it; you may change what it returns, and how the list uses it. In every schedule the \
      list shows all articles of one revision, each with its shelf, and each object is read in \
      its own queue. The list does not wait for the editor, and shows the revision that the file \
      has when the list fetches. Checked with 2 articles, in \
      every schedule with at most 1 switch, and with another number that you do not see.
      """,
    minutes: 15, file: "FetchArticles.swift", support: ["ListScreen.swift"],
    checker: .record, shown: .init(["articles": 2], bound: 1),
    hidden: .init(["articles": 3], bound: 0),
    requirements: [
      Requirement(
        "one-moment", "the list has all articles, of one revision", .store { isWhole($0) },
        points: 2,
        say: .init(
          pass: "The list is of one revision, {seen}.",
          fail: "The list is missing, or its lines are of two revisions: {seen}.",
          hidden: "With another number of articles the list is wrong.")),
      Requirement(
        "own-queue", "each object is read in its own queue", .confined, points: 2,
        needs: "one-moment",
        say: .init(
          pass: "The checker has nothing to report, {seen}.",
          fail: "An object is read outside its queue: {seen}.",
          hidden: "With another number of articles an object is read outside its queue.")),
      Requirement(
        "early", "the list may be made before the publication ends",
        .reach("WHOLE") { $0.number("of revision 1") == $0["articles"] }, points: 1,
        needs: "one-moment",
        say: .init(
          pass: "In some schedule the list is of revision 1: it does not wait for the editor.",
          fail: "The list is never of revision 1: it waits for the editor.", hidden: "")),
      Requirement(
        "late", "the list shows the revision that the file has when it fetches",
        .reach("WHOLE") { $0.number("of revision 2") == $0["articles"] }, points: 1,
        needs: "one-moment",
        say: .init(
          pass: "In some schedule the list is of revision 2: it shows what the file has.",
          fail: "The list is never of revision 2, even where the editor was faster.", hidden: "")),
      Requirement(
        "checked", "the compiler's checks stay on", .free(of: ["@unchecked", "unsafe"]),
        points: 1, needs: "one-moment",
        say: .init(
          pass: "The code does not tell the compiler to look away.",
          fail: "The code tells the compiler to look away ({seen}).", hidden: "")),
    ],
    hints: [
      "Which context do the returned articles belong to, and which variable keeps that context when"
        + " the function has returned? On which thread does the list read them?",
      "Values may leave a block: make the lines inside `context.perform`, and return them. Or fetch"
        + " in the context whose queue the caller is in.",
      "Return `[String]`: `try context.fetch(request).map { line(of: $0) }`, inside the block. Set"
        + " `request.returnsObjectsAsFaults = false`, so that the fetch reads the rows of all"
        + " articles at one moment. The shelf is another row, read later; nothing changes it here.",
    ],
    nearMisses: [
      .init("ReadsFaults", points: 0, misses: ["one-moment"]),
      .init("KeepsTheContext", points: 5, misses: ["own-queue"]),
      .init("LoadsTheValues", points: 0, misses: ["one-moment", "own-queue", "early", "late"]),
      .init("SaysItIsSafe", points: 4, misses: ["own-queue", "checked"]),
      .init("KnowsTheLines", points: 0, misses: ["one-moment", "late"]),
      .init("CountsThem", points: 6, misses: ["late"]),
      .init("WaitsForTheEditor", points: 6, misses: ["early"]),
    ])

  /// Whether the list has a right line for each article, all of one revision.
  private static func isWhole(_ run: Observation) -> Bool {
    (1...2).contains { revision in
      let line = "Revision \(revision), \(revision), Shelf"
      let lines = Array(repeating: line, count: run["articles"])
      return run.text("list") == lines.joined(separator: "; ")
    }
  }
}
