import CoreData
import PlaygroundKit

/// A clean-up deletes every second article, while three contexts hold all of them.
///
/// `Scenarios/24-the-batch-delete-that-leaves-ghosts/Exercise/Contexts.swift` has the contexts.
@MainActor func yours(_ world: World) async throws {
  try await Contexts.hold(world) { cleaner, contexts in
    try await cleanUp(in: cleaner, tell: contexts)
  }
}

/// The contexts forget everything, also what is still there.
func cleanUp(
  in cleaner: NSManagedObjectContext, tell contexts: [NSManagedObjectContext]
) async throws {
  try await cleaner.perform {
    _ = try cleaner.execute(NSBatchDeleteRequest(fetchRequest: read()))
  }
  for context in contexts { await context.perform { context.reset() } }
}

/// The articles that were read.
func read() -> NSFetchRequest<Article> {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "views > 0")
  return request
}
