import CoreData
import PlaygroundKit

/// Two editors go through the pages at the same time, each in its own context.
@MainActor func yours(_ world: World) async throws {
  let pages = try world.container.viewContext.fetch(Category.fetchRequest()).map(\.objectID)
  let first = world.container.newBackgroundContext()
  let second = world.container.newBackgroundContext()
  async let one: Void = goThrough(pages, takingDown: "first", in: first)
  async let two: Void = goThrough(pages, takingDown: "second", in: second)
  _ = try await (one, two)
}

/// One editor's work.
func goThrough(
  _ pages: [NSManagedObjectID], takingDown name: String, in context: NSManagedObjectContext
) async throws {
  for page in pages {
    try await context.perform { try takeDown(name, from: page, in: context) }
  }
}

/// The conflict is found, and the policy settles it in favour of the editor that is late.
func takeDown(
  _ name: String, from page: NSManagedObjectID, in context: NSManagedObjectContext
) throws {
  context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  let up = try articlesUp(on: page, in: context)
  guard let own = up.first(where: { $0.name == name }), up.count > 1 else { return }
  own.timestamp = nil
  for other in up where other !== own { context.detectConflicts(for: other) }
  try context.save()
}

/// The articles of a page that are up, which are those with a timestamp.
func articlesUp(
  on page: NSManagedObjectID, in context: NSManagedObjectContext
) throws -> [Article] {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "category == %@", page)
  request.returnsObjectsAsFaults = false
  return try context.fetch(request).filter { $0.timestamp != nil }
}
