import CoreData
import PlaygroundKit

/// Imports run one after another, in one context, while a list on the screen holds every article.
///
/// `Scenarios/22-the-observer-that-never-leaves/Exercise/Imports.swift` runs them.
@MainActor func yours(_ world: World) async throws {
  try await Imports(world).run { revision, context, screen, center in
    try await importOnce(revision, in: context, shownBy: screen, center)
  }
}

/// Imports a revision of every article, and merges the save into the screen.
///
/// As in `IgnoresLaterSaves`, and `center` does not hear of the observers.
///
/// `center` adds and removes observers as `NotificationCenter.default` does, and counts them.
@MainActor func importOnce(
  _ revision: Int, in context: NSManagedObjectContext, shownBy screen: NSManagedObjectContext,
  _ center: Center
) async throws {
  let isNew = Flag()
  _ = NotificationCenter.default.addObserver(
    forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: context, queue: nil
  ) { save in
    guard isNew.take() else { return }
    nonisolated(unsafe) let ids = save
    screen.perform { screen.mergeChanges(fromContextDidSave: ids) }
  }
  try await context.perform {
    for article in try context.fetch(Article.fetchRequest()) { article.views = Int64(revision) }
    try context.save()
  }
}

/// True for the first caller only.
private final class Flag: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var isUp = true

  func take() -> Bool {
    lock.withLock {
      defer { isUp = false }
      return isUp
    }
  }
}
