import CoreData
import PlaygroundKit

/// A list shows what a feed publishes.
///
/// `Scenarios/06-the-screen-from-the-background/Exercise/Feed.swift` has the feed and the rows.
@MainActor func yours(_ world: World) async throws {
  try await Feed.show(world) { try await showNews(of: $0, on: $1) }
}

/// Publishes the next revision on the main thread, in a context of its own, and shows it.
@MainActor
func showNews(of feed: Feed, on list: Screen) async throws {
  let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  context.persistentStoreCoordinator = feed.context.persistentStoreCoordinator
  let rows = try Feed(context: context, revision: feed.revision).publish().map { row($0) }
  list.reload(rows.count) { rows[$0] }
}
