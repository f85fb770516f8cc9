import CoreData
import PlaygroundKit

/// What both callers call; `Scenarios/10-nested-perform-and-wait/Exercise/Callers.swift` has them.
@MainActor func yours(_ world: World) async throws {
  try await Callers.call(world) { try replaceArticles(in: $0) }
}

/// Replaces all articles of a context by a new one, and returns how many there are then.
///
/// It is called inside the queue of the context, and outside.
func replaceArticles(in context: NSManagedObjectContext) throws -> Int {
  // TODO: Inside the queue this block runs when the block around it has ended.
  context.perform {
    let articles = try? context.fetch(Article.fetchRequest())
    for article in articles ?? [] { context.delete(article) }
    try? context.save()
  }
  // TODO: And this one runs at once, although it was asked for later.
  return try context.performAndWait {
    Article(context: context).name = "New"
    try context.save()
    return try context.count(for: Article.fetchRequest())
  }
}
