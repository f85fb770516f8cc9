import PlaygroundKit

extension ListAndDeletedRow {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      ArticleList.swift shows articles through a fetched results controller, while a clean-up in \
      the background deletes every other one. Three things are wrong with it. Change it so that in \
      every schedule no row is empty, the table's rows add up in each update, and in the end the \
      list shows what the file has. The table counts as a table of UIKit does; it and the code \
      that shows the rows stay as they are. Checked with 4 articles, in every schedule with at \
      most 2 switches, and with another number of articles that you do not see.
      """,
    minutes: 10, file: "ArticleList.swift",
    support: ["Harness.swift", "../../Shared/Table.swift"],
    shown: .init(["articles": 4]), hidden: .init(["articles": 7], bound: 1),
    requirements: [
      Requirement(
        "up-to-date", "in the end the list shows what the file has",
        .store { try $0.number("rows in the list") == $0.storedRows(of: "Article") },
        points: 3, data: .shown,
        say: .init(
          pass: "The list hears of the clean-up, {seen}.",
          fail: "The list still has rows that the file has not: {seen}.", hidden: "")),
      Requirement(
        "no-hole", "no row is ever empty", .budget("rows that were empty", 0...0), points: 3,
        data: .shown,
        needs: "up-to-date",
        say: .init(
          pass: "Each row shows its article, {seen}.",
          fail: "A row was empty, as its article was gone when the row was shown: {seen}.",
          hidden: "")),
      Requirement(
        "adds-up", "the rows add up in each update", .budget("invalid updates", 0...0), points: 3,
        data: .shown, needs: "up-to-date",
        say: .init(
          pass: "Rows before, plus those told, are the rows after, {seen}.",
          fail: "The table has other rows than it was told of; UIKit would stop the app: {seen}.",
          hidden: "")),
      Requirement(
        "other-numbers", "the same with other numbers", .never([]), points: 1, data: .hidden,
        needs: "no-hole",
        say: .init(
          pass: "The same holds for numbers you do not see.", fail: "",
          hidden: "Some of it does not hold with numbers you do not see.")),
    ],
    hints: [
      "Replay the schedule that check names. Does the list's context hear of the save? When does it"
        + " read an article, and which reads come after the save?",
      "A context merges what others save if `automaticallyMergesChangesFromParent` is true. But a"
        + " merge comes later than the save. A row that was read before needs no store.",
      "Set `request.returnsObjectsAsFaults = false` instead of a batch size. Call `beginUpdates` in"
        + " `controllerWillChangeContent` and `endUpdates` in `controllerDidChangeContent`.",
    ],
    nearMisses: [
      .init("ReadsLate", points: 6, misses: ["no-hole", "other-numbers"]),
      .init("HidesTheHole", points: 6, misses: ["no-hole", "other-numbers"]),
      .init("TellsSingly", points: 6, misses: ["adds-up", "other-numbers"]),
      .init("HearsNothing", points: 0, misses: ["up-to-date", "other-numbers"]),
    ])
}
