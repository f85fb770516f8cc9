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

/// Sends the name of an article. Keep the signature.
///
/// TODO: The job runs on a thread that may not use the article.
@MainActor func addUpload(of article: Article, to outbox: Outbox) {
  outbox.add { article.name ?? "" }
}

/// Counts a like of an article, and sends the count. Keep the signature.
///
/// TODO: The job uses the right queue, but which object, and what else does its save store?
@MainActor func addLike(of article: Article, to outbox: Outbox) {
  outbox.add {
    guard let screen = article.managedObjectContext else { return "" }
    return try await screen.perform {
      article.views += 1
      try screen.save()
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
///
/// TODO: The job captures one value. What does that value hold?
@MainActor func addSummary(_ summary: Summary, to outbox: Outbox) {
  outbox.add { summary.articles.map { $0.name ?? "" }.joined(separator: " + ") }
}

/// Sends the name of an article in capital letters.
///
/// TODO: The job captures a closure. What does that closure capture?
@MainActor func addTitle(of article: Article, to outbox: Outbox) {
  let title = { article.name?.uppercased() ?? "" }
  outbox.add { title() }
}

/// Stores a note, and sends its name.
///
/// TODO: An id would do here too, but not every id.
@MainActor func addNote(in screen: NSManagedObjectContext, to outbox: Outbox) throws {
  let note = Article(context: screen)
  note.name = "note"
  outbox.add { note.name ?? "" }
  try screen.save()
}
