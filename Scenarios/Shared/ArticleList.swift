import CoreData

/// A list on the screen, which holds every article and redraws each row that a merge brings.
@MainActor final class ArticleList {
  /// The rows, in the order of the fetch.
  let rows: [Article]
  /// How many merges have reached the list's context.
  private(set) var merges = 0
  /// How many rows were redrawn because of them.
  private(set) var redrawn = 0
  private var token: (any NSObjectProtocol)?

  /// Fetches the articles, and listens to the merges of the context until `close()`.
  init(_ screen: NSManagedObjectContext) throws {
    rows = try screen.fetch(Article.fetchRequest())
    for row in rows { _ = row.views }
    token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: screen,
      queue: nil
    ) { [unowned self] merge in
      let ids = merge.userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> ?? []
      MainActor.assumeIsolated { redraw(ids) }
    }
  }

  private func redraw(_ ids: Set<NSManagedObjectID>) {
    merges += 1
    for row in rows where ids.contains(row.objectID) {
      _ = row.views
      redrawn += 1
    }
  }

  /// Ends the listening.
  func close() { token.map(NotificationCenter.default.removeObserver) }
}
