import CoreData
import Foundation
import PlaygroundKit

/// A list shows what a feed publishes.
///
/// `Scenarios/06-the-screen-from-the-background/Exercise/Feed.swift` has the feed and the rows.
@MainActor func yours(_ world: World) async throws {
  try await Feed.show(world) { try await showNews(of: $0, on: $1) }
}

/// Publishes the next revision, and shows it on the list if this thread may.
func showNews(of feed: Feed, on list: Screen) async throws {
  try await feed.context.perform {
    let articles = try feed.publish()
    guard Thread.isMainThread else { return }
    list.reload(articles.count) { row(articles[$0]) }
  }
}
