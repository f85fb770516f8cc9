import CoreData
import Foundation
import PlaygroundKit

/// Callers that save contexts from every kind of place, and note what the file has then.
enum Callers {
  /// A save that returns when it is done.
  typealias Save = @Sendable (NSManagedObjectContext) throws -> Void
  /// A save that is awaited.
  typealias AwaitedSave = @Sendable (NSManagedObjectContext) async throws -> Void

  /// Saves the view context from a global queue while main edits, then from main and from a task;
  /// then a private context from a block of its own, a global queue, a task, and from main; then
  /// twice in vain.
  @MainActor static func callAll(
    _ world: World, _ save: @escaping Save, _ awaitedSave: @escaping AwaitedSave
  ) async throws {
    let (screen, bg) = (world.container.viewContext, world.container.newBackgroundContext())
    let shown = try screen.fetch(Article.fetchRequest())
    var halves = 0
    for article in shown {
      let autosaves = onGlobalQueue {
        try? save(screen)
        return (try? world.storedArticles(where: "ZNAME <> \(shelf)")) ?? 1
      }
      edit(article, to: 2)
      for await half in autosaves { halves += half }
    }
    try save(screen)
    world.observe("stored by half", halves, good: halves == 0)
    world.observe("threads of tasks held by a save", 0)

    Category(context: screen).name = "new"
    var saved = [await fromTask(screen, awaitedSave, world)]
    let first = await bg.perform { () -> Int in
      Category(context: bg).name = "new"
      try? save(bg)
      return newShelves(world)
    }
    saved.append(first)
    await bg.perform { Category(context: bg).name = "new" }
    let second = onGlobalQueue {
      try? save(bg)
      return newShelves(world)
    }
    for await shelves in second { saved.append(shelves) }
    await bg.perform { Category(context: bg).name = "new" }
    saved.append(await fromTask(bg, awaitedSave, world))
    await bg.perform { Category(context: bg).name = "new" }
    saved.append(fromMain(bg, save, world))
    world.observe("saved on return", saved.map { "\($0)" }.joined(separator: ", "))

    // Each time the private context reads the first article; main's save makes its version old.
    var told: [String] = []
    let calls: [@Sendable () async throws -> Void] = [
      { try await awaitedSave(bg) }, { try save(bg) },
    ]
    for call in calls {
      await bg.perform {
        bg.reset()
        (try? bg.fetch(Article.fetchRequest()))?.first?.name = "draft"
      }
      for article in shown { article.content = "edit \(told.count + 1)" }
      try save(screen)
      told.append(await errorOf(call))
    }
    world.observe("the autosave", "calls saveSafely")
    world.observe("saves that failed", 0)
    world.observe("told", told.joined(separator: ", "))
  }

  /// Saves a private context from the main thread, and counts the new shelves then.
  @MainActor private static func fromMain(
    _ bg: NSManagedObjectContext, _ save: Save, _ world: World
  ) -> Int {
    try? save(bg)
    return newShelves(world)
  }

  /// Awaits the save of a context, not on the main actor, and counts the new shelves then.
  ///
  /// It notes whether the save holds a thread of tasks: a block of `perform` belongs to no task.
  private static func fromTask(
    _ context: NSManagedObjectContext, _ save: AwaitedSave, _ world: World
  ) async -> Int {
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextWillSave, object: context, queue: nil
    ) { _ in
      guard !Thread.isMainThread, withUnsafeCurrentTask(body: { $0 != nil }) else { return }
      world.observe("threads of tasks held by a save", 1, good: false)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try? await save(context)
    return newShelves(world)
  }

  /// Runs a closure on a global queue, and sends what it returns.
  private static func onGlobalQueue(_ work: @escaping @Sendable () -> Int) -> AsyncStream<Int> {
    let (stream, ended) = AsyncStream<Int>.makeStream()
    DispatchQueue.global().async {
      ended.yield(work())
      ended.finish()
    }
    return stream
  }

  /// How many new shelves the file has at this moment.
  private static func newShelves(_ world: World) -> Int {
    let rows = try? world.stored("SELECT count(*) FROM ZCATEGORY WHERE ZNAME = 'new'")
    return (rows ?? []).joined().compactMap { Int($0) }.first ?? 0
  }

  /// The code of the error that a save throws.
  private static func errorOf(_ save: @Sendable () async throws -> Void) async -> String {
    do {
      try await save()
      return "nothing"
    } catch { return "\((error as NSError).code)" }
  }

  /// An edit changes an article and its shelf.
  private static func edit(_ article: Article, to revision: Int) {
    article.name = "revision \(revision)"
    article.category?.name = "revision \(revision)"
  }

  private static let shelf = "(SELECT C.ZNAME FROM ZCATEGORY C WHERE C.Z_PK = ZARTICLE.ZCATEGORY)"
}
