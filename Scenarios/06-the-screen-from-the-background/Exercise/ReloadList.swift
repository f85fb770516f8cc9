import CoreData
import PlaygroundKit

/// A list shows what a feed publishes.
///
/// `Scenarios/06-the-screen-from-the-background/Exercise/Feed.swift` has the feed and the rows.
@MainActor func yours(_ world: World) async throws {
  try await Feed.show(world) { try await showNews(of: $0, on: $1) }
}

/// Publishes the next revision, and shows it on the list.
///
/// TODO: The block runs on the feed's queue, and only the main thread may reload the list. The
/// articles belong to the feed's context, and only its queue may read them.
func showNews(of feed: Feed, on list: Screen) async throws {
  try await feed.context.perform {
    let articles = try feed.publish()
    list.reload(articles.count) { row(articles[$0]) }
  }
}
