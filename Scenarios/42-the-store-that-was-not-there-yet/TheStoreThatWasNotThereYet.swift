import CoreData
import PlaygroundKit

/// A container has no store until each description is loaded, and its handler is called for each.
///
///     faultline run 42
///     faultline explore 42
public enum TheStoreThatWasNotThereYet: Scenario {
  public static let card = Card(
    42, "the-store-that-was-not-there-yet", "The store that was not there yet",
    part: .swiftConcurrency,
    claim: "Hand out a container when all its stores are loaded, or throw the error.",
    question: """
      A store type starts a task in its init: try? await loadPersistentStores(). The first view \
      fetches. What does it get? And what do you see on the day when the file cannot be opened?
      """,
    why: """
      No caller awaits a task that init starts. The handler of loadPersistentStores is \
      called once for each description, and a continuation may be resumed once. try? drops the \
      error of a store that did not open.
      """,
    given: """
      an app with two stores, a library of {articles|one article|# articles} and one in memory; it \
      is launched with its library, and again without
      """,
    guide: "08-swift-concurrency.md#42",
    sources: [
      .swiftConcurrency("Carregar persistent stores; Padrão Simples de CoreDataStore"),
      .notes("Example: Observing Changes from a Background Context"),
    ])

  private static let articles = Parameter(
    "articles", 100, in: 1...10_000, "articles in the library", explored: 1)

  private static let noStore = Outcome(
    "NO STORE", .forbidden, "a fetch comes before any store, and stops the process",
    when: .crashed, saying: "has no persistent stores")
  private static let resumedTwice = Outcome(
    "RESUMED TWICE", .forbidden, "the second store's handler resumes the same continuation",
    when: .crashed, saying: "CONTINUATION MISUSE")
  private static let hidden = Outcome(
    "HIDDEN", .forbidden, "a store is missing, the app works on, and no error says so")
  private static let ready = Outcome(
    "READY", .accepted, "the app has all its stores, or says which one is missing")

  public static let parameters = [articles]
  public static let outcomes = [noStore, resumedTwice, hidden, ready]
  public static let sides: [Side] = [
    .wrong("load in a Task", wrong),
    .wrong("one continuation, two stores", name: "twice", oneContinuation),
    .wrong("try? await load", name: "hidden", tryAndForget),
    .right("try await load", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given a library on disk,
  @MainActor public static func given(_ world: World) async throws {
    for _ in 0..<world[articles] { Article(context: world.container.viewContext).name = "Article" }
    try world.container.viewContext.save()
  }

  // and an app that has a second store, in memory, for drafts,
  // anchor: container
  @MainActor private static func container(_ library: URL) -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "App", managedObjectModel: Library.model)
    let drafts = NSPersistentStoreDescription()
    drafts.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: library), drafts]
    return container
  }
  // end: container

  // when its container is handed out while a task loads it,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    try await launch(world) { container in
      world.mark("nothing waits for this task, and nothing looks at its error")
      Task { try? await load(container) }
      return container
    }
  }
  // end: wrong

  // or one continuation is resumed by the handler of each store,
  // anchor: twice
  @MainActor private static func oneContinuation(_ world: World) async throws {
    try await launch(world) { container in
      try await withCheckedThrowingContinuation { (loaded: CheckedContinuation<Void, any Error>) in
        container.loadPersistentStores { _, error in
          world.mark("the handler of the second store resumes the continuation again")
          if let error { loaded.resume(throwing: error) } else { loaded.resume() }
        }
      }
      return container
    }
  }
  // end: twice

  // or the error is dropped,
  // anchor: hidden
  @MainActor private static func tryAndForget(_ world: World) async throws {
    try await launch(world) { container in
      world.mark("without its library the app goes on with what has loaded")
      try? await load(container)
      return container
    }
  }
  // end: hidden

  // or it is handed out when each store has answered, and the error is thrown,
  // anchor: right
  private static func load(_ container: NSPersistentContainer) async throws {
    let stores = container.persistentStoreDescriptions.count
    let answers = AsyncStream<(any Error)?> { answers in
      container.loadPersistentStores { _, error in answers.yield(error) }
    }
    var (answered, failure): (Int, (any Error)?) = (0, nil)
    for await error in answers.prefix(stores) {
      answered += 1
      failure = failure ?? error
    }
    if let failure { throw failure }
    if answered < stores { throw CancellationError() }
  }

  @MainActor private static func right(_ world: World) async throws {
    try await launch(world) { container in
      try await load(container)
      return container
    }
  }
  // end: right

  // then each launch lists the articles and takes a note, or says what is wrong,
  // anchor: launch
  @MainActor private static func launch(
    _ world: World, open: (NSPersistentContainer) async throws -> NSPersistentContainer
  ) async throws {
    let unplugged = URL(fileURLWithPath: "/unplugged/Library.sqlite")
    var (says, notes) = ("nothing", 0)
    for (name, library) in [("with its library", world.storeURL), ("without it", unplugged)] {
      do {
        let screen = try await open(container(library)).viewContext
        let listed = try await screen.perform(schedule: .enqueued) {
          try screen.count(for: Article.fetchRequest())
        }
        world.observe("articles listed \(name)", listed)
        Article(context: screen).name = "Note"
        try screen.save()
        notes += 1
      } catch { says = error.localizedDescription }
    }
    world.observe("the app says", says)
    world.observe("notes saved", notes)
  }
  // end: launch

  // and what it took is in the file, or is gone with the memory.
  public static func observed(_ run: Observation) throws -> Outcome {
    let saved = run.number("notes saved")
    let stored = try run.storedArticles(where: "ZNAME = 'Note'")
    run.observe("notes in the file", stored, of: saved)
    return stored == saved && run.text("the app says") != "nothing" ? ready : hidden
  }
}
