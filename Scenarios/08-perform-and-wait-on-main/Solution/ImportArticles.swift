import CoreData
import PlaygroundKit

/// What the button does; `Scenarios/08-perform-and-wait-on-main/Exercise/Button.swift` presses it.
@MainActor func yours(_ world: World) async throws {
  try await Button.press(world) { try await importArticles($0, into: $1) }
}

/// Writes articles on a background queue and returns how many the screen can then show.
///
/// A button calls this on the main thread, which keeps drawing until the rows are saved.
@MainActor
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws -> Int {
  let bg = container.newBackgroundContext()

  try await bg.perform {
    for number in 1...count {
      let article = Article(context: bg)
      article.name = "Article \(number)"
    }
    try bg.save()
  }

  return try container.viewContext.count(for: Article.fetchRequest())
}
