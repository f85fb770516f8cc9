import CoreData
import PlaygroundKit

/// A table of the imports is no test of them: their numbers change with the size of a batch.
@MainActor func yours(_ world: World) async throws {
  world.observe("verdict", world["import"] == 3 ? "right" : "wrong")
}
