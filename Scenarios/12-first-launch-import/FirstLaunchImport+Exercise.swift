import PlaygroundKit

extension FirstLaunchImport {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      At its first launch an app imports articles on the main thread, and then shows the first of \
      them. Change `launch` and `firstArticles` in Launch.swift: the main thread drops no frame \
      and imports nothing, the first screen is shown before half of the articles is imported (or \
      with all of them, if they do not fill it), and in the end each article is in the file once. \
      `firstArticles` fetches no more than fits, also when the app reloads the list in the end. \
      Begin to import the rest after `show`. Checked with 940 articles and a screen of 20 in every \
      schedule with at most 1 switch, and with other numbers that you do not see, where the screen \
      is not filled.
      """,
    minutes: 20, file: "Launch.swift", support: ["App.swift"],
    shown: .init(["rows": 940, "fits": 20], bound: 1),
    hidden: .init(["rows": 130, "fits": 150], bound: 0),
    requirements: [
      Requirement(
        "first-frame", "the main thread drops no frame", .budget("frames dropped", 0...0),
        points: 2, needs: "rows",
        say: .init(
          pass: "The app draws from its first frame on, in each schedule.",
          fail: "The main thread is busy for longer than a frame ({seen}).",
          hidden: "With other numbers, where the screen is not filled, the launch does not come to"
            + " its end, or the main thread drops frames.")),
      Requirement(
        "early", "the first screen is full before half of the articles is imported",
        .golden("first screen") { run in
          run["rows"] > run["fits"]
            ? "articles 1 to \(run["fits"]), before half of the import"
            : "articles 1 to \(run["rows"]), after half of the import"
        },
        points: 3, needs: "rows",
        say: .init(
          pass: "The list is full while the import goes on, {seen}.",
          fail: "The first screen is another one: {seen}.",
          hidden: "With other numbers the first screen is another one.")),
      Requirement(
        "limit", "no more is fetched than fits on the screen",
        // Twice, as the list is reloaded in the end.
        .store { 1...2 * $0["fits"] ~= $0.number("rows fetched") ?? 0 }, points: 1, needs: "early",
        say: .init(
          pass: "The fetch has a limit, {seen}.", fail: "More is fetched than fits: {seen}.",
          hidden: "With other numbers more is fetched than fits.")),
      Requirement(
        "rows", "in the end each article is in the file once",
        .store { run in
          let sql = "SELECT count(*), count(DISTINCT ZNAME) FROM ZARTICLE"
          return try run.stored(sql).joined().allSatisfy { $0 == String(run["rows"]) }
        }, points: 2, needs: "first-frame",
        say: .init(
          pass: "All articles are there, {seen}.",
          fail: "Articles are missing, or are there twice: {seen}.",
          hidden: "With other numbers articles are missing, or are there twice.")),
      Requirement(
        "off-main", "the main thread imports nothing",
        .golden("saves on the main thread") { _ in "none" }, points: 2, needs: "early",
        say: .init(
          pass: "Another queue does the work.",
          fail: "The main thread itself saves, as often as the number says: {seen}.",
          hidden: "With other numbers the main thread imports.")),
    ],
    hints: [
      "What does the first screen need, and what does it not need? How long may the main thread be"
        + " busy between two frames?",
      "`await bg.perform { … }` imports without blocking main. A first portion, saved, is enough"
        + " for the first screen; the rest can follow in the same context.",
      "Import and save articles 1 to 100 in `bg`, or as many as fit if more do, or all if there are"
        + " fewer; await that, fetch with `fetchLimit = fits`, show, and then import the rest in"
        + " portions of some hundreds.",
    ],
    nearMisses: [
      .init("ImportsElsewhere", points: 4, misses: ["early"]),
      .init("ShowsAnEmptyList", points: 4, misses: ["early"]),
      .init("FetchesEverything", points: 9, misses: ["limit"]),
      .init("ImportsTwice", points: 0, misses: ["rows"]),
      .init("ForgetsTheTail", points: 0, misses: ["rows"]),
      .init("WaitsInPortions", points: 8, misses: ["off-main"]),
      .init(
        "FillsTheScreen", points: 0,
        misses: ["first-frame", "early", "limit", "rows", "off-main"]),
      .init("BlocksForAll", points: 0, misses: ["first-frame", "early", "off-main"]),
    ])
}
