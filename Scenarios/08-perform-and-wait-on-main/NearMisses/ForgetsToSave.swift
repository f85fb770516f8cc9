import CoreData
import PlaygroundKit

/// What the button does; `Scenarios/08-perform-and-wait-on-main/Exercise/Button.swift` presses it.
@MainActor func yours(_ world: World) async throws {
  try await Button.press(world) { try await importArticles($0, into: $1) }
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
