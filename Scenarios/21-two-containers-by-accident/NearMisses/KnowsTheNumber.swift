import CoreData
import PlaygroundKit

/// A small app: a feed counts an article's readers, and the screen shows their number.
///
/// When the feed is done, the user of the app opens the article and is the last reader.
///
/// `Scenarios/21-two-containers-by-accident/Exercise/List.swift` is the screen.
@MainActor func yours(_ world: World) async throws {
  let app = Archive(world.container)
  let list = try List(app.container, world)
  let feed = Feed(archive: app)
  // Three readers, as the task says.
  for _ in 1..<3 { try await feed.bringOneReader() }
  try await list.openArticle()
}

/// Where the app keeps its articles.
struct Archive: Sendable {
  let container: NSPersistentContainer

  /// The archive in a container that is loaded.
  init(_ container: NSPersistentContainer) { self.container = container }
}

/// Brings readers from elsewhere, one at a time.
struct Feed: Sendable {
  let archive: Archive

  /// Adds one reader to the article, and saves.
  func bringOneReader() async throws {
    let context = archive.container.newBackgroundContext()
    try await context.perform {
      try context.fetch(Article.fetchRequest())[0].views += 1
      try context.save()
    }
  }
}
