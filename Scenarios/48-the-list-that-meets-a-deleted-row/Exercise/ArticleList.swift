import CoreData
import PlaygroundKit

/// Shows the articles while a clean-up in the background deletes every other one.
@MainActor func yours(_ world: World) async throws {
  try await present(ArticleList(world.container.viewContext), world)
}

// TODO: Three things are wrong with this list. It shows rows that the file no longer has. It shows
// empty rows. And once it hears of the clean-up, its table would stop the app, as the number of
// rows does not add up.

/// A list of articles, kept up to date by a fetched results controller.
@MainActor final class ArticleList: ShowsArticles {
  private let controller: NSFetchedResultsController<Article>
  lazy var table = Table { [unowned self] in controller.fetchedObjects?.count ?? 0 }

  init(_ context: NSManagedObjectContext) {
    let request = Article.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.fetchBatchSize = 1
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
  }

  func open() throws {
    controller.delegate = self
    try controller.performFetch()
    table.reload()
  }

  func text(ofRow row: Int) -> String? {
    controller.object(at: IndexPath(item: row, section: 0)).name
  }
}

extension ArticleList: NSFetchedResultsControllerDelegate {
  nonisolated func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange object: Any,
    at old: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath new: IndexPath?
  ) {
    MainActor.assumeIsolated {
      if let old, type == .delete || type == .move { table.deleteRow(at: old.item) }
      if let new, type == .insert || type == .move { table.insertRow(at: new.item) }
    }
  }
}
