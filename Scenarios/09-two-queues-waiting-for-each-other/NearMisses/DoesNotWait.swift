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

/// `perform` does not wait for its block: nothing blocks, and the line may be written too early.
func articleLine(
  _ articles: NSManagedObjectContext, _ shelves: NSManagedObjectContext
) async throws -> String {
  try await articles.perform {
    let answer = Answer()
    shelves.perform { answer.name = (try? nameOfShelf(in: shelves)) ?? "" }
    return "\(try title(in: articles)), on \(answer.name)"
  }
}

/// The name of the shelf and the name of the article on it: "Queues, with Waiting".
func shelfLine(
  _ articles: NSManagedObjectContext, _ shelves: NSManagedObjectContext
) async throws -> String {
  let article = try await articles.perform { try title(in: articles) }
  return try await shelves.perform { "\(try nameOfShelf(in: shelves)), with \(article)" }
}

/// What the other context said, if it has said anything yet.
final class Answer: @unchecked Sendable {
  var name = ""
}

/// The name of the article, asked inside the queue of its context.
func title(in articles: NSManagedObjectContext) throws -> String {
  try articles.fetch(Article.fetchRequest()).first?.name ?? "nothing"
}

/// The name of the shelf, asked inside the queue of its context.
func nameOfShelf(in shelves: NSManagedObjectContext) throws -> String {
  try shelves.fetch(Category.fetchRequest()).first?.name ?? "nothing"
}
