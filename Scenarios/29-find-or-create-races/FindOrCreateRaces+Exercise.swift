import PlaygroundKit

extension FindOrCreateRaces {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Two feeds bring keywords at the same time, and they overlap: the first brings meanings, the \
      second synonyms. The name of a keyword is unique, so when both feeds insert one, the second \
      save is refused, and the user sees the error. Change `importFeed` so that each name has one \
      row with every field that a feed brings, and no error reaches the user. Both feeds still \
      work at the same time, each in its own context, and without a lock: another process does not \
      wait at it. Checked with 3 names and an empty file, in every schedule with at most 2 \
      switches, and with another number of names that you do not see. There one name is in the \
      file before, and one more feed finds its save refused several times in a row.
      """,
    minutes: 20, file: "ImportKeywords.swift", support: ["Stored.swift"],
    parameters: [Parameter("stored", 0, in: 0...1, "1: a keyword is in the file before")],
    shown: .init(["names": 3]), hidden: .init(["names": 4, "stored": 1], bound: 0),
    requirements: [
      Requirement(
        "no-error", "no error reaches the user", .never(["THREW"]), points: 2,
        data: .shown,
        say: .init(
          pass: "Both imports come to their end, {seen}.", fail: "Ends as {seen}.",
          hidden: "")),
      Requirement(
        "one-row", "each name has one row", .store { try hasOneRowForEachName($0) }, points: 2,
        data: .shown,
        say: .init(
          pass: "No name is missing and none is there twice, {seen}.",
          fail: "A name is missing or is there twice: {seen}.", hidden: "")),
      Requirement(
        "fields", "each row has what the feeds bring", .store { try hasAllFields($0) }, points: 3,
        data: .shown,
        say: .init(
          pass: "Each row has what the feeds bring, {seen}.",
          fail: "A meaning or a synonym is lost, or is not from a feed: {seen}.", hidden: "")),
      Requirement(
        "other-names", "the same with other names", .store { try hasAllFields($0) },
        points: 1, data: .hidden, needs: "fields",
        say: .init(
          pass: "The same holds for names you do not see.", fail: "",
          hidden: "A field is lost, or is not from a feed, with names you do not see. A save can"
            + " be refused for a name that is new to both feeds, and for a row that both found,"
            + " and it can be refused more than twice.")),
      .noLock(points: 1, needs: "fields"),
      Requirement(
        "at-once", "both feeds still work at the same time", .schedules(atLeast: 200), points: 1,
        needs: "no-lock",
        say: .init(
          pass: "The steps of the feeds mix: {seen}.",
          fail: "Only {seen}: one feed waits for the other, as with one context for both, or does"
            + " less than it should.",
          hidden: "")),
    ],
    hints: [
      "Replay the schedule that check names, with --explain. What has the first feed saved between"
        + " the second feed's fetch and its save? Which fields would the row need?",
      "No built-in policy keeps both fields in one save: under store trump the row keeps only its"
        + " own, under object trump it takes even the empty field of the new object. Keep the"
        + " error policy, and use `catch let error as CocoaError where"
        + " error.code == .managedObjectConstraintMerge`.",
      "After a refused save call `context.reset()`, which drops the new object and every old value,"
        + " and find or create each keyword again: now the fetch finds the row. Set the field and"
        + " save again, in a loop, which also catches `managedObjectMerge`.",
    ],
    nearMisses: [
      .init("ObjectWins", points: 4, misses: ["fields", "other-names"]),
      .init("TriesTwice", points: 9, misses: ["other-names"]),
      .init("SavesAgain", points: 0, misses: ["no-error", "one-row", "fields", "other-names"]),
      .init("OneErrorOnly", points: 9, misses: ["other-names"]),
      .init("OneLock", points: 7, misses: ["no-lock", "other-names"]),
      .init("OneContextForBoth", points: 8, misses: ["at-once", "other-names"]),
      .init("BringsBothFields", points: 4, misses: ["fields", "other-names"]),
    ])

  /// Whether no name is missing, and none has two rows.
  private static func hasOneRowForEachName(_ run: Observation) throws -> Bool {
    let stored = try run.stored("SELECT ZNAME FROM ZKEYWORD ORDER BY ZNAME").joined()
    return Array(stored) == (1...run["names"]).map { "Name \($0)" }.sorted()
  }

  /// Whether each keyword has what the two feeds bring for it, and nothing else.
  private static func hasAllFields(_ run: Observation) throws -> Bool {
    let names = (1...run["names"]).map { "Name \($0)" }
    let sql = """
      SELECT ZNAME || ': ' || ZMEANING FROM ZKEYWORD WHERE ZMEANING IS NOT NULL
      UNION SELECT ZNAME || ': ' || ZSYNONYM FROM ZKEYWORD WHERE ZSYNONYM IS NOT NULL
      """
    let brought =
      names.dropLast().map { "\($0): meaning of \($0)" }
      + names.dropFirst().map { "\($0): synonym of \($0)" }
      + (run["stored"] == 1 ? ["Name 0: meaning of Name 0"] : [])
    return Set(try run.stored(sql).joined()) == Set(brought)
  }
}
