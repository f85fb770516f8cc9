import CoreData
import PlaygroundKit

/// Imports articles of one category, in batches.
@MainActor func yours(_ world: World) async throws {
  let (rows, batch) = (world["rows"], world["batch"])
  let bg = world.container.newBackgroundContext()
  try await bg.perform { try importArticles(rows, batch: batch, into: bg) }
}

/// The peak does not grow, but five batches are alive before each reset.
func importArticles(_ count: Int, batch: Int, into context: NSManagedObjectContext) throws {
  var news = Category(context: context)
  news.name = "News"
  for start in stride(from: 0, to: count, by: batch) {
    for number in start..<min(start + batch, count) {
      let article = Article(context: context)
      article.name = "Article \(number)"
      article.category = news
    }
    try context.save()
    if start / batch % 5 == 4 {
      let id = news.objectID
      context.reset()
      if let again = try context.existingObject(with: id) as? Category { news = again }
    }
  }
}
