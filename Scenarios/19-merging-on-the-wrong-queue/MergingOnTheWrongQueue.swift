import CoreData
import PlaygroundKit

/// A did-save notification arrives on the saver's queue; a merge belongs on the receiver's.
///
///     faultline run 19
///     faultline explore 19
public enum MergingOnTheWrongQueue: Scenario {
  public static let card = Card(
    19, "merging-on-the-wrong-queue", "Merging on the wrong queue", part: .merging,
    claim: "Merge a save inside perform of the context that receives it, whatever its queue is.",
    question: """
      An import saves. The screen's context and a private context for the search index must learn \
      of it. On which queue does the observer run, and on which may it merge?
      """,
    why: """
      A notification is posted on the saving thread, inside save(). A merge changes objects of the \
      receiving context, so it belongs on that context's queue: main for the screen, but not for \
      the index. An observer that waits for that queue makes the save wait too.
      """,
    given: """
      {articles|one article|# articles} in two contexts, one main-queue and one private; an import \
      saves {rounds|once|# times} while main asks it what is left
      """,
    guide: "04-merging.md#19",
    sources: [
      .operation("Saving on a private queue"), .rules("Merging Changes Between Contexts"),
      .notes("Reconciling Changes Between Contexts"),
    ])

  private static let articles = Parameter(
    "articles", 20, in: 1...10_000, "articles that both contexts hold", explored: 1)
  private static let rounds = Parameter("rounds", 20, in: 1...1_000, "saves to merge", explored: 1)

  private static let offQueue = Outcome(
    "OFF QUEUE", .forbidden, "the checker reported a merge outside the receiving context's queue")
  private static let deadlock = Outcome(
    "DEADLOCK", .forbidden, "main waits for the import, whose save waits for main", when: .deadlock)
  private static let stale = Outcome("STALE", .forbidden, "a context shows an old value")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "both contexts are current, because main did not wait at that moment")
  private static let merged = Outcome(
    "MERGED", .accepted, "both contexts are current, and each merge ran on its context's queue")

  public static let parameters = [articles, rounds]
  public static let outcomes = [offQueue, deadlock, stale, lucky, merged]
  public static let sides: [Side] = [
    .wrong("merge in the callback", checker: .record, mergeInTheCallback),
    .wrong("hop to main", name: "main", checker: .record, hopToMain),
    .wrong("performAndWait", name: "wait", checker: .record, waitForTheReceiver),
    .right("perform", checker: .record, right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles of revision 0,
  @MainActor public static func given(_ world: World) async throws {
    let screen = world.container.viewContext
    for _ in 0..<world[articles] { Article(context: screen).name = "An article" }
    try screen.save()
  }

  // when an observer merges each save of an import where it is called,
  // anchor: wrong
  @MainActor private static func mergeInTheCallback(_ world: World) async throws {
    try await importWhileShown(world) { save, receiver in
      world.mark("this runs on the importer's queue, inside its save")
      receiver.mergeChanges(fromContextDidSave: save)
    }
  }
  // end: wrong

  // or hops to the main thread, which is right for one of the two contexts,
  // anchor: main
  @MainActor private static func hopToMain(_ world: World) async throws {
    try await importWhileShown(world) { save, receiver in
      nonisolated(unsafe) let ids = save
      DispatchQueue.main.async {
        world.mark("main is the screen's queue, and not that of the index")
        receiver.mergeChanges(fromContextDidSave: ids)
      }
    }
  }
  // end: main

  // or waits for the queue of the receiving context,
  // anchor: wait
  @MainActor private static func waitForTheReceiver(_ world: World) async throws {
    try await importWhileShown(world, waits: true) { save, receiver in
      nonisolated(unsafe) let ids = save
      world.mark("the save waits for this queue, and whatever waits for the importer does too")
      receiver.performAndWait { receiver.mergeChanges(fromContextDidSave: ids) }
    }
  }
  // end: wait

  // or enqueues the merge there and returns,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await importWhileShown(world) { save, receiver in
      nonisolated(unsafe) let ids = save
      receiver.perform { receiver.mergeChanges(fromContextDidSave: ids) }
    }
  }
  // end: right

  // while main asks the import what is left; the screen and an index hold the articles,
  @MainActor private static func importWhileShown(
    _ world: World, waits: Bool = false,
    merge: @escaping @Sendable (Notification, NSManagedObjectContext) -> Void
  ) async throws {
    let (screen, importer) = (world.container.viewContext, world.container.newBackgroundContext())
    let index = world.container.newBackgroundContext()
    (importer.name, index.name) = ("import", "index")
    for receiver in [screen, index] { try await receiver.perform { try receiver.hold() } }
    // anchor: import
    let observer = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: importer, queue: nil
    ) { save in
      for receiver in [screen, index] { merge(save, receiver) }
    }
    for revision in 1...world[rounds] {
      async let saved: Void = importer.perform {
        for article in try importer.articles() { article.views = Int64(revision) }
        try importer.save()
      }
      _ = importer.performAndWait { importer.updatedObjects.count }
      try await saved
    }
    // end: import
    NotificationCenter.default.removeObserver(observer)
    world.observe("the observer", waits ? "waits for the queue" : "returns at once")
    for (name, receiver) in [("on the screen", screen), ("in the index", index)] {
      let current = await receiver.perform(schedule: .enqueued) {
        receiver.heldArticles.count { $0.views == world[rounds] }
      }
      world.observe(name, current, of: world[articles], section: "articles that are current")
    }
  }

  // then both contexts are current, unless the checker or a deadlock says more.
  public static func observed(_ run: Observation) throws -> Outcome {
    if let report = run.violations.first {
      run.observe("first report", report.operation)
      return offQueue
    }
    let current = ["on the screen", "in the index"].map(run.number)
    if current != [run[articles], run[articles]] { return stale }
    return run.text("the observer") == "returns at once" ? merged : lucky
  }
}
