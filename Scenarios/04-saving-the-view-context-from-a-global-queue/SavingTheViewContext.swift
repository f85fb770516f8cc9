import CoreData
import Foundation
import PlaygroundKit

/// A save that runs outside its context's queue can save half of an edit.
///
///     faultline run 4
///     faultline explore 4
public enum SavingTheViewContext: Scenario {
  public static let card = Card(
    4, "saving-the-view-context-from-a-global-queue",
    "Saving the view context from a global queue", part: .queues,
    claim: "Save a context inside its own queue, and an edit in one block is saved whole.",
    question: """
      The main thread edits articles. Meanwhile an autosave calls viewContext.save() on a global \
      queue. What is in the file?
      """,
    why: """
      A save stores every changed object of its context. Off the context's queue it can run while \
      the main thread is in the middle of an edit: the article has changed, and its shelf has not.
      """,
    given: "main edits {articles|one article|# articles}, and an autosave runs during each edit",
    guide: "01-queues.md#04",
    sources: [.rules("Error 3: Passing Context Between Threads; Thread Confinement")])

  private static let articles = Parameter(
    "articles", 200, in: 1...10_000, "articles that main edits", explored: 1)

  private static let crashed = Outcome(
    "CRASHED", .forbidden, "the process crashed while the save read what main was changing",
    when: .crashed)
  private static let half = Outcome(
    "HALF SAVED", .forbidden, "the autosave stored some article with half of its edit")
  private static let lost = Outcome(
    "EDIT LOST", .forbidden, "a save failed, or the file lacks an edit after main's own save")
  private static let named = Outcome(
    "NAMED", .forbidden, "the checker reported the save outside the queue, whatever it stored")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "each edit was stored whole, because the timing was lucky")
  private static let whole = Outcome(
    "WHOLE", .accepted, "each edit was stored whole, by a save inside the context's queue")

  public static let parameters = [articles]
  public static let outcomes = [crashed, half, lost, named, lucky, whole]
  public static let sides: [Side] = [
    .wrong("save on a global queue", saveAnywhere),
    .wrong("the same, checker on", name: "checked", checker: .record, saveAnywhere),
    .right("perform", performTheSave),
    .right("performAndWait", name: "waits", performAndWaitForTheSave),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles at revision 1, each on a shelf of its own,
  @MainActor public static func given(_ world: World) async throws {
    let screen = world.container.viewContext
    for _ in 0..<world[articles] {
      let article = Article(context: screen)
      article.category = Category(context: screen)
      edit(article, to: 1)
    }
    try screen.save()
  }

  // which the main thread edits: an edit changes an article and its shelf,
  private static func edit(_ article: Article, to revision: Int) {
    article.name = "revision \(revision)"
    article.category?.name = "revision \(revision)"
  }

  // when meanwhile an autosave saves the view context on a global queue,
  // anchor: wrong
  @MainActor private static func saveAnywhere(_ world: World) async throws {
    try await editArticles(world) { screen, autosave in
      DispatchQueue.global().async {
        world.mark("main may be in the middle of an edit, and no queue holds this save back")
        autosave { try screen.save() }
      }
    }
    world.observe("the autosave", "is called on a global queue")
  }
  // end: wrong

  // or hands the save to the context's queue,
  // anchor: right
  @MainActor private static func performTheSave(_ world: World) async throws {
    try await editArticles(world) { screen, autosave in
      DispatchQueue.global().async {
        screen.perform { autosave { try screen.save() } }
      }
    }
    world.observe("the autosave", "goes through the context's queue")
  }
  // end: right

  // or waits there until the context's queue has run it,
  // anchor: waits
  @MainActor private static func performAndWaitForTheSave(_ world: World) async throws {
    try await editArticles(world) { screen, autosave in
      DispatchQueue.global().async {
        screen.performAndWait { autosave { try screen.save() } }
      }
    }
    world.observe("the autosave", "goes through the context's queue")
  }
  // end: waits

  // once for each edit, before main saves the rest,
  // anchor: edit
  @MainActor private static func editArticles(
    _ world: World,
    start: (NSManagedObjectContext, _ autosave: @escaping @Sendable (() throws -> Void) -> Void)
      -> Void
  ) async throws {
    let screen = world.container.viewContext
    var (halves, failures) = (0, 0)
    for article in try screen.fetch(Article.fetchRequest()) {
      let (autosaves, ended) = AsyncStream<Int?>.makeStream()
      start(screen) { save in
        if (try? save()) == nil { ended.yield(nil) }
        ended.yield(try? world.storedArticles(where: "ZNAME <> \(shelf)"))
        ended.finish()
      }
      edit(article, to: 2)
      for await half in autosaves { if let half { halves += half } else { failures += 1 } }
    }
    do { try screen.save() } catch { failures += 1 }
    world.observe("saves that failed", failures, good: failures == 0)
    world.observe("stored by half", halves, good: halves == 0, section: "edits")
  }
  // end: edit

  private static let shelf = "(SELECT C.ZNAME FROM ZCATEGORY C WHERE C.Z_PK = ZARTICLE.ZCATEGORY)"

  // and the file has had each edit whole, or an autosave has stored half of one.
  public static func observed(_ run: Observation) throws -> Outcome {
    if run.violations.first != nil { return named }
    let edited = try edits(in: run)
    run.observe("in the file in the end", edited, of: run[articles], section: "edits")
    if edited != run[articles] || run.number("saves that failed") != 0 { return lost }
    if run.number("stored by half") != 0 { return half }
    return run.text("the autosave") == "is called on a global queue" ? lucky : whole
  }

  /// How many edits are in the file, whole.
  static func edits(in run: Observation) throws -> Int {
    let whole = "ZNAME = 'revision 2' AND ZNAME = \(shelf)"
    return try run.stored("SELECT 1 FROM ZARTICLE WHERE \(whole)").count
  }
}
