import CoreData
import PlaygroundKit

/// The order that the task names, and no line is written.
@MainActor func yours(_ world: World) async throws {
  world.observe("order of the lines", "ABCDEFGH")
}
