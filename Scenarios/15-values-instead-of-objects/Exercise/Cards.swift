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
///
/// TODO: An article is not Sendable, and this promise does not make it so. Write a value.
struct Card: @unchecked Sendable, Identifiable {
  private let article: Article

  init(_ article: Article) { self.article = article }

  /// Which row it shows.
  var id: NSManagedObjectID { article.objectID }
  /// The article's name.
  var title: String { article.name ?? "" }
  /// The article's revision.
  var revision: Int64 { article.views }
}

/// The cards of all articles.
func cards(in context: NSManagedObjectContext) async throws -> [Card] {
  try await context.perform { try context.fetch(Article.fetchRequest()).map { Card($0) } }
}
