import CoreData
import PlaygroundKit

/// Imports a feed.
///
/// `Scenarios/36-how-often-to-save/Exercise/Feed.swift` has it, and counts what each save writes.
@MainActor func yours(_ world: World) async throws {
  try await Feed.arrive(world) { try importFeed($0, into: $1) }
}

/// The child's saves are short, but its parent keeps everything and writes it in one transaction.
func importFeed(_ sections: [Section], into context: NSManagedObjectContext) throws {
  let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  child.parent = context
  for section in sections {
    insert(section, into: child)
    if child.insertedObjects.count >= 30 {
      try child.save()
      child.reset()
    }
  }
  if child.hasChanges { try child.save() }
  try context.save()
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
