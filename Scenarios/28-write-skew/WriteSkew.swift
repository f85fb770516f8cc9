import CoreData
import PlaygroundKit

/// Two contexts that each rely on a row which the other changes can both save without a conflict.
///
///     faultline run 28
///     faultline explore 28
public enum WriteSkew: Scenario {
  public static let card = Card(
    28, "write-skew", "Write skew", part: .conflicts,
    claim: "A save checks the rows that it writes, not the rows that it has only read.",
    question: """
      Two articles are on a page, and one must stay. Two editors each take one down if the other \
      is up. What is left on the page?
      """,
    why: """
      Each editor relied on the row that the other one changed: write skew (Adya: G2-item). A save \
      compares the versions of the rows that it writes, and the editors wrote different rows.
      """,
    given: """
      {pages|one page with two articles|# pages with two articles each}; two editors concurrently \
      take one down if the other is up
      """,
    guide: "05-conflicts.md#28",
    sources: [.tutorial("Concurrency Strategies: contexts are unaware of each other")])

  private static let pages = Parameter(
    "pages", 200, in: 1...10_000, "pages that both editors go through", explored: 1)

  private static let bothOff = Outcome(
    "BOTH OFF", .forbidden, "some pages are empty, and every save succeeded without a conflict")
  private static let bothUp = Outcome(
    "BOTH UP", .forbidden, "some pages still show both articles")
  private static let oneLeft = Outcome(
    "ONE LEFT", .accepted, "one article is on each page, and no save was refused")
  private static let lookedAgain = Outcome(
    "LOOKED AGAIN", .accepted,
    "one article is on each page, after some saves were refused")

  public static let parameters = [pages]
  public static let outcomes = [bothOff, bothUp, oneLeft, lookedAgain]
  public static let sides: [Side] = [
    .wrong("look, take down, save", wrong),
    .right("also check the rows read", right),
    .right("also write a shared row", name: "touch", touch),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given pages with two articles each, all of them up,
  @MainActor public static func given(_ world: World) async throws {
    let context = world.container.viewContext
    for _ in 1...world[pages] {
      let page = Category(context: context)
      page.name = "2 up"
      for name in ["first", "second"] {
        let article = Article(context: context)
        article.name = name
        article.timestamp = Date(timeIntervalSinceReferenceDate: 0)
        article.category = page
      }
    }
    try context.save()
  }

  // and one editor for the first articles and one for the second, each with its own context,
  @MainActor private static func bothEditors(
    _ world: World, _ edit: @escaping @Sendable (Desk) throws -> Int
  ) async throws {
    let pages = try world.container.viewContext.fetch(Category.fetchRequest()).map(\.objectID)
    let first = world.container.newBackgroundContext()
    let second = world.container.newBackgroundContext()
    async let one = goThrough(pages, takingDown: "first", first, edit)
    async let two = goThrough(pages, takingDown: "second", second, edit)
    world.observe("retries", try await one + two)
  }

  private static func goThrough(
    _ pages: [NSManagedObjectID], takingDown name: String, _ context: NSManagedObjectContext,
    _ edit: @escaping @Sendable (Desk) throws -> Int
  ) async throws -> Int {
    var retries = 0
    for page in pages {
      retries += try await context.perform {
        try edit(Desk(page: page, name: name, context: context))
      }
    }
    return retries
  }

  // when each editor looks whether another article is up, and if so takes its own down,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    try await bothEditors(world) { desk in
      if let seen = try desk.look() {
        seen.own.timestamp = nil
        world.mark("the save checks the article that it writes, not the one relied on")
        try desk.context.save()
      }
      return 0
    }
  }
  // end: wrong

  // or also has the save check the articles that it relies on, and retries after a refusal,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await bothEditors(world) { desk in
      var retries = 0
      while let seen = try desk.look() {
        seen.own.timestamp = nil
        for other in seen.others { desk.context.detectConflicts(for: other) }
        if try desk.isSaved() { break }
        retries += 1
      }
      return retries
    }
  }
  // end: right

  // or also writes the page, a row that both editors share, and retries after a refusal,
  // anchor: touch
  @MainActor private static func touch(_ world: World) async throws {
    try await bothEditors(world) { desk in
      var retries = 0
      while let seen = try desk.look() {
        seen.own.timestamp = nil
        seen.page.name = "\(seen.others.count) up"
        if try desk.isSaved() { break }
        retries += 1
      }
      return retries
    }
  }
  // end: touch

  /// An editor's task: take one article down from a page, in a context.
  private struct Desk {
    let page: NSManagedObjectID
    let name: String
    let context: NSManagedObjectContext

    // anchor: look
    /// The page, the editor's own article and the others that are up; nil if its own must stay.
    ///
    /// The page is read first. The articles then show all that was saved before; if the page
    /// changes later, a save that also writes the page fails. The objects, not the
    /// predicate, say which articles are up, because a save compares the objects' versions.
    func look() throws -> (page: Category, own: Article, others: [Article])? {
      guard let page = try context.existingObject(with: page) as? Category else { return nil }
      let request = Article.fetchRequest()
      request.predicate = NSPredicate(format: "category == %@", page)
      request.returnsObjectsAsFaults = false
      let up = try context.fetch(request).filter { $0.timestamp != nil }
      guard let own = up.first(where: { $0.name == name }), up.count > 1 else { return nil }
      return (page, own, up.filter { $0 !== own })
    }
    // end: look

    /// Saves; after a refusal, resets the context, which forgets everything that was read.
    func isSaved() throws -> Bool {
      do {
        try context.save()
        return true
      } catch let error as CocoaError where error.code == .managedObjectMerge {
        context.reset()
        return false
      }
    }
  }

  // then the pages in the file show whether each decision still held when it was saved.
  public static func observed(_ run: Observation) throws -> Outcome {
    func pages(withUp count: Int) throws -> Int {
      try run.stored(
        """
        SELECT count(*) FROM ZCATEGORY WHERE \(count) = (SELECT count(*) FROM ZARTICLE
        WHERE ZCATEGORY = ZCATEGORY.Z_PK AND ZTIMESTAMP IS NOT NULL)
        """
      ).first?.first.flatMap { Int($0) } ?? 0
    }
    let (empty, one) = (try pages(withUp: 0), try pages(withUp: 1))
    run.observe("with one article", one, of: run[Self.pages], section: "pages in the file")
    run.observe("empty", empty, good: empty == 0, section: "pages in the file")
    if empty > 0 {
      run.observe("anomaly", "write skew (Adya: G2-item)")
      return bothOff
    }
    if one < run[Self.pages] { return bothUp }
    let refused = run.number("retries") ?? run.number("conflicts") ?? 0
    return refused == 0 ? oneLeft : lookedAgain
  }
}
