import CoreData
import PlaygroundKit

/// What the button does; `Scenarios/08-perform-and-wait-on-main/Exercise/Button.swift` presses it.
@MainActor func yours(_ world: World) async throws {
  try await Button.press(world) { try await importArticles($0, into: $1) }
}

/// Writes articles on a background queue and returns how many the screen can then show.
///
/// A button calls this on the main thread. It works, but the app stands still until it returns.
@MainActor
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws -> Int {
  let bg = container.newBackgroundContext()

  // TODO: Let the background queue do this while the main thread stays free.
  // performAndWait returns only after the save, and until then the app draws no frame.
  try bg.performAndWait {
    for number in 1...count {
      let article = Article(context: bg)
      article.name = "Article \(number)"
    }
    try bg.save()
  }

  // TODO: Back on the main thread, ask the view context how many articles there are.
  // A main thread that does not block must still not count before the rows are saved.
  return 0
}
