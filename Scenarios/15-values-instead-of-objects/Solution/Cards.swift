import CoreData
import PlaygroundKit

/// A list shows a card for each article, while their context publishes another revision.
///
/// `Scenarios/15-values-instead-of-objects/Exercise/CardScreen.swift` has the screen.
@MainActor func yours(_ world: World) async throws {
  let context = world.container.newBackgroundContext()
  async let published: Void = publish(in: context)
  let cards = try await cards(in: context)
  show(cards, world)
  try await published
  open(cards, world)
}

/// What the list shows of an article.
struct Card: Sendable, Identifiable {
  let id: NSManagedObjectID
  let title: String
  let revision: Int64

  /// Copies the values; call it inside the queue of the article's context.
  init(_ article: Article) {
    (id, title, revision) = (article.objectID, article.name ?? "", article.views)
  }
}

/// The cards of all articles.
func cards(in context: NSManagedObjectContext) async throws -> [Card] {
  try await context.perform { try context.fetch(Article.fetchRequest()).map { Card($0) } }
}
