import CoreData
import PlaygroundKit

/// Tests one of seven imports; `faultline check` runs this once for each of them.
@MainActor func yours(_ world: World) async throws {
  let isRight = try await isRight(
    Imports.chosen(world), batch: world["batch"], in: world.container)
  world.observe("verdict", isRight ? "right" : "wrong")
}

/// A large round number leaves no half batch, and it is never the only batch.
@MainActor
func isRight(
  _ load: Import, batch: Int, in container: NSPersistentContainer
) async throws -> Bool {
  let names = (1...10 * batch).map { "Article \($0)" }
  try await load(names, batch, container.newBackgroundContext())
  let reader = container.newBackgroundContext()
  let stored = try await reader.perform {
    try reader.fetch(Article.fetchRequest()).map { $0.name ?? "no name" }
  }
  return stored.sorted() == names.sorted()
}
