import CoreData
import PlaygroundKit

/// What the button does; `Scenarios/08-perform-and-wait-on-main/Exercise/Button.swift` presses it.
@MainActor func yours(_ world: World) async throws {
  try await Button.press(world) { try await importArticles($0, into: $1) }
}

/// Main draws between the turns, and all the work and many more commits are still its own.
@MainActor
func importArticles(_ count: Int, into container: NSPersistentContainer) async throws -> Int {
  let screen = container.viewContext
  for number in 1...count {
    Article(context: screen).name = "Article \(number)"
    if number.isMultiple(of: 50) {
      try screen.save()
      await withCheckedContinuation { next in DispatchQueue.main.async { next.resume() } }
    }
  }
  try screen.save()
  return try screen.count(for: Article.fetchRequest())
}
