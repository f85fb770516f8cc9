import CoreData
import PlaygroundKit

/// What both callers call; `Scenarios/10-nested-perform-and-wait/Exercise/Callers.swift` has them.
@MainActor func yours(_ world: World) async throws {
  try await Callers.call(world) { try replaceArticles(in: $0) }
}

/// Another context deletes what is in the file, and does not see the draft.
func replaceArticles(in context: NSManagedObjectContext) throws -> Int {
  let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  other.persistentStoreCoordinator = context.persistentStoreCoordinator
  try other.performAndWait {
    for article in try other.fetch(Article.fetchRequest()) { other.delete(article) }
    try other.save()
  }
  return try context.performAndWait {
    Article(context: context).name = "New"
    try context.save()
    return try context.count(for: Article.fetchRequest())
  }
}
