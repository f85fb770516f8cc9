import CoreData
import PlaygroundKit

/// A reset takes every object of its context from all the code that holds one.
///
///     faultline run 39
///     faultline explore 39
public enum ResetUnderYourFeet: Scenario {
  public static let card = Card(
    39, "reset-under-your-feet", "Reset under your feet", part: .memory,
    claim: "Keep ids across an await, not objects, or never reset a context that is shared.",
    question: """
      An editor fetches an article, awaits an answer, and uses the article. Meanwhile an import in \
      the same context saves and resets. What does the editor read, and what happens when it \
      changes the article?
      """,
    why: """
      reset() is about a context, not about the code that calls it. Every object of the context \
      loses its values and its context, whatever variable refers to it. A saved id stays.
      """,
    given: """
      an editor uses {articles|one article|# articles}, and awaits an answer for each; an import \
      saves {batches|one batch|# batches}, and resets its context after each
      """,
    guide: "07-memory.md#39",
    sources: [.rules("Performance Considerations: Context Reset; Context Reuse")])

  private static let articles = Parameter(
    "articles", 200, in: 1...10_000, "articles that the editor uses", explored: 1)
  private static let batches = Parameter(
    "batches", 200, in: 1...100_000, "batches of one article that are imported", explored: 1)

  private static let stopped = Outcome(
    "STOPPED", .forbidden, "the process stopped: the editor changed an object from before a reset",
    when: .crashed, saying: "NSObjectInaccessibleException")
  private static let blank = Outcome(
    "BLANK", .forbidden, "the editor read nothing where the file has a name")
  private static let handled = Outcome(
    "HANDLED", .accepted, "the editor read every name as the file has it, and nothing stopped")

  public static let parameters = [articles, batches]
  public static let outcomes = [stopped, blank, handled]
  public static let sides: [Side] = [
    .wrong("read a kept object", read),
    .wrong("change a kept object", name: "change", change),
    .right("keep its id", keepTheID),
    .right("import in another context", name: "apart", importElsewhere),
  ]
  public static let repeats = 3
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given stored articles,
  @MainActor public static func given(_ world: World) async throws {
    let context = world.container.viewContext
    for number in 0..<world[articles] { Article(context: context).name = "Article \(number)" }
    try context.save()
  }

  // and an import, which saves and resets its context after each batch,
  // anchor: import
  private static func importAll(_ world: World, into context: NSManagedObjectContext) async throws {
    for number in 0..<world[batches] {
      try await context.perform(schedule: .enqueued) {
        Article(context: context).name = "Imported \(number)"
        try context.save()
        context.reset()
      }
    }
  }
  // end: import

  // when an editor in the same context keeps an object while it awaits an answer, and reads it,
  // anchor: read
  @MainActor private static func read(_ world: World) async throws {
    try await edit(world, beside: world.container.viewContext) { article, _ in
      await answer()
      world.mark("after a reset the article has no values, and no error says so")
      return article.name
    }
  }
  // end: read

  // or changes it,
  // anchor: change
  @MainActor private static func change(_ world: World) async throws {
    try await edit(world, beside: world.container.viewContext) { article, screen in
      await answer()
      world.mark("after a reset the article has no context that could track a change")
      article.views += 1
      try screen.save()
      return article.name
    }
  }
  // end: change

  // or keeps its id, and looks the article up when the answer is there,
  // anchor: right
  @MainActor private static func keepTheID(_ world: World) async throws {
    try await edit(world, beside: world.container.viewContext) { article, screen in
      let id = article.objectID
      await answer()
      let article = try screen.existingObject(with: id) as? Article
      article?.views += 1
      try screen.save()
      return article?.name
    }
  }
  // end: right

  // or keeps the object, while the import has a context of its own to reset,
  // anchor: apart
  @MainActor private static func importElsewhere(_ world: World) async throws {
    try await edit(world, beside: world.container.newBackgroundContext()) { article, screen in
      await answer()
      article.views += 1
      try screen.save()
      return article.name
    }
  }
  // end: apart

  // anchor: edit
  /// Lets the editor use each article in the view context, while the import goes on in a context.
  @MainActor private static func edit(
    _ world: World, beside importing: NSManagedObjectContext,
    use: @MainActor (Article, NSManagedObjectContext) async throws -> String?
  ) async throws {
    let screen = world.container.viewContext
    async let imported: Void = importAll(world, into: importing)
    var right = 0
    for number in 0..<world[articles] {
      let request = Article.fetchRequest()
      request.predicate = NSPredicate(format: "name == %@", "Article \(number)")
      let name = try await use(screen.fetch(request)[0], screen)
      if name == "Article \(number)" { right += 1 }
    }
    try await imported
    world.observe("names as the file has them", right, of: world[articles])
  }
  // end: edit

  /// Stands for what an editor awaits: the main thread does other work meanwhile.
  @MainActor private static func answer() async { await Task.yield() }

  // then the editor has read every name, or nothing in the place of some, or the process stopped.
  public static func observed(_ run: Observation) throws -> Outcome {
    run.observe("changes in the file", try run.storedArticles(where: "ZVIEWS = 1"))
    return run.number("names as the file has them") == run[articles] ? handled : blank
  }
}
