import CoreData
import PlaygroundKit

/// Imports articles of one category, in batches.
@MainActor func yours(_ world: World) async throws {
  let (rows, batch) = (world["rows"], world["batch"])
  let bg = world.container.newBackgroundContext()
  try await bg.perform { try importArticles(rows, batch: batch, into: bg) }
}

/// An article that is a fault holds no values; but it is an object, and the category refers to it.
func importArticles(_ count: Int, batch: Int, into context: NSManagedObjectContext) throws {
  let news = Category(context: context)
  news.name = "News"
  for start in stride(from: 0, to: count, by: batch) {
    for number in start..<min(start + batch, count) {
      let article = Article(context: context)
      article.name = "Article \(number)"
      article.category = news
    }
    try context.save()
    for article in news.articles { context.refresh(article, mergeChanges: false) }
  }
}
