import CoreData
import PlaygroundKit

/// What the button does.
@MainActor func yours(_ world: World) async throws {
  let shown = try await importArticles(world["rows"], into: world.container)
  world.observe("shown", "\(shown)")
}

/// The context knows its new rows, and the file does not.
@MainActor
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws -> Int {
  let bg = container.newBackgroundContext()
  return try await bg.perform {
    for number in 1...count {
      let article = Article(context: bg)
      article.name = "Article \(number)"
    }
    return try bg.count(for: Article.fetchRequest())
  }
}
