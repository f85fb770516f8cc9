import CoreData
import PlaygroundKit

/// Imports articles of one category, in batches.
@MainActor func yours(_ world: World) async throws {
  let (rows, batch) = (world["rows"], world["batch"])
  let bg = world.container.newBackgroundContext()
  try await bg.perform { try importArticles(rows, batch: batch, into: bg) }
}

/// The articles after the last full batch are never saved.
func importArticles(_ count: Int, batch: Int, into context: NSManagedObjectContext) throws {
  var news = Category(context: context)
  news.name = "News"
  for number in 0..<count {
    let article = Article(context: context)
    article.name = "Article \(number)"
    article.category = news
    if (number + 1) % batch == 0 {
      try context.save()
      let id = news.objectID
      context.reset()
      if let again = try context.existingObject(with: id) as? Category { news = again }
    }
  }
}
