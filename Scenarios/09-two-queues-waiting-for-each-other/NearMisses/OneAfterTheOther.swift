import CoreData
import PlaygroundKit

/// No cycle, because no two lines are written at the same time.
@MainActor func yours(_ world: World) async throws {
  let (articles, shelves) = try await Contexts.open(world)
  var lines = ("", "")
  for _ in 1...world["rounds"] {
    lines.0 = try await articleLine(articles, shelves)
    lines.1 = try await shelfLine(articles, shelves)
  }
  world.observe("the article's line", lines.0)
  world.observe("the shelf's line", lines.1)
}

/// The name of the article and the name of the shelf that it stands on: "Waiting, on Queues".
func articleLine(
  _ articles: NSManagedObjectContext, _ shelves: NSManagedObjectContext
) async throws -> String {
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
