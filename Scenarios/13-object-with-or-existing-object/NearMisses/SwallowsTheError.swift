import CoreData
import PlaygroundKit

/// Three places of an app have only ids, and a clean-up deletes old articles meanwhile.
///
/// `Scenarios/13-object-with-or-existing-object/Exercise/App.swift` has the ids and the clean-up.
@MainActor func yours(_ world: World) async throws {
  let (articles, shelf) = try await cards(world)
  let app = world.container.newBackgroundContext()
  let cleaner = world.container.newBackgroundContext()

  async let cleaned: Void = cleanUp(in: cleaner)
  let (titles, lines, onShelf, pending) = try await app.perform {
    let titles = try articles.prefix(2).map { try title(of: $0, in: app) }
    let lines = try digest(of: articles, in: app)
    return (titles, lines, try count(on: shelf, in: app), app.deletedObjects.count)
  }
  try await cleaned
  note(titles, lines, onShelf, pending, world)
}

/// The title of an article, or "gone" whatever went wrong, and if there is no name.
func title(of id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> String {
  (try? context.existingObject(with: id) as? Article)?.name ?? "gone"
}

/// The names of those of these articles that are still there.
func digest(
  of ids: [NSManagedObjectID], in context: NSManagedObjectContext
) throws -> [String] {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "self IN %@", ids)
  request.returnsObjectsAsFaults = false
  return try context.fetch(request).map { $0.name ?? "" }
}

/// How many articles are on a shelf.
func count(on id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> Int {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "category == %@", context.object(with: id))
  return try context.count(for: request)
}
