import CoreData
import PlaygroundKit

/// What both callers call; `Scenarios/10-nested-perform-and-wait/Exercise/Callers.swift` has them.
@MainActor func yours(_ world: World) async throws {
  try await Callers.call(world) { try replaceArticles(in: $0) }
}

/// Does all of it in one block, which runs at once inside the queue, and in its turn outside.
func replaceArticles(in context: NSManagedObjectContext) throws -> Int {
  try context.performAndWait {
    for article in try context.fetch(Article.fetchRequest()) { context.delete(article) }
    Article(context: context).name = "New"
    try context.save()
    return try context.count(for: Article.fetchRequest())
  }
}
