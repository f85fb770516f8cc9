import PlaygroundKit

extension OneFaultAtATime {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A report names each category, the number of its articles and the one that was read most. It \
      takes a statement for each category and for each article. Change `report` in Report.swift so \
      that it takes at most 3 statements. The context has changes that are not saved: a category \
      has a new name, and two are new, one of them without an article. They belong in the report, \
      and must not be saved. Checked with 30 articles in 10 categories, and with other numbers \
      that you do not see.
      """,
    minutes: 15, file: "Report.swift", support: ["Desk.swift"],
    given: """
      {articles|one article|# articles}, {each} in each category; unsaved are a new name and two \
      categories, with one article and with none
      """,
    notASide: """
      The exercise of scenario 40 writes another report than the scenario, so it is no side of it: \
      `faultline check 40` runs it.
      """,
    shown: .init(["articles": 30, "each": 3], bound: 1),
    hidden: .init(["articles": 65, "each": 5], bound: 0),
    requirements: [
      Requirement(
        "report", "the report has the line of each category in the file",
        .golden("lines of the file", lines), points: 3, needs: "statements",
        say: .init(
          pass: "Each category has its line, in the order of the names.",
          fail: "Lines are missing or wrong: {seen}.",
          hidden: "With other numbers lines are missing or wrong.")),
      Requirement(
        "statements", "at most 3 statements, however many rows there are",
        .budget("statements", 2...4), points: 3, needs: "report",
        say: .init(
          pass: "Few, however many rows there are: {seen}, one of them the desk's.",
          fail: "There are more than 3, or none ({seen}, one of them the desk's).",
          hidden: "With other numbers there are more than 3 statements.")),
      Requirement(
        "unsaved", "the report has the categories that are not saved",
        .golden("unsaved lines") { _ in
          "Blank: 0, most read none; Drafts: 1, most read Draft 1"
        }, points: 1,
        needs: "statements",
        say: .init(
          pass: "Both new categories have their lines.",
          fail: "A category that is not saved has no line, or a wrong one: {seen}.",
          hidden: "With other numbers a new category has no line, or a wrong one.")),
      Requirement(
        "kept", "the report saves nothing",
        .store { run in try run.storedRows(of: "Article") == run["articles"] }, points: 1,
        needs: "statements",
        say: .init(
          pass: "The file is as it was.", fail: "The report has saved: {seen}.",
          hidden: "With other numbers the report has saved.")),
    ],
    hints: [
      "The fetch loads the rows of the categories. Which two kinds of rows does the loop ask for"
        + " one at a time?",
      "`relationshipKeyPathsForPrefetching` names what a fetch loads beside its own rows. A"
        + " dictionary result would not have the unsaved categories: it shows the file only.",
      "Add `request.relationshipKeyPathsForPrefetching = [\"articles\"]` before the fetch. The"
        + " members of every category, and their rows, then come with one more statement.",
    ],
    nearMisses: [
      .init("NoFaults", points: 0, misses: ["statements"]),
      .init("BatchSize", points: 0, misses: ["statements"]),
      .init("FetchesArticlesFirst", points: 0, misses: ["statements"]),
      .init("AsksForValues", points: 0, misses: ["report", "unsaved"]),
      .init("SavesFirst", points: 0, misses: ["statements", "unsaved", "kept"]),
      .init("SkipsEmpty", points: 7, misses: ["unsaved"]),
      .init("FirstTen", points: 0, misses: ["report", "unsaved"]),
    ])

  /// The lines of the categories in the file, in the order of their names.
  @Sendable private static func lines(_ run: Observation) throws -> String {
    let (articles, each) = (run["articles"], run["each"])
    let numbers = (0..<(articles + each - 1) / each).sorted { "\($0)" < "\($1)" }
    return numbers.map { number in
      let last = min(articles, (number + 1) * each) - 1
      let name = "Category \(number)\(number == 0 ? ", renamed" : "")"
      return "\(name): \(last - number * each + 1), most read Article \(last)"
    }.joined(separator: "; ")
  }
}
