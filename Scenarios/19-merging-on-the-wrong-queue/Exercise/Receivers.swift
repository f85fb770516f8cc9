import CoreData
import PlaygroundKit

/// An import, and two contexts that must learn of its saves: the screen's and a private one.
enum Receivers {
  /// Runs the import, calls the observer in each save for each of the two contexts, and notes
  /// what they show at the end.
  @MainActor static func importAll(
    _ world: World,
    bring: @escaping @Sendable (_ save: Notification, _ receiver: NSManagedObjectContext) -> Void
  ) async throws {
    let (screen, importer) = (world.container.viewContext, world.container.newBackgroundContext())
    let index = world.container.newBackgroundContext()
    let merges = Merges(world)
    for receiver in [screen, index] {
      try await receiver.perform {
        receiver.retainsRegisteredObjects = true
        for article in try receiver.fetch(Article.fetchRequest()) { _ = article.views }
      }
      merges.count(in: receiver)
    }
    let observer = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: importer, queue: nil
    ) { save in
      for receiver in [screen, index] { bring(save, receiver) }
    }
    for revision in 1...world["rounds"] {
      async let saved: Void = importer.perform {
        for article in try importer.fetch(Article.fetchRequest()) {
          article.views = Int64(revision)
        }
        try importer.save()
      }
      // The screen asks the import what is left.
      _ = importer.performAndWait { importer.updatedObjects.count }
      try await saved
    }
    var stale = 0
    for (name, receiver) in [("on the screen", screen), ("in the index", index)] {
      let current = await receiver.perform(schedule: .enqueued) {
        receiver.registeredObjects.count { ($0 as? Article)?.views == Int64(world["rounds"]) }
      }
      world.observe(name, current, of: world["articles"], section: "articles that are current")
      stale += world["articles"] - current
    }
    NotificationCenter.default.removeObserver(observer)
    merges.stop()
    world.observe("the observer", "returns at once")
    world.observe("stale objects", "\(stale)")
  }

  /// Counts the merges in both contexts.
  @MainActor private final class Merges {
    private var tokens: [any NSObjectProtocol] = []
    private let counted = Counted()
    private let world: World

    init(_ world: World) { self.world = world }

    func count(in receiver: NSManagedObjectContext) {
      let counted = counted
      tokens.append(
        NotificationCenter.default.addObserver(
          forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: receiver,
          queue: nil
        ) { _ in counted.add() })
    }

    func stop() {
      tokens.forEach(NotificationCenter.default.removeObserver)
      world.observe("merges", "\(counted.total)")
    }
  }

  /// A number that two queues count.
  private final class Counted: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0

    var total: Int { lock.withLock { number } }

    func add() { lock.withLock { number += 1 } }
  }
}
