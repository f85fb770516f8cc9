import PlaygroundKit

extension CreatingOutsidePerform {
  /// What a learner marks and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      In TakeNote.swift five lines of `takeNote` use a context or an object outside its queue. \
      First mark these lines in answers.txt, without a run. Then repair the function: each object \
      is used on its own queue, and a private context takes the note down, on its shelf, while \
      the main thread stays free. Checked in every schedule with at most 2 switches, with the \
      shelf of this file and with one that you do not see. The checker is on. The file is \
      compiled in Swift 5 mode, in which all five lines compile without a warning.
      """,
    minutes: 15, file: "TakeNote.swift", support: ["Desk.swift"],
    given: "an empty file", parameters: [Parameter("shelf", 1, in: 1...99, "the shelf's number")],
    notASide: """
      The exercise of scenario 3 takes down a single note, and is no side of the scenario.
      """,
    questions: [
      Question(
        "lines",
        """
        Which five lines of TakeNote.swift, as `faultline start 3` copied it, use a context or an \
        object outside its queue? Give single numbers, with commas between them. A line that you \
        accuse wrongly takes a point.
        """, choices: (9...39).map(String.init))
    ],
    languageMode: .five, checker: .record,
    shown: .init(["articles": 1]), hidden: .init(["articles": 1, "shelf": 7], bound: 1),
    requirements: [
      Requirement(
        // By the rules B5, G5 and G6; the near misses show that the others are left alone.
        "lines", "the lines that use something outside its queue",
        .traced("lines", side: "right", outcome: nil) { _ in ["18", "19", "22", "26", "37"] },
        points: 5, credit: .fraction,
        say: .init(
          pass: "These five. You may name a context, create one and read an id anywhere.",
          fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "own-queue", "each object is used on its own context's queue", .confined, points: 1,
        needs: "taken-down",
        say: .init(
          pass: "The checker has nothing to report, {seen}.",
          fail: "Something is used outside its queue: {seen}.",
          hidden: "Something is used outside its queue with another shelf.")),
      Requirement(
        "taken-down", "the note is in the file, on its shelf", .store { try isTakenDown($0) },
        points: 1, needs: "own-queue",
        say: .init(
          pass: "Name, content, view and shelf are right, {seen}.",
          fail: "The note or its shelf is missing, or was reported wrongly: {seen}.",
          hidden: "With another shelf the note is wrong, or was reported wrongly.")),
      Requirement(
        "background", "the note is taken down in the background",
        .budget("the note on the main thread", 0...0), points: 1, needs: "own-queue",
        say: .init(
          pass: "A private context saves it, and main can work meanwhile.",
          fail: "The main thread takes the note down itself, in the view context or in"
            + " `performAndWait`.",
          hidden: "With another shelf the main thread takes the note down itself.")),
    ],
    hints: [
      "Ask for each line: which context has this object, and inside which queue does the line run?"
        + " There are two contexts here, and a block of one may name objects of the other.",
      "Anywhere you may create a context, set its name or its policy, call `perform` and read an"
        + " `objectID`. `init(context:)`, every property of an object, and `hasChanges` need the"
        + " queue. The main thread is always inside the view context's queue.",
      "Lines: main creates the note and names it (2 lines), bg's block reads main's shelf, and main"
        + " reads `bg.hasChanges` and `note.content`. Create the note inside the block, take the"
        + " shelf's name from `note.category`, and return the values that main needs.",
    ],
    nearMisses: [
      .init("MarksAllOfBg", points: 3, misses: ["lines"]),
      .init("MarksTheCreation", points: 5, misses: ["lines"]),
      .init("OnlyTheFirstTwo", points: 5, misses: ["own-queue"]),
      .init("WaitsOnMain", points: 7, misses: ["background"]),
      .init("KnowsTheShelf", points: 5, misses: ["taken-down"]),
      .init("ForgetsTheShelf", points: 5, misses: ["taken-down"]),
    ])

  /// Whether the file has the note with all its values on its shelf, and the report says so.
  private static func isTakenDown(_ run: Observation) throws -> Bool {
    let shelf = "Shelf \(run["shelf"])"
    let rows = try run.stored(
      """
      SELECT A.ZNAME, A.ZCONTENT, A.ZVIEWS, C.ZNAME FROM ZARTICLE A
      LEFT JOIN ZCATEGORY C ON A.ZCATEGORY = C.Z_PK
      """)
    return rows == [["Note", shelf, "1", shelf]]
      && run.text("taken down") == "Note on \(shelf), 1 view, unsaved: true"
  }
}
