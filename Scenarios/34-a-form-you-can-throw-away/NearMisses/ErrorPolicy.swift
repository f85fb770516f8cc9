import CoreData
import PlaygroundKit

/// Two forms are open; one is cancelled, the other is saved, and a sync may come in the middle.
///
/// `Scenarios/34-a-form-you-can-throw-away/Exercise/Forms.swift` opens the forms and is the sync.
@MainActor func yours(_ world: World) async throws {
  var forms = Forms(world)
  try await forms.use()
}

/// A form that edits one article.
///
/// Has the policy that every new context has.
@MainActor final class Form {
  private let article: NSManagedObjectID
  private let context: NSManagedObjectContext

  /// Opens the form; the screen's context merges saves, and may be saved at any moment.
  init(_ article: NSManagedObjectID, on screen: NSManagedObjectContext) {
    self.article = article
    context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = screen.persistentStoreCoordinator
  }

  /// The user writes a text, and puts the article into a new category.
  func edit(_ text: String) async throws {
    try await context.perform { [context, article] in
      let article = try context.existingObject(with: article) as? Article
      let category = Category(context: context)
      category.name = text
      article?.category = category
      article?.content = text
    }
  }

  /// Returns when the edit is in the file.
  func save() async throws {
    try await context.perform { [context] in try context.save() }
  }

  /// Nothing of the edit may be in the file, now or later.
  func cancel() async throws {
    await context.perform { [context] in context.reset() }
  }
}
