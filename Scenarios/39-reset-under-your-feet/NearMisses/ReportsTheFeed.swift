import CoreData
import PlaygroundKit

/// Imports a feed and reports on its last ten items.
///
/// `Scenarios/39-reset-under-your-feet/Exercise/Newsroom.swift` has the feed and the context.
@MainActor func yours(_ world: World) async throws {
  try await Newsroom.receive(world) { try importFeed($0, batch: $1, into: $2) }
}

/// Reports what the feed has brought, and does not see what other contexts have saved since.
func importFeed(
  _ items: [Item], batch: Int, into context: NSManagedObjectContext
) throws -> [String] {
  for (index, item) in items.enumerated() {
    try article(named: item.name, in: context).views = item.revision
    if (index + 1) % batch == 0 {
      try context.save()
      context.reset()
    }
  }
  if context.hasChanges { try context.save() }
  let newest = Dictionary(items.map { ($0.name, $0.revision) }, uniquingKeysWith: max)
  return items.suffix(10).map { "\($0.name), revision \(newest[$0.name] ?? 0)" }
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
