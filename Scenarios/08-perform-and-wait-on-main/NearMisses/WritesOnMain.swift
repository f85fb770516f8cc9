import CoreData
import PlaygroundKit

/// What the button does; `Scenarios/08-perform-and-wait-on-main/Exercise/Button.swift` presses it.
@MainActor func yours(_ world: World) async throws {
  try await Button.press(world) { try await importArticles($0, into: $1) }
}

/// `perform` does not block its caller; but this context's queue is the main queue.
@MainActor
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws -> Int {
  let context = container.viewContext
  try await context.perform {
    for number in 1...count {
      let article = Article(context: context)
      article.name = "Article \(number)"
    }
    try context.save()
  }
  return try context.count(for: Article.fetchRequest())
}
