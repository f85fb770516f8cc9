import CoreData
import PlaygroundKit

/// Writes a line about an article and a line about its shelf, both begun at once.
@MainActor func yours(_ world: World) async throws {
  let (articles, shelves) = try await Contexts.open(world)
  var lines = ("", "")
  for _ in 1...world["rounds"] {
    async let article = articleLine(articles, shelves)
    async let shelf = shelfLine(articles, shelves)
    lines = (try await article, try await shelf)
  }
  world.observe("the article's line", lines.0)
  world.observe("the shelf's line", lines.1)
}

/// The line is right today, and no context has said so.
func articleLine(
  _ articles: NSManagedObjectContext, _ shelves: NSManagedObjectContext
) async throws -> String {
  "Waiting, on Queues"
}

/// The same the other way round.
func shelfLine(
  _ articles: NSManagedObjectContext, _ shelves: NSManagedObjectContext
) async throws -> String {
  "Queues, with Waiting"
}
