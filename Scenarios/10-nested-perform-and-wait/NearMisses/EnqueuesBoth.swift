import CoreData
import PlaygroundKit

/// What both callers call; `Scenarios/10-nested-perform-and-wait/Exercise/Callers.swift` has them.
@MainActor func yours(_ world: World) async throws {
  try await Callers.call(world) { try replaceArticles(in: $0) }
}

/// The order is right, and the caller is told a number before anything has happened.
func replaceArticles(in context: NSManagedObjectContext) throws -> Int {
  context.perform {
    for article in (try? context.fetch(Article.fetchRequest())) ?? [] { context.delete(article) }
    try? context.save()
  }
  context.perform {
    Article(context: context).name = "New"
    try? context.save()
  }
  return 1
}
