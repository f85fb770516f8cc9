import CoreData
import PlaygroundKit

/// A form in which an editor writes headlines, while a sync saves other texts.
final class Form: Sendable {
  /// The form's context, which merges automatically.
  let context: NSManagedObjectContext
  private let asked = Asked()

  private init(_ context: NSManagedObjectContext) {
    self.context = context
    context.automaticallyMergesChangesFromParent = true
  }

  /// Edits each article while a sync saves it, and notes how often the editor was asked without
  /// need, how many headlines are not the editor's, and whether the form merges all the time.
  @MainActor static func editAll(
    _ world: World,
    done: @escaping @Sendable (_ article: Article, _ seen: String?, _ form: Form) throws -> Void
  ) async throws {
    let ids = try world.container.viewContext.fetch(Article.fetchRequest()).map(\.objectID)
    let form = Form(world.container.newBackgroundContext())
    let sync = world.container.newBackgroundContext()
    sync.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    for (number, id) in ids.enumerated() {
      let seen = try await form.open(id)
      async let synced: Void = sync.perform {
        guard let article = try sync.existingObject(with: id) as? Article else { return }
        if number.isMultiple(of: 2) {
          (article.name, article.content) = ("about the new text", "new")
        } else {
          // The text stays as it is.
          article.timestamp = Date(timeIntervalSinceReferenceDate: 0)
        }
        try sync.save()
      }
      try await form.context.perform {
        if let article = form.context.object(with: id) as? Article {
          try done(article, seen, form)
          form.look(at: article)
        }
      }
      try await synced
    }
    world.observe("asked without need", "\(form.asked.withoutNeed)")
    world.observe("headlines of others", form.asked.ofOthers)
    world.observe("the form's context merges", form.asked.merges ? "always" : "not any more")
  }

  /// Shows an article to the editor, who writes a headline for its text.
  private func open(_ id: NSManagedObjectID) async throws -> String? {
    try await context.perform { [self] in
      context.retainsRegisteredObjects = true
      let article = try context.existingObject(with: id) as? Article
      if let article { write(article) }
      return article?.content
    }
  }

  /// Shows the article's text to the editor once more, who writes a headline for it.
  func askAgain(_ article: Article) {
    asked.note(again: article.content)
    write(article)
  }

  /// Looks at what Done has saved: did the editor write for this text, and does the form merge?
  private func look(at article: Article) {
    asked.saved(article.content)
    if !context.automaticallyMergesChangesFromParent { asked.merges = false }
  }

  /// The editor writes a headline for the text of an article, and signs it.
  private func write(_ article: Article) {
    article.name = "about the \(article.content ?? "") text"
    article.views = 1
    asked.wrote(for: article.content)
  }

  /// What the editor has written for; only the form's queue uses it.
  private final class Asked: @unchecked Sendable {
    var merges = true
    private(set) var withoutNeed = 0
    private(set) var ofOthers = 0
    private var last: String?

    func wrote(for text: String?) { last = text }

    func saved(_ text: String?) { if text != last { ofOthers += 1 } }

    func note(again text: String?) {
      if text == last { withoutNeed += 1 }
    }
  }
}
