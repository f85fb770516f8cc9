import CoreData
import PlaygroundKit

/// Saves a keyword before the feeds come; only some checks do that.
@MainActor func storeOneBefore(_ world: World) async throws {
  guard world["stored"] == 1 else { return }
  let context = world.container.newBackgroundContext()
  try await context.perform {
    Keyword(context: context).name = "Name 2"
    try context.save()
  }
}
