import PlaygroundKit

extension IsolationTheCompilerCanSee {
  /// What to type next: there is no race to explore.
  static let next = [
    Next("faultline show 43", "the question, the outcomes, the code of every side"),
    Next(
      "faultline explore 43",
      "nothing new: no two threads race, so every schedule ends the same"),
  ]

  /// What a learner annotates, what must hold, and the wrong annotations that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      `LibraryStore` has two functions, and says nothing about where they run. So the compiler \
      accepts four callers that break a rule, and refuses two on the main actor that break none: \
      these two take ids out of a background block, and an id into it. Add annotations to the \
      functions, so that it refuses the four wrong callers: one that works for the screen and is \
      not on the main actor, one that takes objects of the screen elsewhere, one that takes \
      objects out of a background block, and one that takes an object into it. Four callers that \
      keep the rules must compile, and one of them makes its library off the main actor. Promise \
      the compiler nothing that it does not check.
      """,
    minutes: 15, file: "LibraryStore.swift",
    notASide: """
      The exercise of scenario 43 is about what compiles, so it is no side of it: \
      `faultline check 43` compiles its callers.
      """,
    checker: .record, shown: .init(["articles": 2], bound: 1),
    hidden: .init(["articles": 5], bound: 0),
    requirements: refusals + acceptances + [
      Requirement(
        "no-promise", "the compiler is promised nothing",
        .free(of: ["@unchecked", "unsafe", "assumeIsolated", "@preconcurrency", "unsafeBitCast"]),
        points: 1, needs: "screen",
        say: .init(
          pass: "No word tells the compiler to look away.",
          fail: "The code promises the compiler what it does not check ({seen}).", hidden: "")),
      Requirement(
        "background", "background work runs in the background",
        .golden("the block ran on") { _ in "another thread" }, points: 1, needs: "screen",
        say: .init(
          pass: "The block of `inBackground` runs off the main thread.",
          fail: "The block of `inBackground` runs on the wrong thread: {seen}.",
          hidden: "With another number of articles the block runs on the main thread.")),
      Requirement(
        "stored", "what is saved in the background is in the file",
        .store { try $0.storedArticles(where: "ZNAME = 'New'") == 1 }, points: 1,
        needs: "background",
        say: .init(
          pass: "The new name is in the file, {seen}.",
          fail: "The save of `inBackground` does not reach the file: {seen}.",
          hidden: "With another number of articles the save does not reach the file.")),
      Requirement(
        "confined", "each context is used inside its queue", .confined, points: 1,
        needs: "screen",
        say: .init(
          pass: "Each context is used inside its queue, {seen}.",
          fail: "A context is used outside its queue: {seen}.",
          hidden: "With another number of articles a context is used outside its queue.")),
    ],
    hints: [
      "Which of the two functions may only be called on the main thread? The compiler knows that"
        + " thread by the name of an actor.",
      "`inBackground` runs its block on another thread. A parameter says so with `@Sendable`. What"
        + " the block returns comes back from there: a constraint on `Value` says what may.",
      "`@MainActor` before `onScreen`, `Value: Sendable` in `inBackground`, and `@Sendable` behind"
        + " `@escaping`. Leave `Value` of `onScreen` alone: on the main actor, objects are fine.",
    ],
    nearMisses: [
      .init("TheScreenOnly", points: 8, misses: ["out", "in", "ids", "change"]),
      .init("SendsTheBlock", points: 10, misses: ["in"]),
      .init("OnlySendableResults", points: 11, misses: ["list"]),
      .init("AllOnMain", points: 9, misses: ["in", "export"]),
      .init("AssumesMain", points: 4, misses: ["screen", "elsewhere"]),
      .init("Promises", points: 11, misses: ["no-promise"]),
      .init("SavesIntoTheScreen", points: 11, misses: ["stored"]),
      .init("WithoutABlock", points: 11, misses: ["confined"]),
      .init("EverythingOnTheScreen", points: 10, misses: ["background"]),
    ])

  private static let importing = "import CoreData\n"

  /// The wrong callers, with what the compiler must say.
  private static let refusals = [
    ("screen", "main actor-isolated"), ("elsewhere", "Sendable"), ("out", "'Sendable'"),
    ("in", "'article'"),
  ].enumerated().map { number, expected in
    var mistake = LibraryMistake.all[number]
    if expected.0 == "in" { mistake = LibraryMistake(name: mistake.name, code: taking) }
    return Requirement(
      expected.0, "refused: \(mistake.name)",
      .refuses(importing + mistake.code, saying: expected.1), points: 1,
      say: .init(
        pass: "The compiler refuses it: {seen}.",
        fail: "The compiler accepts it, or refuses it for another reason: {seen}.", hidden: ""))
  }

  /// Takes an object into a block, from outside every actor: unlike an object of the main actor, it
  /// may be sent, so `sending` does not keep it out.
  private static let taking = """
    func rename(_ context: NSManagedObjectContext, _ library: LibraryStore) async throws {
      let article = try context.fetch(Article.fetchRequest())[0]
      try await library.inBackground { bg in
        article.name = "New"
        try bg.save()
      }
    }
    """

  /// The right callers, each worth something if a wrong one is refused.
  private static let acceptances = [
    (
      "list", "objects of the screen on the main actor", "screen",
      """
      @MainActor func list(_ library: LibraryStore) throws -> [Article] {
        try library.onScreen { try $0.fetch(Article.fetchRequest()) }
      }
      """
    ),
    (
      "export", "values of the screen, elsewhere", "elsewhere",
      """
      func export(_ container: NSPersistentContainer) async throws -> [String?] {
        let library = LibraryStore(container)
        return try await library.onScreen { try $0.fetch(Article.fetchRequest()).map(\\.name) }
      }
      """
    ),
    (
      "ids", "ids out of a background block", "out",
      """
      @MainActor func ids(_ library: LibraryStore) async throws -> [NSManagedObjectID] {
        try await library.inBackground { try $0.fetch(Article.fetchRequest()).map(\\.objectID) }
      }
      """
    ),
    (
      "change", "an id into a background block", "in",
      """
      @MainActor func change(_ article: Article, _ library: LibraryStore) async throws {
        let id = article.objectID
        try await library.inBackground { bg in
          (try bg.existingObject(with: id) as? Article)?.name = "New"
          try bg.save()
        }
      }
      """
    ),
  ].map { name, what, wrong, code in
    Requirement(
      name, "accepted: \(what)", .accepts(importing + code), points: 1, needs: wrong,
      say: .init(
        pass: "The compiler accepts it.", fail: "The compiler refuses it: {seen}.", hidden: ""))
  }
}
