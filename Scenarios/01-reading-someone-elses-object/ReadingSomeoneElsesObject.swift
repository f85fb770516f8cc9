import CoreData
import PlaygroundKit

/// No lock protects a managed object that is read on another context's queue.
///
///     faultline run 1
///     faultline run 1 --repeat 100
///     faultline run 1 --side checked
public enum ReadingSomeoneElsesObject: Scenario {
  public static let card = Card(
    1, "reading-someone-elses-object", "Reading someone else's object", part: .queues,
    claim: "Read a managed object only on its own context's queue; its objectID may go anywhere.",
    question: "An export reads the screen's objects on its own queue. What does it write?",
    why: """
      The screen refreshes its articles while the export reads them, and no lock protects them. \
      Without the checker a crash is possible but not certain: what the export writes depends on \
      timing.
      """,
    given: "{articles|one article|# articles} on the screen at revision 1; the file has revision 2",
    guide: "01-queues.md#01",
    sources: [
      .rules("The Golden Rule; Error 1"), .notes("Example: Unsafe Access"),
      .tutorial("Thread Safety"),
    ])

  private static let articles = Parameter(
    "articles", 400, in: 1...10_000, "articles on the screen", explored: 4)
  private static let words = Parameter(
    "words", 0, in: 0...10_000, "words in each article, which the export counts",
    explored: 1)
  private static let torn = Outcome(
    "TORN", .forbidden, "some line has the name of one revision and the number of the other")
  private static let stale = Outcome(
    "STALE", .forbidden, "no line is torn, but some are of a revision the file no longer has")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "the export wrote what the file has, because its timing was lucky")
  private static let crashed = Outcome(
    "CRASHED", .forbidden, "the process crashed while it read a value that was being replaced",
    when: .crashed)
  private static let named = Outcome(
    "NAMED", .forbidden, "the checker reported every read outside the queue, whatever its value")
  private static let right = Outcome(
    "CURRENT", .accepted, "the export wrote what the file has, from objects of its own context")

  public static let parameters = [articles, words]
  public static let outcomes = [torn, stale, lucky, crashed, named, right]
  public static let sides: [Side] = [
    .wrong("article.name in bg.perform", readTheObjects),
    .wrong("the same, checker on", name: "checked", checker: .record, readTheObjects),
    .right("pass ids, look them up there", lookUpTheIDs),
  ]
  public static let repeats = 4
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles at revision 1,
  @MainActor public static func given(_ world: World) async throws {
    for _ in 0..<world[articles] {
      publish(1, world[words], in: Article(context: world.container.viewContext))
    }
    try world.container.viewContext.save()
  }

  // which the screen shows while an editor publishes revision 2,
  @MainActor private static func screen(_ world: World) async throws -> [Article] {
    let request = Article.fetchRequest()
    request.returnsObjectsAsFaults = false
    let shown = try world.container.viewContext.fetch(request)
    let editor = world.container.newBackgroundContext()
    try await editor.perform {
      for article in try editor.fetch(Article.fetchRequest()) {
        publish(2, world[words], in: article)
      }
      try editor.save()
    }
    return shown
  }

  // and which the screen then refreshes one after the other,
  @MainActor private static func catchUp(_ articles: ArraySlice<Article>) {
    for article in articles {
      article.managedObjectContext?.refresh(article, mergeChanges: false)
      _ = article.name
    }
  }

  // when meanwhile an export reads the screen's objects on its own queue,
  // anchor: wrong
  @MainActor private static func readTheObjects(_ world: World) async throws {
    nonisolated(unsafe) let shown = try await screen(world)
    let (export, moment) = (world.container.newBackgroundContext(), momentOfExport(world))
    catchUp(shown[..<moment])
    async let lines = export.perform {
      world.mark("the export reads an object that belongs to the view context")
      return shown.map(line)
    }
    catchUp(shown[moment...])
    compare(await lines, readFrom: "the screen's objects", world)
  }
  // end: wrong

  // or takes their ids and looks the articles up in its own context,
  // anchor: right
  @MainActor private static func lookUpTheIDs(_ world: World) async throws {
    let shown = try await screen(world)
    let ids = shown.map(\.objectID)
    let (export, moment) = (world.container.newBackgroundContext(), momentOfExport(world))
    catchUp(shown[..<moment])
    async let lines = export.perform {
      try ids.map { id in try line(of: export.existingObject(with: id)) }
    }
    catchUp(shown[moment...])
    compare(try await lines, readFrom: "its own objects", world)
  }
  // end: right

  @MainActor private static func momentOfExport(_ world: World) -> Int {
    var random = world.random
    return Int.random(in: 0...world[articles], using: &random)
  }

  private static func publish(_ revision: Int, _ words: Int, in article: Article) {
    article.name = "An article of many words, revision \(revision)"
    article.content = String(repeating: "word ", count: words)
    article.views = Int64(revision)
  }

  /// One line of the export: the name, the number of words and the revision of an article.
  private static func line(of object: NSManagedObject) -> String {
    guard let article = object as? Article else { return "" }
    let name = article.name ?? ""
    let words = article.content?.split(separator: " ").count ?? 0
    return "\(name), \(words) words, \(article.views)"
  }

  // then each line is of the old revision, of the new one, or of both,
  private static func compare(_ lines: [String], readFrom: String, _ world: World) {
    world.observe("read from", readFrom)
    let old = lines.count { $0.hasSuffix("revision 1, \(world[words]) words, 1") }
    let new = lines.count { $0.hasSuffix("revision 2, \(world[words]) words, 2") }
    let rest = lines.count - old - new
    world.observe("of revision 2", new, of: world[articles], section: "lines exported")
    world.observe("of revision 1, stale", old, good: old == 0, section: "lines exported")
    world.observe("of both, torn", rest, good: rest == 0, section: "lines exported")
  }

  // and the worst line decides the outcome, or the checker does.
  public static func observed(_ run: Observation) throws -> Outcome {
    if let report = run.violations.first {
      run.observe("first report", report.operation)
      return named
    }
    if run.number("of both, torn") ?? 0 > 0 { return torn }
    if run.number("of revision 1, stale") ?? 0 > 0 { return stale }
    return run.text("read from") == "the screen's objects" ? lucky : right
  }
}
