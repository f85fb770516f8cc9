import CoreData
import PlaygroundKit

/// What both callers call; `Scenarios/10-nested-perform-and-wait/Exercise/Callers.swift` has them.
@MainActor func yours(_ world: World) async throws {
  try await Callers.call(world) { try replaceArticles(in: $0) }
}

/// Right inside the queue, and outside it is used without any.
func replaceArticles(in context: NSManagedObjectContext) throws -> Int {
  for article in try context.fetch(Article.fetchRequest()) { context.delete(article) }
  Article(context: context).name = "New"
  try context.save()
  return try context.count(for: Article.fetchRequest())
}
