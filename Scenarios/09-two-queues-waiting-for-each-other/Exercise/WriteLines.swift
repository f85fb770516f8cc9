import CoreData
import PlaygroundKit

/// Writes a line about an article and a line about its shelf, both begun at once.
///
/// `Scenarios/09-two-queues-waiting-for-each-other/Exercise/Contexts.swift` opens the contexts.
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

/// The name of the article and the name of the shelf that it stands on: "Waiting, on Queues".
func articleLine(
  _ articles: NSManagedObjectContext, _ shelves: NSManagedObjectContext
) async throws -> String {
  // TODO: This block keeps the articles' queue until it returns, also while it waits for shelves.
  // Let each line get what it needs without waiting inside a block of its own.
  try await articles.perform {
    let article = try title(in: articles)
    let shelf = try shelves.performAndWait { try nameOfShelf(in: shelves) }
    return "\(article), on \(shelf)"
  }
}

/// The name of the shelf and the name of the article on it: "Queues, with Waiting".
func shelfLine(
  _ articles: NSManagedObjectContext, _ shelves: NSManagedObjectContext
) async throws -> String {
  try await shelves.perform {
    let shelf = try nameOfShelf(in: shelves)
    let article = try articles.performAndWait { try title(in: articles) }
    return "\(shelf), with \(article)"
  }
}

/// The name of the article, asked inside the queue of its context.
func title(in articles: NSManagedObjectContext) throws -> String {
  try articles.fetch(Article.fetchRequest()).first?.name ?? "nothing"
}

/// The name of the shelf, asked inside the queue of its context.
func nameOfShelf(in shelves: NSManagedObjectContext) throws -> String {
  try shelves.fetch(Category.fetchRequest()).first?.name ?? "nothing"
}
