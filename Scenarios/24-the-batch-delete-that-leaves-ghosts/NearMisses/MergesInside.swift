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

/// Tells the contexts inside the cleaner's block, where the screen may be waiting for the cleaner.
func cleanUp(
  in cleaner: NSManagedObjectContext, tell contexts: [NSManagedObjectContext]
) async throws {
  try await cleaner.perform {
    let request = NSBatchDeleteRequest(fetchRequest: read())
    request.resultType = .resultTypeObjectIDs
    let result = try cleaner.execute(request) as? NSBatchDeleteResult
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: result?.result ?? []], into: contexts)
  }
}

/// The articles that were read.
func read() -> NSFetchRequest<Article> {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "views > 0")
  return request
}
