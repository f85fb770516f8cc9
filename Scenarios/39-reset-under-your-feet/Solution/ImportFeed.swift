import CoreData
import PlaygroundKit

/// Imports a feed and reports on its last ten items.
///
/// `Scenarios/39-reset-under-your-feet/Exercise/Newsroom.swift` has the feed and the context.
@MainActor func yours(_ world: World) async throws {
  try await Newsroom.receive(world) { try importFeed($0, batch: $1, into: $2) }
}

/// Imports a feed in batches, and returns a line for each of its last ten items.
func importFeed(
  _ items: [Item], batch: Int, into context: NSManagedObjectContext
) throws -> [String] {
  var last: [NSManagedObjectID] = []
  var unsaved: [Article] = []
  for (index, item) in items.enumerated() {
    let article = try article(named: item.name, in: context)
    article.views = item.revision
    unsaved.append(article)
    if unsaved.count == batch || index == items.count - 1 {
      try context.save()
      // Ids are permanent after the save, and still there after the reset.
      last = (last + unsaved.map(\.objectID)).suffix(10)
      unsaved = []
      context.reset()
    }
  }
  return try last.map { line(try context.existingObject(with: $0) as? Article) }
}

/// The article of this name, a new one if there is none yet.
func article(named name: String, in context: NSManagedObjectContext) throws -> Article {
  let request = Article.fetchRequest()
  request.predicate = NSPredicate(format: "name == %@", name)
  if let known = try context.fetch(request).first { return known }
  let article = Article(context: context)
  article.name = name
  return article
}

/// One line of the report.
func line(_ article: Article?) -> String {
  "\(article?.name ?? "no name"), revision \(article?.views ?? 0)"
}
