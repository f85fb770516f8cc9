import CoreData
import PlaygroundKit

/// Five functions put jobs into an outbox, and the jobs run when the network is back.
///
/// `Scenarios/05-the-id-not-the-object-through-a-closure/Exercise/Office.swift` has the outbox. It
/// calls the first two functions, and this file calls the others.
@MainActor func yours(_ world: World) async throws {
  try await Office.day(world) { shown, outbox in
    addSummary(Summary(articles: shown), to: outbox)
    addTitle(of: shown[0], to: outbox)
    try addNote(in: world.container.viewContext, to: outbox)
  }
}

/// Tells the compiler that an article may be captured.
struct Box: @unchecked Sendable {
  /// The article.
  let article: Article
}

/// Sends the name of an article.
@MainActor func addUpload(of article: Article, to outbox: Outbox) {
  let screen = article.managedObjectContext
  let box = Box(article: article)
  outbox.add { await screen?.perform { name(of: box.article) } ?? "" }
}

/// Counts a like of an article, and sends the count.
@MainActor func addLike(of article: Article, to outbox: Outbox) {
  let (id, context) = (article.objectID, outbox.context)
  outbox.add {
    try await context.perform {
      guard let article = try context.existingObject(with: id) as? Article else { return "" }
      article.views += 1
      try context.save()
      return "likes: \(article.views)"
    }
  }
}

/// What a summary is made of.
struct Summary {
  /// The articles that it names.
  let articles: [Article]
}

/// Sends the names of all articles, joined by a plus.
@MainActor func addSummary(_ summary: Summary, to outbox: Outbox) {
  let screen = summary.articles[0].managedObjectContext
  outbox.add {
    await screen?.perform { summary.articles.map { name(of: $0) }.joined(separator: " + ") } ?? ""
  }
}

/// Sends the name of an article in capital letters.
@MainActor func addTitle(of article: Article, to outbox: Outbox) {
  let screen = article.managedObjectContext
  let box = Box(article: article)
  outbox.add { await screen?.perform { name(of: box.article).uppercased() } ?? "" }
}

/// Stores a note, and sends its name.
@MainActor func addNote(in screen: NSManagedObjectContext, to outbox: Outbox) throws {
  let note = Article(context: screen)
  note.name = "note"
  try screen.save()
  outbox.add { await screen.perform { name(of: note) } }
}

/// The name that the file has for an article.
func name(of article: Article) -> String {
  article.managedObjectContext?.refresh(article, mergeChanges: false)
  return article.name ?? ""
}
