import PlaygroundKit

extension ThreeStacksOneImport {
  /// What a learner chooses, what must hold, and the wrong choices that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Three apps do everything in the view context. Choose a stack for each of them in \
      Stacks.swift: the contexts, their parents, and the order of the saves. The reader's list \
      is told of each imported article, and never waits for it in a fetch. The form lists what \
      is unsaved on the screen, and keeps its own note apart until its save. The drawing app \
      shows each stroke before it is saved. In none of them is main busy or blocked for longer \
      than a frame, and everything saved is in the file. Checked with 900 articles and strokes \
      in the schedules without a switch, and with another number that you do not see.
      """,
    minutes: 20, file: "Stacks.swift", support: ["Apps.swift"],
    notASide: "Your file has the stacks of three apps, and the scenario imports only.",
    shown: .init(["rows": 900], bound: 0),
    hidden: .init(["rows": 1_010], bound: 0),
    requirements: [
      Requirement(
        "no-stall", "main is never busy or blocked for longer than a frame",
        .budget("longest stall", 0...0), points: 3, needs: "rows",
        say: .init(
          pass: "Main draws each frame in time, in each schedule.",
          fail: "In one of the apps main is busy or blocked for longer than a frame ({seen} ns).",
          hidden: "With another number main is busy or blocked for longer than a frame.")),
      Requirement(
        "rows", "everything saved is in the file", .store(isComplete), points: 1,
        needs: "no-stall",
        say: .init(
          pass: "Articles, strokes and notes are there, {seen}.",
          fail: "Articles, strokes or notes are not in the file: {seen}.",
          hidden: "With another number something is not in the file.")),
      Requirement(
        "reader",
        "the reader's list hears each article and fetches from the file; main writes none",
        .golden("the reader") { _ in
          "its list is told of each article and fetches from the file, main writes 0 objects"
        }, points: 2,
        say: .init(
          pass: "Its list hears of the import, which main does not do.",
          fail: "The reader: {seen}.", hidden: "With another number the reader is not right.")),
      Requirement(
        "form", "the form lists the screen's unsaved notes, and keeps its own apart",
        .golden("the form") { _ in
          "lists 1 unsaved note(s), leaves 1 unsaved on the screen while it is open"
        }, points: 2,
        say: .init(
          pass: "It sees the screen's unsaved notes, and its own is apart.",
          fail: "The form: {seen}.", hidden: "With another number the form is not right.")),
      Requirement(
        "drawing", "each stroke is on the screen before its save, and main writes none",
        .golden("the drawing app") { _ in
          "shows each stroke before its save, main writes 0 objects"
        }, points: 2,
        say: .init(
          pass: "Strokes are on the screen at once, and main writes none.",
          fail: "The drawing app: {seen}.",
          hidden: "With another number the drawing app is not right.")),
    ],
    hints: [
      "For each app ask: must its work see what is unsaved on the screen? Does main fetch"
        + " while something is written? Which thread's save reaches the file?",
      "Each of the three stacks of scenario 33 is right for one of the apps. In the drawing app"
        + " main itself makes the changes, and hands them to a context that writes.",
      "Reader: a context on the coordinator, and a view context that merges. Form: a main-queue"
        + " child of the view context, then both saves. Drawing: a main context whose parent is a"
        + " background context; save it, then its parent.",
    ],
    nearMisses: [
      .init("ChildrenEverywhere", points: 2, misses: ["no-stall", "reader", "drawing"]),
      .init("SideBySideEverywhere", points: 6, misses: ["form", "drawing"]),
      .init("ImportsAboveAWriter", points: 8, misses: ["reader"]),
      .init("ForgetsToMerge", points: 8, misses: ["reader"]),
      .init("SavesOneLevel", points: 6, misses: ["rows"]),
      .init("FormOnTheCoordinator", points: 8, misses: ["form"]),
      .init("DrawsInTheViewContext", points: 4, misses: ["no-stall", "drawing"]),
    ])

  /// Whether the file has each article, each stroke, and the kept note.
  private static func isComplete(_ run: Observation) throws -> Bool {
    let kept = try run.stored("SELECT count(*) FROM ZKEYWORD WHERE ZNAME = 'kept'")
    return try run.storedRows(of: "Article") == run["rows"]
      && run.storedRows(of: "Category") == run["rows"] && kept == [["1"]]
  }
}
