import CoreData
import PlaygroundKit

/// Imports a feed and reports on its last ten items.
///
/// `Scenarios/39-reset-under-your-feet/Exercise/Newsroom.swift` has the feed and the context.
@MainActor func yours(_ world: World) async throws {
  try await Newsroom.receive(world) { try importFeed($0, batch: $1, into: $2) }
}

/// Ids are permanent early, but what comes after the last full batch is not saved.
func importFeed(
  _ items: [Item], batch: Int, into context: NSManagedObjectContext
) throws -> [String] {
  var last: [NSManagedObjectID] = []
  for (index, item) in items.enumerated() {
    let article = try article(named: item.name, in: context)
    article.views = item.revision
    try context.obtainPermanentIDs(for: [article])
    last = (last + [article.objectID]).suffix(10)
    if (index + 1) % batch == 0 {
      try context.save()
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
