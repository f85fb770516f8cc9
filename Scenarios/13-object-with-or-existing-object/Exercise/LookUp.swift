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

/// The title of an article, or "gone" if there is no such article any more.
///
/// TODO: The title is empty if the article is gone.
func title(of id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> String {
  let article = context.object(with: id) as? Article
  return article?.name ?? ""
}

/// The names of those of these articles that are still there.
///
/// TODO: An article that is gone has an empty line, and each line costs a statement.
func digest(
  of ids: [NSManagedObjectID], in context: NSManagedObjectContext
) throws -> [String] {
  ids.map { (context.object(with: $0) as? Article)?.name ?? "" }
}

/// How many articles are on a shelf.
///
/// TODO: The predicate needs something that stands for the shelf, which is never deleted, but no
/// value of its row.
func count(on id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> Int {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "category == %@", try context.existingObject(with: id))
  return try context.count(for: request)
}
