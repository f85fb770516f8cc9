import CoreData
import PlaygroundKit

/// Tests one of seven imports; `faultline check` runs this once for each of them.
@MainActor func yours(_ world: World) async throws {
  let isRight = try await isRight(
    Imports.chosen(world), batch: world["batch"], in: world.container)
  world.observe("verdict", isRight ? "right" : "wrong")
}

/// The sizes are well chosen; but a row without its name is a row too.
@MainActor
func isRight(
  _ load: Import, batch: Int, in container: NSPersistentContainer
) async throws -> Bool {
  var expected = 0
  for count in [batch - 1, batch, batch + 1] {
    let names = (1...count).map { "Article \($0) of \(count)" }
    try await load(names, batch, container.newBackgroundContext())
    expected += count
  }
  return try container.viewContext.count(for: Article.fetchRequest()) == expected
}
