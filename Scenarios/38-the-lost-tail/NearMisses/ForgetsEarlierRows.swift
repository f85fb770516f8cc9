import CoreData
import PlaygroundKit

/// Tests one of seven imports; `faultline check` runs this once for each of them.
@MainActor func yours(_ world: World) async throws {
  let isRight = try await isRight(
    Imports.chosen(world), batch: world["batch"], in: world.container)
  world.observe("verdict", isRight ? "right" : "wrong")
}

/// The rows of the first import are still there when those of the second are counted.
@MainActor
func isRight(
  _ load: Import, batch: Int, in container: NSPersistentContainer
) async throws -> Bool {
  for count in [batch - 1, batch, batch + 1] {
    let names = (1...count).map { "Article \($0) of \(count)" }
    try await load(names, batch, container.newBackgroundContext())
    let reader = container.newBackgroundContext()
    let stored = try await reader.perform {
      try reader.fetch(Article.fetchRequest()).map { $0.name ?? "no name" }
    }
    if stored.sorted() != names.sorted() { return false }
  }
  return true
}
