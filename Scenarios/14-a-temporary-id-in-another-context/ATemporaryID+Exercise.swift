import PlaygroundKit

extension ATemporaryID {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A form publishes a new item and passes its id on, and then neither the screen nor the \
      indexer finds the item. Change `publish` in Publish.swift so that every context finds the \
      item by the id that `publish` returns. The form's context saves to the store, or into a \
      parent, which may have a parent too. Checked with a form that has no parent, in every \
      schedule with at most 2 switches, and with a form that has parents.
      """,
    minutes: 20, file: "Publish.swift", support: ["Flow.swift"],
    given: "a form that publishes one item",
    parameters: [
      Parameter("parents", 0, in: 0...3, "contexts between a form and the store")
    ],
    checker: .record, shown: .init(["items": 1]),
    hidden: .init(["items": 1, "parents": 3], bound: 1),
    requirements: [
      Requirement(
        "found", "the screen and the indexer find the item",
        .store { $0.text("names") == "New item, New item" }, points: 3, data: .shown,
        say: .init(
          pass: "Both find it, {seen}.",
          fail: "The item is not found: {seen}.", hidden: "")),
      Requirement(
        "with-parents", "the same for a form that has parents",
        .store { $0.text("names") == "New item, New item" }, points: 3, data: .hidden,
        needs: "found",
        say: .init(
          pass: "Both find it if the form has parents, too.", fail: "",
          hidden: "The item is not found if the form has parents: where is its row then?")),
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 1, needs: "found",
        say: .init(
          pass: "Each context is used inside its queue, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "A parent is used outside its queue.")),
      .noSleep(points: 1, needs: "found"),
    ],
    hints: [
      "Print `id.isTemporaryID` before and after the save. Which contexts have saved when"
        + " `publish` returns, and which of these saves has written a row?",
      "A save into the store gives the item its permanent id; read `objectID` after it. In a"
        + " child the item keeps its temporary id, unless `obtainPermanentIDs(for:)` ran before.",
      "In one block: insert, `try form.obtainPermanentIDs(for: [item])`, `try form.save()`, return"
        + " `item.objectID`. Then go up: `var next = form.parent`, save each in its own `perform`,"
        + " and continue with its parent.",
    ],
    nearMisses: [
      .init("SavesTheFormOnly", points: 5, misses: ["with-parents"]),
      .init("SavesTwoLevels", points: 5, misses: ["with-parents"]),
      .init("KeepsTheChildsId", points: 5, misses: ["with-parents"]),
      .init("ReadsTheIdTooEarly", points: 0, misses: ["found", "with-parents"]),
      .init("TrustsThePermanentId", points: 0, misses: ["found", "with-parents"]),
      .init("WaitsForTheSave", points: 0, misses: ["found", "with-parents", "no-sleep"]),
      .init("SavesOffTheQueue", points: 7, misses: ["confined"]),
    ])
}
