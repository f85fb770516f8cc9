import CoreData

/// What happens in the context of a screen: what it announces as new, and what it saves itself.
@MainActor final class Announcements {
  /// How many objects it has announced as new, to a list for example.
  private(set) var announced = 0
  /// How many new objects its own saves have handed on, to its parent or to the file.
  private(set) var saved = 0
  /// Whether its own saves write the file.
  let isRoot: Bool
  private var tokens: [any NSObjectProtocol] = []

  /// Listens to a context of the main queue until `close()`.
  init(_ screen: NSManagedObjectContext) {
    isRoot = screen.parent == nil
    tokens = [
      observe(.NSManagedObjectContextObjectsDidChange, screen) { $0.announced += $1 },
      observe(.NSManagedObjectContextDidSave, screen) { $0.saved += $1 },
    ]
  }

  private func observe(
    _ name: Notification.Name, _ screen: NSManagedObjectContext,
    _ add: @escaping @MainActor @Sendable (Announcements, Int) -> Void
  ) -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(forName: name, object: screen, queue: nil) {
      [unowned self] note in
      let new = (note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
      MainActor.assumeIsolated { add(self, new) }
    }
  }

  /// Ends the listening.
  func close() { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
