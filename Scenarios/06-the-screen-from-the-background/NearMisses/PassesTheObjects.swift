import CoreData
import PlaygroundKit

/// A list shows what a feed publishes.
///
/// `Scenarios/06-the-screen-from-the-background/Exercise/Feed.swift` has the feed and the rows.
@MainActor func yours(_ world: World) async throws {
  try await Feed.show(world) { try await showNews(of: $0, on: $1) }
}

/// Publishes the next revision, and shows it on the list, on main and with the feed's objects.
@MainActor
func showNews(of feed: Feed, on list: Screen) async throws {
  let articles = try await feed.context.perform { try feed.publish() }
  list.reload(articles.count) { row(articles[$0]) }
}
