import PlaygroundKit

extension ValuesInsteadOfObjects {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      A list shows a `Card` for each article while the same context publishes the next revision. \
      The card in Cards.swift holds the article and promises the compiler that this is safe. It is \
      not: the list is sometimes of two revisions. Write the struct and its initialiser so that a \
      card is a value, and make the cards where the articles may be read. A card keeps `id`, \
      `title` and `revision`, and `cards(in:)` its signature. The list may be made while the \
      articles are published. Checked with 2 articles, in every schedule with at most 1 switch, \
      and with another number that you do not see.
      """,
    minutes: 10, file: "Cards.swift", support: ["CardScreen.swift"],
    checker: .record, shown: .init(["articles": 2], bound: 1),
    hidden: .init(["articles": 3], bound: 0),
    requirements: [
      Requirement(
        "one-moment", "the list has a card for each article, all of one revision",
        .store { $0.isOfOneRevision($0["articles"]) && $0.number("opened") == $0["articles"] },
        points: 2,
        say: .init(
          pass: "The list is of one revision, {seen}.",
          fail: "Cards are missing, or are of two revisions: {seen}.",
          hidden: "With another number of articles the list is wrong.")),
      Requirement(
        "own-queue", "each article is read in its context's queue", .confined, points: 2,
        needs: "one-moment",
        say: .init(
          pass: "The checker has nothing to report, {seen}.",
          fail: "An article is read outside its queue: {seen}.",
          hidden: "With another number of articles one is read outside its queue.")),
      Requirement(
        "sendable", "a card may be sent to another actor", .accepts(sender), points: 1,
        needs: "one-moment",
        say: .init(
          pass: "The compiler lets a card go to another actor.",
          fail: "The compiler does not let a card go to another actor: {seen}.", hidden: "")),
      Requirement(
        "no-promise", "the compiler checks it, and is promised nothing",
        .free(of: ["@unchecked", "unsafe", "assumeIsolated", "unsafeBitCast"]), points: 2,
        needs: "one-moment",
        say: .init(
          pass: "No word tells the compiler to look away.",
          fail: "The code promises the compiler what it does not check ({seen}).", hidden: "")),
      Requirement(
        "fetched", "the list may be made before and after the publication",
        .schedules(atLeast: 20), points: 1, needs: "one-moment",
        say: .init(
          pass: "List and publication work at the same time: {seen}.",
          fail: "Only {seen}: the list waits for the publication, or reads nothing.", hidden: "")),
    ],
    hints: [
      "Run `faultline explore 15 --side wrong` and replay the id beside TORN with --explain. On"
        + " which thread does the list read an article, and what does the other thread do there?",
      "A struct whose properties are all values is Sendable without a word of yours. When are the"
        + " properties read: when the card is made, or when the list shows it?",
      "Replace the article in `Card` by three stored constants, and copy them in `init`. `init`"
        + " reads the article, so it belongs into the block that fetches, with all cards at once.",
    ],
    nearMisses: [
      .init("KeepsTheArticle", points: 0, misses: ["one-moment", "own-queue", "no-promise"]),
      .init("CopiesOnMain", points: 0, misses: ["one-moment", "own-queue"]),
      .init("OneBlockForEach", points: 0, misses: ["one-moment"]),
      .init("ACardWithState", points: 7, misses: ["sendable"]),
      .init("StillPromises", points: 6, misses: ["no-promise"]),
      .init("WaitsForTheEditor", points: 7, misses: ["fetched"]),
    ])

  /// Code that sends a card, made inside a block, to the main actor and to a task.
  private static let sender = """
    import CoreData
    func needsSendable<Value: Sendable>(_ value: Value) {}
    @MainActor func showOnMain(_ card: Card) {}
    func send(_ context: NSManagedObjectContext) async throws {
      for card in try await cards(in: context) {
        needsSendable(card)
        await showOnMain(card)
        Task.detached { _ = card.title }
      }
    }
    """
}
