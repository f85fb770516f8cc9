import CoreData
import PlaygroundKit

/// Five functions put jobs into an outbox, and the jobs run when the network is back.
///
/// `Scenarios/05-the-id-not-the-object-through-a-closure/Exercise/Office.swift` has the outbox. It
/// calls the first two functions, and this file calls the others.
@MainActor func yours(_ world: World) async throws {
  try await Office.day(world) { shown, outbox in
    addSummary(shown.map(\.objectID), to: outbox)
    addTitle(of: shown[0].objectID, to: outbox)
    try addNote(in: world.container.viewContext, to: outbox)
  }
}

/// Sends the name of an article.
@MainActor func addUpload(of article: Article, to outbox: Outbox) {
  let (id, context) = (article.objectID, outbox.context)
  outbox.add { try await context.perform { try name(of: id, in: context) } }
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

/// Sends the names of all articles, joined by a plus.
@MainActor func addSummary(_ ids: [NSManagedObjectID], to outbox: Outbox) {
  let context = outbox.context
  outbox.add {
    try await context.perform {
      try ids.map { try name(of: $0, in: context) }.joined(separator: " + ")
    }
  }
}

/// Sends the name of an article in capital letters.
@MainActor func addTitle(of id: NSManagedObjectID, to outbox: Outbox) {
  let context = outbox.context
  outbox.add { try await context.perform { try name(of: id, in: context).uppercased() } }
}

/// Stores a note, and sends the name of the first note.
@MainActor func addNote(in screen: NSManagedObjectContext, to outbox: Outbox) throws {
  let (note, context) = (Article(context: screen), outbox.context)
  note.name = "note"
  try screen.save()
  outbox.add {
    try await context.perform {
      let request = Article.fetchRequest()
      request.predicate = NSPredicate(format: "name BEGINSWITH 'note'")
      return try context.fetch(request).first?.name ?? ""
    }
  }
}

/// The name that an article has in a context; call it in the context's queue.
func name(of id: NSManagedObjectID, in context: NSManagedObjectContext) throws -> String {
  let article = try context.existingObject(with: id) as? Article
  return article?.name ?? ""
}
