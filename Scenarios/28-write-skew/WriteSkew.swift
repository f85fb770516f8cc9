import CoreData
import PlaygroundKit

/// Two contexts that each rely on a row which the other changes are both saved, without a conflict.
///
///     faultline run 28
///     faultline explore 28
public enum WriteSkew: Scenario {
  public static let card = Card(
    28, "write-skew", "Write skew", part: .conflicts,
    claim: "A save checks the rows that it writes, not those that it has only read.",
    question: """
      Two articles are on a page, and one must stay. Two editors each take one down if the other \
      is up. What is on the page?
      """,
    why: """
      Each wrote a row that nobody else wrote, so no version differed. What each relied on was the \
      row that the other wrote, and nobody compared that.
      """,
    given: """
      {pages|one page|# pages} with two articles; two editors go through {pages|it|them} at the \
      same time
      """,
    guide: "05-conflicts.md#28",
    sources: [.tutorial("Concurrency Strategies: contexts are unaware of each other")])

  private static let pages = Parameter(
    "pages", 200, in: 1...10_000, "pages that both editors go through", explored: 1)

  private static let bothOff = Outcome(
    "BOTH OFF", .forbidden, "pages are empty, and every save succeeded without a conflict")
  private static let bothUp = Outcome(
    "BOTH UP", .forbidden, "nobody took an article down from a page that had two")
  private static let oneLeft = Outcome(
    "ONE LEFT", .accepted, "one article is on each page; who came second has seen it")
  private static let lookedAgain = Outcome(
    "LOOKED AGAIN", .accepted, "one article is on each page; who was refused has looked once more")

  public static let parameters = [pages]
  public static let outcomes = [bothOff, bothUp, oneLeft, lookedAgain]
  public static let sides: [Side] = [
    .wrong("look, take down, save", wrong),
    .right("check what was read as well", right),
    .right("write a row in common", name: "touch", touch),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given pages with two articles on each, that have been up since some day,
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

  // and an editor for the first articles and one for the second, each with a context of its own,
  @MainActor private static func bothEditors(
    _ world: World, _ edit: @escaping @Sendable (Desk) throws -> Int
  ) async throws {
    let pages = try world.container.viewContext.fetch(Category.fetchRequest()).map(\.objectID)
    let first = world.container.newBackgroundContext()
    let second = world.container.newBackgroundContext()
    async let one = goThrough(pages, takingDown: "first", first, edit)
    async let two = goThrough(pages, takingDown: "second", second, edit)
    world.observe("looked again", try await one + two)
  }

  private static func goThrough(
    _ pages: [NSManagedObjectID], takingDown name: String, _ context: NSManagedObjectContext,
    _ edit: @escaping @Sendable (Desk) throws -> Int
  ) async throws -> Int {
    var again = 0
    for page in pages {
      again += try await context.perform {
        try edit(Desk(page: page, name: name, context: context))
      }
    }
    return again
  }

  // when each looks whether another article is up, and if so takes its own down,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    try await bothEditors(world) { desk in
      if let seen = try desk.look() {
        seen.own.timestamp = nil
        world.mark("compares the article that it writes, and not the one that was relied on")
        try desk.context.save()
      }
      return 0
    }
  }
  // end: wrong

  // or has the save check the articles it relies on, and looks again if one of them has changed,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await bothEditors(world) { desk in
      var again = 0
      while let seen = try desk.look() {
        seen.own.timestamp = nil
        for other in seen.others { desk.context.detectConflicts(for: other) }
        if try desk.isSaved() { break }
        again += 1
      }
      return again
    }
  }
  // end: right

  // or writes the page too, which is one row for both,
  // anchor: touch
  @MainActor private static func touch(_ world: World) async throws {
    try await bothEditors(world) { desk in
      var again = 0
      while let seen = try desk.look() {
        seen.own.timestamp = nil
        seen.page.name = "\(seen.others.count) up"
        if try desk.isSaved() { break }
        again += 1
      }
      return again
    }
  }
  // end: touch

  /// What an editor has to do: take one article down from a page, in a context.
  private struct Desk {
    let page: NSManagedObjectID
    let name: String
    let context: NSManagedObjectContext

    // anchor: look
    /// The page, the editor's article and the others that are up; nil if its own must stay.
    ///
    /// The page is read first: who changes it from then on is refused, and what was changed before
    /// is in the rows that are fetched next. What is up is read from the objects and not left to
    /// the predicate, so that it is the version which the object holds.
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

    /// Saves, and after a refusal forgets everything that was read.
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

  // then the pages in the file tell whether what each had seen was still so when it was saved.
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
      run.observe("anomaly", "G2-item: each changed what the other had read")
      return bothOff
    }
    if one < run[Self.pages] { return bothUp }
    return run.number("looked again") == 0 ? oneLeft : lookedAgain
  }
}
