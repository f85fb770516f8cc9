import CoreData
import PlaygroundKit

/// Imports a feed and reports on its last ten items.
///
/// `Scenarios/39-reset-under-your-feet/Exercise/Newsroom.swift` has the feed and the context.
@MainActor func yours(_ world: World) async throws {
  try await Newsroom.receive(world) { try importFeed($0, batch: $1, into: $2) }
}

/// The last batch is never reset, but it may have fewer than ten items.
func importFeed(
  _ items: [Item], batch: Int, into context: NSManagedObjectContext
) throws -> [String] {
  var last: [Article] = []
  for (index, item) in items.enumerated() {
    if index > 0, index % batch == 0 {
      try context.save()
      context.reset()
    }
    let article = try article(named: item.name, in: context)
    article.views = item.revision
    last = (last + [article]).suffix(10)
  }
  try context.save()
  return last.map(line)
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
