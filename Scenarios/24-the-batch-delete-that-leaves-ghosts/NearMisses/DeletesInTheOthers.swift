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

/// Tells the context that has a screen, and deletes the objects in the others without a save.
func cleanUp(
  in cleaner: NSManagedObjectContext, tell contexts: [NSManagedObjectContext]
) async throws {
  let ids = try await cleaner.perform {
    let request = NSBatchDeleteRequest(fetchRequest: read())
    request.resultType = .resultTypeObjectIDs
    let result = try cleaner.execute(request) as? NSBatchDeleteResult
    return result?.result as? [NSManagedObjectID] ?? []
  }
  NSManagedObjectContext.mergeChanges(
    fromRemoteContextSave: [NSDeletedObjectsKey: ids],
    into: contexts.filter { $0.concurrencyType == .mainQueueConcurrencyType })
  for context in contexts where context.concurrencyType == .privateQueueConcurrencyType {
    await context.perform {
      for id in ids {
        if let object = context.registeredObject(for: id) { context.delete(object) }
      }
    }
  }
}

/// The articles that were read.
func read() -> NSFetchRequest<Article> {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "views > 0")
  return request
}
