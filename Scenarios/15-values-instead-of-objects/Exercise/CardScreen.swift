import CoreData
import PlaygroundKit

/// Publishes revision 2 of all articles, in this context.
func publish(in context: NSManagedObjectContext) async throws {
  try await context.perform {
    for article in try context.fetch(Article.fetchRequest()).reversed() {
      (article.name, article.views) = ("Revision 2", 2)
    }
    try context.save()
  }
}

/// Shows the cards.
@MainActor func show(_ cards: [Card], _ world: World) {
  for revision in Int64(1)...2 {
    let count = cards.count { $0.title == "Revision \(revision)" && $0.revision == revision }
    world.observe("of revision \(revision)", count)
  }
}

/// Opens the article of each card by the card's id, as a tap does.
@MainActor func open(_ cards: [Card], _ world: World) {
  let context = world.container.viewContext
  let opened = cards.count { (try? context.existingObject(with: $0.id)) is Article }
  world.observe("opened", opened)
}
