import CoreData
import PlaygroundKit

/// What both callers call; `Scenarios/10-nested-perform-and-wait/Exercise/Callers.swift` has them.
@MainActor func yours(_ world: World) async throws {
  try await Callers.call(world) { try replaceArticles(in: $0) }
}

/// An old article with a new name is not a new one: its id leads to it still.
func replaceArticles(in context: NSManagedObjectContext) throws -> Int {
  try context.performAndWait {
    let articles = try context.fetch(Article.fetchRequest())
    for article in articles.dropFirst() { context.delete(article) }
    (articles.first ?? Article(context: context)).name = "New"
    try context.save()
    return try context.count(for: Article.fetchRequest())
  }
}
