import CoreData
import PlaygroundKit

/// What both callers call; `Scenarios/10-nested-perform-and-wait/Exercise/Callers.swift` has them.
@MainActor func yours(_ world: World) async throws {
  try await Callers.call(world) { try replaceArticles(in: $0) }
}

/// Inside the queue the enqueued block cannot run, however long this thread sleeps.
func replaceArticles(in context: NSManagedObjectContext) throws -> Int {
  context.perform {
    for article in (try? context.fetch(Article.fetchRequest())) ?? [] { context.delete(article) }
    try? context.save()
  }
  Thread.sleep(forTimeInterval: 0.1)
  return try context.performAndWait {
    Article(context: context).name = "New"
    try context.save()
    return try context.count(for: Article.fetchRequest())
  }
}
