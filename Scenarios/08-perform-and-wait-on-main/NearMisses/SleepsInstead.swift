import CoreData
import PlaygroundKit

/// What the button does.
@MainActor func yours(_ world: World) async throws {
  let shown = try await importArticles(world["rows"], into: world.container)
  world.observe("shown", "\(shown)")
}

/// A pause is no answer to the question whether the rows are saved.
@MainActor
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws -> Int {
  let bg = container.newBackgroundContext()
  Task {
    try await bg.perform {
      for number in 1...count {
        let article = Article(context: bg)
        article.name = "Article \(number)"
      }
      try bg.save()
    }
  }
  usleep(1_000)
  return try container.viewContext.count(for: Article.fetchRequest())
}
