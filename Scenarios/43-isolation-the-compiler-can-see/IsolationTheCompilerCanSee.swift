import CoreData
import PlaygroundKit

/// Functions that say where they run let the compiler refuse callers that are elsewhere.
///
///     faultline run 43
///     faultline explore 43
public enum IsolationTheCompilerCanSee: Scenario {
  public static let card = Card(
    43, "isolation-the-compiler-can-see", "Isolation the compiler can see",
    part: .swiftConcurrency,
    claim: "A context is Sendable, so the compiler checks its use only behind annotations.",
    question: """
      An app in Swift 6 mode makes four mistakes with contexts and objects, and compiles without \
      a warning. Which annotations make the compiler refuse all four?
      """,
    why: """
      The compiler knows which actor a function belongs to, and what is Sendable. It does not know \
      which queue a context has. @MainActor and Sendable tell it what the queue demands.
      """,
    given: "{articles|one article|# articles}; four mistakes, without and with annotations",
    guide: "08-swift-concurrency.md#43",
    sources: [
      .swiftConcurrency(
        "Padrão Simples de CoreDataStore; Isolamento MainActor Padrão; Erros Comuns")
    ], next: next)

  private static let articles = Parameter(
    "articles", 4, in: 1...1_000, "articles in the file", explored: 1)

  private static let unseen = Outcome(
    "UNSEEN", .forbidden, "the compiler accepts a mistake, and only the checker sees it")
  private static let refused = Outcome(
    "REFUSED", .accepted, "the compiler refuses the four mistakes, and the rest breaks no rule")
  private static let notAsked = Outcome(
    "NOT ASKED", .interesting, "there is no compiler here to ask")

  public static let parameters = [articles]
  public static let outcomes = [unseen, refused, notAsked]
  public static let sides: [Side] = [
    .wrong("contexts everywhere", checker: .record, contextsEverywhere),
    .right("behind annotations", checker: .record, behindAnnotations),
    .wrong("a context that left", name: "leak", checker: .record, aContextThatLeft),
  ]
  public static let repeats = 3
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles in the file,
  @MainActor public static func given(_ world: World) async throws {
    for number in 0..<world[articles] {
      Article(context: world.container.viewContext).name = "Article \(number)"
    }
    try world.container.viewContext.save()
  }

  // when functions use the contexts of a container, wherever they run,
  // anchor: wrong
  private static func titles(_ container: NSPersistentContainer) async throws -> [String?] {
    try container.viewContext.fetch(Article.fetchRequest()).map(\.name)
  }

  private static func shown(_ container: NSPersistentContainer) async throws -> [String?] {
    let screen = container.viewContext
    let articles = try await screen.perform { try screen.fetch(Article.fetchRequest()) }
    return articles.map(\.name)
  }

  private static func found(_ bg: NSManagedObjectContext) async throws -> [Article] {
    try await bg.perform { try bg.fetch(Article.fetchRequest()) }
  }

  private static func rename(
    _ article: Article, _ container: NSPersistentContainer
  ) async throws {
    try await container.performBackgroundTask { bg in
      article.name = "New"
      try bg.save()
    }
  }
  // end: wrong

  @MainActor private static func contextsEverywhere(_ world: World) async throws {
    world.observe("they use", "the container")
    try await makeFourMistakes(world)
  }

  private static func makeFourMistakes(_ world: World) async throws {
    world.mark("the compiler has nothing to check here, and the checker has")
    _ = try await titles(world.container)
    _ = try await shown(world.container)
    let bg = world.container.newBackgroundContext()
    let articles = try await found(bg)
    if let article = articles.first { try await rename(article, world.container) }
    withExtendedLifetime(bg) {}
  }

  // or call functions that say where they run and what may leave them,
  // anchor: right
  @MainActor private static func list(_ library: LibraryStore) throws -> [Article] {
    try library.onScreen { try $0.fetch(Article.fetchRequest()) }
  }

  private static func titles(_ library: LibraryStore) async throws -> [String?] {
    try await library.onScreen { try $0.fetch(Article.fetchRequest()).map(\.name) }
  }

  private static func found(_ library: LibraryStore) async throws -> [NSManagedObjectID] {
    try await library.inBackground { try $0.fetch(Article.fetchRequest()).map(\.objectID) }
  }

  private static func rename(_ id: NSManagedObjectID, _ library: LibraryStore) async throws {
    try await library.inBackground { bg in
      (try bg.existingObject(with: id) as? Article)?.name = "New"
      try bg.save()
    }
  }
  // end: right

  @MainActor private static func behindAnnotations(_ world: World) async throws {
    let library = LibraryStore(world.container)
    world.observe("they use", "the library")
    let list = try list(library)
    _ = try await titles(library)
    _ = try await found(library)
    if let article = list.first { try await rename(article.objectID, library) }
  }

  // or take a context out of its block, which a context may leave because it is Sendable,
  // anchor: leak
  private static func count(_ library: LibraryStore) async throws -> Int {
    let context = try await library.inBackground { bg in bg }
    return try context.count(for: Article.fetchRequest())
  }
  // end: leak

  @MainActor private static func aContextThatLeft(_ world: World) async throws {
    world.observe("they use", "a context out of the library")
    world.mark("the context is used outside every block")
    _ = try await count(LibraryStore(world.container))
  }

  // then the compiler has refused the four mistakes, or only the checker sees what is wrong.
  public static func observed(_ run: Observation) throws -> Outcome {
    var verdicts: [(name: String, verdict: SwiftCompiler.Verdict)] = []
    switch run.text("they use") {
    case "the container":
      let verdict = LibraryMistake.verdict(of: "wrong", in: #filePath)
      verdicts = LibraryMistake.all.map { ($0.name, verdict) }
    case "the library":
      verdicts = LibraryMistake.all.map { ($0.name, $0.verdict()) }
    case "a context out of the library":
      verdicts = [("a context out of a block", LibraryMistake.verdict(of: "leak", in: #filePath))]
    default: break
    }
    for (name, verdict) in verdicts {
      let good = verdict.isAccepted ? false : verdict.isRefused ? true : nil
      run.observe(name, verdict.words, good: good, section: "the compiler, of")
    }
    if verdicts.count > 1 {
      run.observe("renamed in the file", try run.storedArticles(where: "ZNAME = 'New'"), of: 1)
    }
    if verdicts.contains(where: { !$0.verdict.isAccepted && !$0.verdict.isRefused }) {
      return notAsked
    }
    return run.violations.isEmpty && verdicts.allSatisfy(\.verdict.isRefused) ? refused : unseen
  }
}
