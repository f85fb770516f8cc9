import CoreData
import PlaygroundKit

/// Tests one of seven imports; `faultline check` runs this once for each of them.
@MainActor func yours(_ world: World) async throws {
  let isRight = try await isRight(
    Imports.chosen(world), batch: world["batch"], in: world.container)
  world.observe("verdict", isRight ? "right" : "wrong")
}

/// Whether an import stores exactly the articles that it is given.
///
/// `load` takes the names of the articles, how many it saves at a time, and a context.
@MainActor
func isRight(
  _ load: Import, batch: Int, in container: NSPersistentContainer
) async throws -> Bool {
  // TODO: One number of articles is not enough. An import can lose rows only if the last batch is
  // not full, or only if it is, or only if there is nothing but that batch.
  let names = (1...10 * batch).map { "Article \($0)" }
  let bg = container.newBackgroundContext()
  try await load(names, batch, bg)

  // TODO: The importing context also counts what it has not saved. And a row can be there and be
  // wrong.
  let count = try await bg.perform { try bg.count(for: Article.fetchRequest()) }
  return count == names.count
}
