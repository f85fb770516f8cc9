import CoreData
import PlaygroundKit

/// `object(with:)` returns an object for every id; `existingObject(with:)` tells you whether it has
/// a row.
///
///     faultline run 13
///     faultline explore 13
public enum ObjectWithOrExistingObject: Scenario {
  public static let card = Card(
    13, "object-with-or-existing-object", "object(with:) or existingObject(with:)", part: .identity,
    claim: "object(with:) never looks for the row; existingObject(with:) throws if it is gone.",
    question: """
      A digest has the ids of \(articles.standard) articles and looks each one up, while a \
      clean-up deletes every hundredth. What does the digest write for an article that is gone?
      """,
    why: """
      object(with:) returns a fault without asking the store. The fault looks for its row when a \
      property is read. If the row is gone, the object reads nil and counts as deleted, or the \
      process stops.
      """,
    given: """
      {articles|one old article|# articles, every hundredth of them old}; a clean-up and a digest
      """,
    guide: "03-identity.md#13",
    sources: [
      .swiftConcurrency("Trabalhando Sem DAOs"), .rules("The Golden Rule"),
      .tutorial("Thread Safety"),
    ])

  private static let articles = Parameter(
    "articles", 1_000, in: 1...10_000, "articles whose ids the digest has", explored: 1)

  private static let blank = Outcome(
    "BLANK LINE", .forbidden, "the digest has a line without a name, and no error was thrown")
  private static let stopped = Outcome(
    "STOPPED", .forbidden, "the process stopped when it read an article that is gone",
    when: .crashed, saying: "NSObjectInaccessibleException")
  private static let inTime = Outcome(
    "IN TIME", .interesting, "each article was read before it was deleted")
  private static let told = Outcome(
    "TOLD", .accepted, "each line has a name, and a gone article has no line")

  public static let parameters = [articles]
  public static let outcomes = [blank, stopped, inTime, told]
  public static let sides: [Side] = [
    .wrong("object(with:)", wrong),
    .wrong("the same, and the flag off", name: "flag-off", flagOff),
    .right("existingObject(with:)", right),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles, every hundredth of them old,
  @MainActor public static func given(_ world: World) async throws {
    for number in 0..<world[articles] {
      let article = Article(context: world.container.viewContext)
      article.name = "Article \(number)"
      article.content = number.isMultiple(of: 100) ? "old" : "new"
    }
    try world.container.viewContext.save()
  }

  // and a clean-up that deletes the old ones,
  private static func cleanUp(in context: NSManagedObjectContext) async throws {
    try await context.perform {
      let request = Article.fetchRequest()
      request.predicate = NSPredicate(format: "content == 'old'")
      for article in try context.fetch(request) { context.delete(article) }
      try context.save()
    }
  }

  // and a digest, which has all their ids and meanwhile makes a line for each, or none if it is
  // told that the article is gone,
  // anchor: digest
  @MainActor private static func digest(
    _ world: World, in context: NSManagedObjectContext,
    line: @escaping @Sendable (NSManagedObjectID) throws -> String?
  ) async throws {
    let ids = try world.container.viewContext.fetch(Article.fetchRequest()).map(\.objectID)
    let cleaner = world.container.newBackgroundContext()
    (context.name, cleaner.name) = ("digest", "clean-up")
    async let cleaned: Void = cleanUp(in: cleaner)
    var lines: [String?] = []
    for id in ids { lines.append(try await context.perform { try line(id) }) }
    try await cleaned
    let pending = await context.perform { context.deletedObjects.count }
    note(lines, pending, world)
  }
  // end: digest

  // when the digest takes the object that it gets for an id,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    let reader = world.container.newBackgroundContext()
    try await digest(world, in: reader) { id in
      world.mark("object(with:) asks nothing, and a name that cannot be read is nil")
      guard let article = reader.object(with: id) as? Article else { return nil }
      return article.name ?? ""
    }
  }
  // end: wrong

  // and asks its context not to treat an article without a row as deleted,
  // anchor: flag-off
  @MainActor private static func flagOff(_ world: World) async throws {
    let reader = world.container.newBackgroundContext()
    reader.shouldDeleteInaccessibleFaults = false
    try await digest(world, in: reader) { id in
      guard let article = reader.object(with: id) as? Article else { return nil }
      world.mark("the fault finds no row here, and the process stops")
      return article.name ?? ""
    }
  }
  // end: flag-off

  // or asks for an object that exists, and is told if there is none,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let reader = world.container.newBackgroundContext()
    try await digest(world, in: reader) { id in
      do {
        let article = try reader.existingObject(with: id) as? Article
        return article?.name ?? ""
      } catch let error as CocoaError where error.code == .managedObjectReferentialIntegrity {
        return nil
      }
    }
  }
  // end: right

  // then each article has a line with its name, a line without one, or none.
  private static func note(_ lines: [String?], _ pending: Int, _ world: World) {
    let written = lines.compactMap(\.self)
    let named = written.count { !$0.isEmpty }
    world.observe("with a name", named, section: "lines of the digest")
    world.observe(
      "without a name", written.count - named, good: written.count == named,
      section: "lines of the digest")
    world.observe("told that it is gone", lines.count - written.count)
    world.observe("deletions pending in the reader", pending, good: pending == 0)
  }

  public static func observed(_ run: Observation) throws -> Outcome {
    if run.number("without a name") ?? 0 > 0 { return blank }
    return run.number("told that it is gone") ?? 0 > 0 ? told : inTime
  }
}
