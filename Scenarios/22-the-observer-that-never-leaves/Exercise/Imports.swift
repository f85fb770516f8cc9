import CoreData
import PlaygroundKit

/// Imports, one after another, and the list on the screen that shows what they save.
@MainActor final class Imports {
  private let world: World
  private var stale = 0

  init(_ world: World) { self.world = world }

  /// Runs the imports in one context while a list holds every article, and notes what the list saw.
  func run(
    _ importOnce:
      @MainActor (
        _ revision: Int, _ context: NSManagedObjectContext, _ screen: NSManagedObjectContext,
        _ center: Center
      ) async throws -> Void
  ) async throws {
    let (screen, context) = (world.container.viewContext, world.container.newBackgroundContext())
    let center = Center()
    let rows = try screen.fetch(Article.fetchRequest())
    for row in rows { _ = row.views }
    let merges = Count()
    let list = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: screen,
      queue: nil
    ) { _ in merges.add() }
    for revision in 1...world["imports"] {
      try await importOnce(revision, context, screen, center)
      await screen.perform(schedule: .enqueued) {}
      stale += rows.count { $0.views != revision }
    }
    NotificationCenter.default.removeObserver(list)
    world.observe("merges", "\(merges.value)")
    world.observe("stale rows seen", "\(stale)")
    world.observe("observers at the end", center.observers)
    world.observe("of all saves", merges.value)
    world.observe("finished imports in memory", center.observers)
    center.removeAll()
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

  /// Removes the observer that belongs to a token, and does nothing with anything else.
  func removeObserver(_ token: Any) {
    NotificationCenter.default.removeObserver(token)
    tokens.removeAll { $0 === token as AnyObject }
  }

  /// Removes every observer, when the program ends.
  fileprivate func removeAll() { for token in tokens { removeObserver(token) } }
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
