import CoreData
import PlaygroundKit

/// An import in a context of its own, and the list on the screen that shows what it saves.
@MainActor final class Import {
  private let world: World
  private var (merges, stale) = (0, 0)

  init(_ world: World) { self.world = world }

  /// Runs the import while a list holds every article, and notes what the list saw.
  func run(
    _ startMerging: (
      _ importer: NSManagedObjectContext, _ screen: NSManagedObjectContext
    ) -> (any NSObjectProtocol)?
  ) async throws {
    let (screen, importer) = (world.container.viewContext, world.container.newBackgroundContext())
    let rows = try screen.fetch(Article.fetchRequest())
    for row in rows { _ = row.views }
    let list = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: screen,
      queue: nil
    ) { [unowned self] _ in
      MainActor.assumeIsolated { merges += 1 }
    }
    let observer = startMerging(importer, screen)
    for revision in 1...world["saves"] {
      try await importer.perform {
        for article in try importer.fetch(Article.fetchRequest()) {
          article.views = Int64(revision)
        }
        try importer.save()
      }
      await screen.perform(schedule: .enqueued) {}
      stale += rows.count { $0.views != revision }
    }
    observer.map(NotificationCenter.default.removeObserver)
    NotificationCenter.default.removeObserver(list)
    world.observe("merges", "\(merges)")
    world.observe("stale rows seen", "\(stale)")
    world.observe("merges into the screen", merges)
    world.observe("rows current at the end", stale == 0 ? world["articles"] : 0)
  }
}
