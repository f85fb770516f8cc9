import CoreData
import PlaygroundKit

/// Tests one of seven imports; `faultline check` runs this once for each of them.
@MainActor func yours(_ world: World) async throws {
  let isRight = try await isRight(
    Imports.chosen(world), batch: world["batch"], in: world.container)
  world.observe("verdict", isRight ? "right" : "wrong")
}

/// The importing context finds its unsaved rows too.
@MainActor
func isRight(
  _ load: Import, batch: Int, in container: NSPersistentContainer
) async throws -> Bool {
  var expected: [String] = []
  let bg = container.newBackgroundContext()
  for count in [batch - 1, batch, batch + 1] {
    let names = (1...count).map { "Article \($0) of \(count)" }
    try await load(names, batch, bg)
    expected += names
  }
  let stored = try await bg.perform {
    try bg.fetch(Article.fetchRequest()).map { $0.name ?? "no name" }
  }
  return stored.sorted() == expected.sorted()
}
