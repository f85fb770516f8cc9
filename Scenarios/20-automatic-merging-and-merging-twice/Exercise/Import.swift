import CoreData
import PlaygroundKit

/// An import in a context of its own, and the list on the screen that shows what it saves.
@MainActor final class Import {
  private let world: World
  private let merges = Count()
  private var stale = 0

  init(_ world: World) { self.world = world }

  /// Runs the import while a list holds every article, and notes what the list saw.
  func run(
    _ startMerging: (
      _ importer: NSManagedObjectContext, _ screen: NSManagedObjectContext, _ center: Center
    ) -> (any NSObjectProtocol)?
  ) async throws {
    let (screen, importer) = (world.container.viewContext, world.container.newBackgroundContext())
    let rows = try screen.fetch(Article.fetchRequest())
    for row in rows { _ = row.views }
    let list = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: screen,
      queue: nil
    ) { [merges] _ in merges.add() }
    let center = Center()
    let observer = startMerging(importer, screen, center)
    for revision in 1...world["saves"] {
      try await save(revision, in: importer, shownBy: screen)
      stale += rows.count { $0.views != revision }
    }
    let counted = merges.value
    observer.map(center.removeObserver)
    // One more save, with the flag off: nothing merges it, unless an observer is left.
    screen.automaticallyMergesChangesFromParent = false
    try await save(0, in: importer, shownBy: screen)
    let left = max(center.observers, merges.value > counted ? 1 : 0)
    NotificationCenter.default.removeObserver(list)
    world.observe(
      "after the saves",
      "merges: \(counted), stale rows: \(stale), observers left: \(left)")
    world.observe("merges into the screen", counted)
    world.observe("rows current at the end", stale == 0 ? world["articles"] : 0)
  }

  /// Saves a revision of every article, and lets the main thread do what that has left to it.
  private func save(
    _ revision: Int, in importer: NSManagedObjectContext, shownBy screen: NSManagedObjectContext
  ) async throws {
    try await importer.perform {
      for article in try importer.fetch(Article.fetchRequest()) {
        article.views = Int64(revision)
      }
      try importer.save()
    }
    await screen.perform(schedule: .enqueued) {}
  }
}

/// The notification center, which also counts the observers that were added and not removed.
@MainActor final class Center {
  private var tokens: [any NSObjectProtocol] = []

  /// How many observers there are.
  var observers: Int { tokens.count }

  /// Adds an observer, and returns the token with which it is removed.
  func addObserver(
    forName name: Notification.Name, object: Any?, queue: OperationQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol {
    let token = NotificationCenter.default.addObserver(
      forName: name, object: object, queue: queue, using: block)
    tokens.append(token)
    return token
  }

  /// Removes the observer that belongs to a token.
  func removeObserver(_ token: any NSObjectProtocol) {
    NotificationCenter.default.removeObserver(token)
    tokens.removeAll { $0 === token }
  }
}

/// A number that any thread may count up.
private final class Count: Sendable {
  private let lock = NSLock()
  /// Guarded by `lock`.
  nonisolated(unsafe) private var number = 0

  /// The number.
  var value: Int { lock.withLock { number } }

  /// Adds one.
  func add() { lock.withLock { number += 1 } }
}
