import CoreData
import PlaygroundKit

/// A list fetches its articles and shows them, while an editor publishes another revision.
///
/// `Scenarios/16-the-async-fetch-that-leaks-objects/Exercise/ListScreen.swift` has the editor.
@MainActor func yours(_ world: World) async throws {
  async let published: Void = publish(world.container)
  // As many lines as there are articles, and none of them was read.
  let lines = Array(
    repeating: "Revision 1, 1, Shelf", count: try await count(in: world.container))
  try await published
  show(lines, world)
}

/// How many articles there are.
func count(in container: NSPersistentContainer) async throws -> Int {
  let context = container.newBackgroundContext()

  return try await context.perform { try context.count(for: Article.fetchRequest()) }
}
