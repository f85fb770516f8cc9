import CoreData
import PlaygroundKit

/// A list shows what a feed publishes.
///
/// `Scenarios/06-the-screen-from-the-background/Exercise/Feed.swift` has the feed and the rows.
@MainActor func yours(_ world: World) async throws {
  try await Feed.show(world) { try await showNews(of: $0, on: $1) }
}

/// Publishes the next revision, and shows the number that it has in the task.
@MainActor
func showNews(of feed: Feed, on list: Screen) async throws {
  let ids = try await feed.context.perform { try feed.publish().map(\.objectID) }
  list.reload(ids.count) { Screen.Row(ids[$0], "revision 1") }
}
