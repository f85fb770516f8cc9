import CoreData
import PlaygroundKit

/// A child that has read an object keeps its value when a sibling saves another one.
///
///     faultline run 32
///     faultline explore 32
public enum Siblings: Scenario {
  public static let card = Card(
    32, "siblings-do-not-see-each-other", "Siblings do not see each other", part: .parents,
    claim: "A save goes up to the parent and not down again: refresh in the block that adds.",
    question: """
      Two forms on children of the view context show an article with 0 views. Form A adds 1 and \
      saves. Then form B adds 10 and saves, and the view context saves. How many views are stored?
      """,
    why: """
      A's save changes the parent only. B keeps what it has read, and B's save puts its value \
      over that of A: between child and parent nothing is compared, so there is no conflict.
      """,
    given: """
      {articles|one article|# articles} with 0 views, shown in two forms, A and B, each on a child \
      of the view context; A adds 1, then B adds 10
      """,
    guide: "06-parents.md#32",
    sources: [.tutorial("Strategy 2: Parent/Child Managed Object Contexts")])

  private static let articles = Parameter(
    "articles", 100, in: 1...10_000, "articles that both forms show", explored: 1)

  private static let looks = Parameter(
    "looks", 1, in: 0...1, "1: the page shows the values after each step", explored: 0)

  private static let lost = Outcome(
    "LOST", .forbidden, "B's save has overwritten what A had saved, without an error")
  private static let both = Outcome(
    "BOTH", .accepted, "the file has what A added and what B added")

  public static let parameters = [articles, looks]
  public static let outcomes = [lost, both]
  public static let sides: [Side] = [
    .wrong("go on", wrong),
    .wrong("merge by itself", name: "flag") { try await mergeAutomatically($0) },
    .right("refresh first", right),
    .right("merge A's save", name: "merge", mergeTheSave),
    .right("merge by itself, screen saves", name: "saved") {
      try await mergeAutomatically($0) { try $0.screen.save() }
    },
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  /// Two children of one parent.
  private struct Forms {
    let a = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    let b = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    let screen: NSManagedObjectContext
  }

  // Given articles without views,
  @MainActor public static func given(_ world: World) async throws {
    let screen = world.container.viewContext
    for _ in 1...world[articles] { Article(context: screen).name = "Article" }
    try screen.save()
  }

  // and two forms that have read them, each in a child of the view context,
  // anchor: open
  @MainActor private static func open(_ world: World) async throws -> Forms {
    let forms = Forms(screen: world.container.viewContext)
    for (name, form) in [("A", forms.a), ("B", forms.b)] {
      (form.name, form.parent) = (name, forms.screen)
      try await form.perform {
        form.retainsRegisteredObjects = true
        for article in try form.fetch(Article.fetchRequest()) { _ = article.views }
      }
    }
    return forms
  }
  // end: open

  // when A adds to each article and saves, and then B does, and at last their parent is saved,
  // anchor: edit
  @MainActor private static func edit(
    _ world: World, _ forms: Forms, catchUp: @MainActor (Forms) async throws -> Void
  ) async throws {
    try await add(1, in: forms.a)
    try await look(world, forms, after: "A has saved")
    try await catchUp(forms)
    try await look(world, forms, after: "before B adds")
    try await add(10, in: forms.b)
    try await look(world, forms, after: "B has saved")
    try forms.screen.save()
    try await look(world, forms, after: "the screen has saved")
  }

  private static func add(_ count: Int64, in form: NSManagedObjectContext) async throws {
    try await form.perform {
      for article in try form.fetch(Article.fetchRequest()) { article.views += count }
      try form.save()
    }
  }
  // end: edit

  // and B adds to what it has read,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let forms = try await open(world)
    world.mark("nothing here makes B read again: a fetch returns the objects that B holds")
    try await edit(world, forms) { _ in }
  }
  // end: wrong

  // or merges automatically, before or after its parent has saved,
  // anchor: flag
  @MainActor private static func mergeAutomatically(
    _ world: World, catchUp: @MainActor (Forms) async throws -> Void = { _ in }
  ) async throws {
    let forms = try await open(world)
    world.mark("this merges when the screen saves, not when the screen takes A's save")
    await forms.b.perform { forms.b.automaticallyMergesChangesFromParent = true }
    try await edit(world, forms, catchUp: catchUp)
  }
  // end: flag

  // or B refreshes its objects first,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await edit(world, open(world)) { forms in
      await forms.b.perform { forms.b.refreshAllObjects() }
    }
  }
  // end: right

  // or merges each save of A,
  // anchor: merge
  @MainActor private static func mergeTheSave(_ world: World) async throws {
    let forms = try await open(world)
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: forms.a, queue: nil
    ) { [b = forms.b] save in
      nonisolated(unsafe) let ids = save
      b.perform { b.mergeChanges(fromContextDidSave: ids) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try await edit(world, forms) { _ in }
  }
  // end: merge

  // then each step shows a value in A, in B, in their parent and in the file,
  @MainActor private static func look(
    _ world: World, _ forms: Forms, after moment: String
  ) async throws {
    guard world[looks] == 1 else { return }
    var values: [String] = []
    for context in [forms.a, forms.b, forms.screen] {
      let article = try await context.perform {
        try context.fetch(Article.fetchRequest()).first.map { "\($0.views)" }
      }
      values.append(article ?? "none")
    }
    values += try world.stored("SELECT ZVIEWS FROM ZARTICLE LIMIT 1").joined()
    world.observe(moment, values.joined(separator: ", "), section: "in A, B, the screen, the file")
  }

  // and at the end the file has both additions, or that of B only.
  public static func observed(_ run: Observation) throws -> Outcome {
    let kept = try run.storedArticles(where: "ZVIEWS = 11")
    run.observe("articles with both additions", kept, of: run[articles], section: "at the end")
    return kept == run[articles] ? both : lost
  }
}
