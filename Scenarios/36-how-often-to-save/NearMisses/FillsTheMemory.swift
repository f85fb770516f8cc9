import CoreData
import PlaygroundKit

/// Imports a feed.
///
/// `Scenarios/36-how-often-to-save/Exercise/Feed.swift` has it, and counts what each save writes.
@MainActor func yours(_ world: World) async throws {
  try await Feed.arrive(world) { try importFeed($0, into: $1) }
}

/// As large a batch as the memory allows makes the other writer wait for too long.
func importFeed(_ sections: [Section], into context: NSManagedObjectContext) throws {
  for section in sections {
    if context.insertedObjects.count + section.articles.count + 1 > 60 {
      try context.save()
      context.reset()
    }
    insert(section, into: context)
  }
  if context.hasChanges { try context.save() }
}

/// Inserts a section: a category with its articles.
func insert(_ section: Section, into context: NSManagedObjectContext) {
  let category = Category(context: context)
  category.name = section.name
  for name in section.articles {
    let article = Article(context: context)
    (article.name, article.category) = (name, category)
  }
}
