import CoreData
import PlaygroundKit

/// A context hears only of saves that go through its own coordinator.
///
///     faultline run 21
///     faultline explore 21
public enum TwoContainers: Scenario {
  public static let card = Card(
    21, "two-containers-by-accident", "Two containers by accident", part: .merging,
    claim: "Load one container for a file, and make every context from that one.",
    question: "Each import builds a container on the app's file. What does the screen show?",
    why: """
      A container has a coordinator of its own, and with it a row cache of its own. The screen's \
      context merges what is saved through its own coordinator, and hears of no other.
      """,
    given: "an article on a merging screen; {imports|one import adds|# imports add} views to it",
    guide: "04-merging.md#21",
    sources: [.notes("Example: Observing Changes from a Background Context")])

  private static let imports = Parameter("imports", 5, in: 1...50, "imports to run", explored: 1)

  private static let stale = Outcome("STALE", .forbidden, "the screen lacks what the file has")
  private static let stopped = Outcome(
    "STOPPED", .forbidden, "no store was loaded, so the save stops the process", when: .crashed,
    saying: "has no persistent stores")
  private static let lost = Outcome("LOST", .forbidden, "some import is not in the file")
  private static let shown = Outcome("SHOWN", .accepted, "the screen shows every import")

  public static let parameters = [imports]
  public static let outcomes = [stale, stopped, lost, shown]
  public static let sides: [Side] = [
    .wrong("a container per import", wrong),
    .wrong("as in the notes: nothing loaded", name: "unloaded", unloaded),
    .column("observer", "a container per import, and an observer", observer),
    .right("one container", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given an article without views,
  @MainActor public static func given(_ world: World) async throws {
    Article(context: world.container.viewContext).name = "News"
    try world.container.viewContext.save()
  }

  // which the screen shows while imports, each through a container, add one to its views,
  // anchor: imports
  @MainActor private static func importAll(
    _ world: World, through container: @MainActor () throws -> NSPersistentContainer
  ) async throws {
    let screen = world.container.viewContext
    screen.automaticallyMergesChangesFromParent = true
    let article = try screen.fetch(Article.fetchRequest())[0]
    _ = article.name
    var containers: Set = [world.container]
    for _ in 1...world[imports] {
      let container = try container()
      containers.insert(container)
      let context = container.newBackgroundContext()
      try await context.perform {
        try context.fetch(Article.fetchRequest())[0].views += 1
        try context.save()
      }
    }
    world.observe("coordinators", containers.count, good: containers.count == 1)
    try await look(at: article, world)
  }
  // end: imports

  // when each import builds a container of its own on the same file,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    try await importAll(world) {
      world.mark("this container has a coordinator of its own, unknown to the screen")
      return try container(on: world.storeURL)
    }
  }

  @MainActor private static func container(on file: URL) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }
  // end: wrong

  // or does so and forgets to load it,
  // anchor: unloaded
  @MainActor private static func unloaded(_ world: World) async throws {
    let context = NSPersistentContainer(name: "Library", managedObjectModel: Library.model)
      .newBackgroundContext()
    await context.perform {
      Article(context: context).name = "More news"
      world.mark("nothing has loaded a store into this container, and try? catches no exception")
      try? context.save()
    }
  }
  // end: unloaded

  // or an observer hands the saves of the other coordinators to the screen's context,
  // anchor: observer
  @MainActor private static func observer(_ world: World) async throws {
    let screen = world.container.viewContext
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { note in
      nonisolated(unsafe) let save = note
      screen.perform { screen.mergeChanges(fromContextDidSave: save) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try await wrong(world)
  }
  // end: observer

  // or every import takes its context from the app's one container,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await importAll(world) { world.container }
  }
  // end: right

  // then the screen shows the imports or not, and its own next save succeeds or is refused,
  @MainActor private static func look(at article: Article, _ world: World) async throws {
    let screen = world.container.viewContext
    await screen.perform(schedule: .enqueued) {}
    func note(_ moment: String, _ article: Article) {
      world.observe(moment, Int(article.views), of: world[imports], section: "views on the screen")
    }
    note("when the imports are done", article)
    _ = try screen.fetch(Article.fetchRequest())
    note("after another fetch", article)
    let launched = try container(on: world.storeURL)
    note("after the next launch", try launched.viewContext.fetch(Article.fetchRequest())[0])
    article.name = "Old news"
    var answer = "succeeds"
    do { try screen.save() } catch { answer = "refused, \((error as NSError).code)" }
    world.observe("the screen's next save", answer, good: answer == "succeeds")
  }

  // as the file and the screen say.
  public static func observed(_ run: Observation) throws -> Outcome {
    let stored = try run.stored("SELECT ZVIEWS FROM ZARTICLE").joined().first.flatMap { Int($0) }
    run.observe("views in the file", stored ?? 0, of: run[imports])
    guard stored == run[imports] else { return lost }
    // (In the exercise the screen saves what it shows, so that the file says it all.)
    return [nil, stored].contains(run.number("when the imports are done")) ? shown : stale
  }
}
