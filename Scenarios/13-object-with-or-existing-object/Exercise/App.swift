import CoreData
import PlaygroundKit

/// The ids that the app has of all its articles but the last, and of the shelf with the new ones.
///
/// The second article has no name.
@MainActor func cards(
  _ world: World
) async throws -> (articles: [NSManagedObjectID], shelf: NSManagedObjectID) {
  let editor = world.container.newBackgroundContext()
  return try await editor.perform {
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Article")
    ids.resultType = .managedObjectIDResultType
    ids.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let articles = try Array(editor.fetch(ids).dropLast())
    let shelf = Category(context: editor)
    shelf.name = "Shelf"
    let request = Article.fetchRequest()
    request.predicate = NSPredicate(format: "content == 'new'")
    for article in try editor.fetch(request) {
      article.category = shelf
      if article.objectID == articles[1] { article.name = nil }
    }
    try editor.save()
    return (articles, shelf.objectID)
  }
}

/// The clean-up, which deletes every hundredth article, the first among them.
func cleanUp(in context: NSManagedObjectContext) async throws {
  try await context.perform {
    let request = Article.fetchRequest()
    request.predicate = NSPredicate(format: "content == 'old'")
    for article in try context.fetch(request) { context.delete(article) }
    try context.save()
  }
}

/// Notes what the app showed, and how many deletions its lookups have left in its context.
@MainActor func note(
  _ titles: [String], _ digest: [String], _ onShelf: Int, _ pending: Int, _ world: World
) {
  // The second article is one of the titles, and in the digest.
  let blank = max(0, (titles + digest).count { $0.isEmpty } - 2)
  world.observe("titles", titles.joined(separator: ", "))
  world.observe("digest", digest.sorted().joined(separator: ", "))
  world.observe("on the shelf", onShelf)
  world.observe("without a name", blank, good: blank == 0, section: "lines of the digest")
  world.observe("told that it is gone", titles.count { $0 == "gone" })
  world.observe("deletions pending in the reader", pending, good: pending == 0)
}
