import CoreData
import PlaygroundKit

/// A list shows what a feed publishes.
///
/// `Scenarios/06-the-screen-from-the-background/Exercise/Feed.swift` has the feed and the rows.
@MainActor func yours(_ world: World) async throws {
  try await Feed.show(world) { try await showNews(of: $0, on: $1) }
}

/// The rows are values, and main stands still until the feed has saved.
@MainActor
func showNews(of feed: Feed, on list: Screen) async throws {
  let rows = try feed.context.performAndWait { try feed.publish().map { row($0) } }
  list.reload(rows.count) { rows[$0] }
}
