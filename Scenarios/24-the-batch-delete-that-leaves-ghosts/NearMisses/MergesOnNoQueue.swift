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

/// Merges into each context outside the cleaner's block, and outside the context's queue too.
func cleanUp(
  in cleaner: NSManagedObjectContext, tell contexts: [NSManagedObjectContext]
) async throws {
  let ids = try await cleaner.perform {
    let request = NSBatchDeleteRequest(fetchRequest: read())
    request.resultType = .resultTypeObjectIDs
    let result = try cleaner.execute(request) as? NSBatchDeleteResult
    return result?.result as? [NSManagedObjectID] ?? []
  }
  let deleted = Notification(
    name: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil,
    userInfo: [NSDeletedObjectIDsKey: Set(ids)])
  for context in contexts { context.mergeChanges(fromContextDidSave: deleted) }
}

/// The articles that were read.
func read() -> NSFetchRequest<Article> {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "views > 0")
  return request
}
