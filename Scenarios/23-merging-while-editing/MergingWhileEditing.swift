import CoreData
import PlaygroundKit

/// A merge keeps an unsaved edit and moves its version, so the save that follows finds no conflict.
///
///     faultline run 23
///     faultline explore 23
public enum MergingWhileEditing: Scenario {
  public static let card = Card(
    23, "merging-while-editing", "Merging while editing", part: .merging,
    claim: "A merge under an unsaved edit disarms the error policy: no conflict is left to find.",
    question: """
      An editor writes a headline for the text on the screen. Before Done, a sync saves another \
      text with its own headline, and the form's context merges it. What does Done store?
      """,
    why: """
      A merge takes the saved values and the new version, and puts the unsaved changes back on \
      top. The headline stays, the text under it changes, and the versions are equal again. So the \
      save finds no conflict, and no policy is asked.
      """,
    given: """
      {articles|one article|# articles}; a form writes a headline for each text while a sync \
      replaces text and headline
      """,
    guide: "04-merging.md#23",
    sources: [
      .operation("Saving on a private queue"), .notes("Reconciling Changes Between Contexts"),
    ])

  private static let articles = Parameter(
    "articles", 100, in: 1...10_000, "articles that are edited and synced", explored: 1)
  private static let keys = Parameter(
    "keys", 30, in: 0...1_000, "keys pressed between opening the form and Done", explored: 0)

  private static let mixed = Outcome(
    "MIXED", .forbidden, "a headline stands over a text that its editor never saw; no error")
  private static let fitting = Outcome(
    "FITTING", .accepted, "each headline fits its text, and no edit met a sync")
  private static let rewritten = Outcome(
    "REWRITTEN", .accepted, "each headline fits its text; some were written anew for a new text")

  public static let parameters = [articles, keys]
  public static let outcomes = [mixed, fitting, rewritten]
  public static let sides: [Side] = [
    .wrong("edit where merges arrive", editWhereMergesArrive),
    .right("edit without merging", editWithoutMerging),
    .right("compare before the save", name: "compare", compareBeforeTheSave),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles with an old text,
  @MainActor public static func given(_ world: World) async throws {
    let screen = world.container.viewContext
    for _ in 0..<world[articles] { Article(context: screen).content = "old" }
    try screen.save()
  }

  // when the form's context merges automatically while its editor writes,
  // anchor: wrong
  @MainActor private static func editWhereMergesArrive(_ world: World) async throws {
    let form = world.container.newBackgroundContext()
    world.mark("from here on a merge may change an article while it is edited")
    form.automaticallyMergesChangesFromParent = true
    try await editAll(in: form, world) { article, _ in try save(article) }
  }
  // end: wrong

  // or does not, so that the save is refused if the article has changed,
  // anchor: right
  @MainActor private static func editWithoutMerging(_ world: World) async throws {
    let form = world.container.newBackgroundContext()
    try await editAll(in: form, world) { article, _ in try save(article) }
  }

  /// Saves an article; after a refusal, shows the new text to the editor, who writes anew.
  private static func save(_ article: Article) throws -> Bool {
    do {
      try article.managedObjectContext?.save()
      return false
    } catch let error as CocoaError where error.code == .managedObjectMerge {
      article.managedObjectContext?.refresh(article, mergeChanges: false)
      article.name = headline(for: article.content)
      _ = try save(article)
      return true
    }
  }
  // end: right

  // or merges, and compares what the editor saw with what is there now,
  // anchor: compare
  @MainActor private static func compareBeforeTheSave(_ world: World) async throws {
    let form = world.container.newBackgroundContext()
    form.automaticallyMergesChangesFromParent = true
    try await editAll(in: form, world) { article, seen in
      let isNew = article.content != seen
      if isNew { article.name = headline(for: article.content) }
      return try save(article) || isNew
    }
  }
  // end: compare

  // and a sync saves each article meanwhile,
  // anchor: edit
  @MainActor private static func editAll(
    in form: NSManagedObjectContext, _ world: World,
    done: @escaping @Sendable (Article, _ seen: String?) throws -> Bool
  ) async throws {
    let sync = world.container.newBackgroundContext()
    sync.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    var rewritten = 0
    for id in try world.container.viewContext.fetch(Article.fetchRequest()).map(\.objectID) {
      let seen = try await form.perform {
        form.retainsRegisteredObjects = true
        let article = try form.existingObject(with: id) as? Article
        article?.name = headline(for: article?.content)
        return article?.content
      }
      async let synced: Void = sync.perform {
        guard let article = try sync.existingObject(with: id) as? Article else { return }
        (article.name, article.content) = (headline(for: "new"), "new")
        try sync.save()
      }
      for _ in 0..<world[keys] {
        await form.perform { (form.object(with: id) as? Article)?.name = headline(for: seen) }
      }
      let isRewritten = try await form.perform {
        try (form.object(with: id) as? Article).map { try done($0, seen) }
      }
      if isRewritten == true { rewritten += 1 }
      try await synced
    }
    world.observe("headlines written anew", rewritten)
  }
  // end: edit

  private static func headline(for text: String?) -> String { "about the \(text ?? "") text" }

  // then each headline fits the text under it, or does not.
  public static func observed(_ run: Observation) throws -> Outcome {
    let fits = "ZNAME = 'about the ' || ZCONTENT || ' text'"
    let fitting = try run.storedArticles(where: fits)
    run.observe("headlines that fit", fitting, of: run[articles])
    let sample = "SELECT ZNAME, ZCONTENT FROM ZARTICLE ORDER BY \(fits), Z_PK LIMIT 1"
    for (column, value) in zip(["name", "content"], try run.stored(sample).first ?? []) {
      run.observe(column, value, section: "a row in the file")
    }
    if fitting < run[articles] { return mixed }
    return run.number("headlines written anew") ?? 0 > 0 ? rewritten : Self.fitting
  }
}
