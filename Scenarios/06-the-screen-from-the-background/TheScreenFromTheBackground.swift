import CoreData
import PlaygroundKit

/// A block of a background context must not touch the screen; the main thread must not touch its
/// objects.
///
///     faultline run 6
///     faultline explore 6
public enum TheScreenFromTheBackground: Scenario {
  public static let card = Card(
    6, "the-screen-from-the-background", "The screen from the background", part: .queues,
    claim: "Reload a list on the main thread, with values and ids from the background.",
    question: """
      A feed saves new articles in the background, and the list must show them. Where may it be \
      reloaded, and with what?
      """,
    why: """
      Each side breaks another rule, and another checker sees it. A background block reloads the \
      list while the main thread draws it. Or the main thread reloads the list, and reads objects \
      that belong to the background.
      """,
    given: """
      a list of {articles|one article|# articles}; a feed publishes {revisions|one revision|# \
      revisions}
      """,
    guide: "01-queues.md#06",
    sources: [.rules("Accessing UI from Background Context; Enable Concurrency Debug")],
    panels: [.mainLoop, .engine])

  private static let articles = Parameter(
    "articles", 1_000, in: 1...10_000, "articles in the list", explored: 2)
  private static let revisions = Parameter(
    "revisions", 8, in: 1...1_000, "revisions that the feed publishes, each with a reload",
    explored: 1)
  private static let frames = Parameter(
    "frames", 600, in: 1...100_000, "frames that the list draws at most", explored: 1)

  private static let named = Outcome(
    "NAMED", .forbidden, "Core Data's checker reported the background's objects on main")
  private static let halfDrawn = Outcome(
    "HALF DRAWN", .forbidden, "the list was reloaded off main, and a frame mixed two revisions")
  private static let offMain = Outcome(
    "OFF MAIN", .forbidden, "the list was reloaded off main, and each frame was whole by luck")
  private static let behind = Outcome(
    "BEHIND", .forbidden, "in the end the list does not show what the file has")
  private static let whole = Outcome(
    "WHOLE", .accepted, "each frame showed one revision, and no checker had anything to report")

  public static let parameters = [articles, revisions, frames]
  public static let outcomes = [named, halfDrawn, offMain, behind, whole]
  public static let sides: [Side] = [
    .wrong("reload in bg.perform", checker: .record, wrong),
    .wrong("its objects on main", name: "objects", checker: .record, passTheObjects),
    .right("values, then main", checker: .record, right),
  ]
  public static let repeats = 3
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles at revision 0,
  @MainActor public static func given(_ world: World) async throws {
    for _ in 0..<world[articles] { Article(context: world.container.viewContext).views = 0 }
    try world.container.viewContext.save()
  }

  // and a list that shows them, which main draws while the feed publishes one revision after the
  // other,
  @MainActor private static func show(
    _ world: World,
    reload: @MainActor (_ list: Screen, _ bg: NSManagedObjectContext, Int64) async throws -> Void
  ) async throws {
    let (list, bg) = (Screen(), world.container.newBackgroundContext())
    let first = try world.container.viewContext.fetch(Article.fetchRequest())
    list.reload(first.count) { row(first[$0]) }
    async let display: Void = list.display(framesMax: world[frames])
    for revision in 1...world[revisions] { try await reload(list, bg, Int64(revision)) }
    list.turnOff()
    await display
    list.draw()
    list.note(world) { frame in Set(frame.map(\.value)).count <= 1 }
  }

  private static func publish(
    _ revision: Int64, in bg: NSManagedObjectContext
  ) throws -> [Article] {
    let articles = try bg.fetch(Article.fetchRequest())
    for article in articles { article.views = revision }
    try bg.save()
    return articles
  }

  private static func row(_ article: Article) -> Screen.Row {
    Screen.Row(article.objectID, "revision \(article.views)")
  }

  // when the background's block reloads the list itself,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    try await show(world) { list, bg, revision in
      try await bg.perform {
        let articles = try publish(revision, in: bg)
        world.mark("this thread is not main, and main may be drawing the list")
        list.reload(articles.count) { row(articles[$0]) }
      }
    }
  }
  // end: wrong

  // or main reloads it with the objects of the background,
  // anchor: objects
  @MainActor private static func passTheObjects(_ world: World) async throws {
    try await show(world) { list, bg, revision in
      let articles = try await bg.perform { try publish(revision, in: bg) }
      world.mark("this thread is main, and the articles belong to the background")
      list.reload(articles.count) { row(articles[$0]) }
    }
  }
  // end: objects

  // or the background hands over values, an id and a text for each row, and main reloads the list,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    try await show(world) { list, bg, revision in
      let rows = try await bg.perform { try publish(revision, in: bg).map(row) }
      list.reload(rows.count) { rows[$0] }
    }
  }
  // end: right

  // then each frame is of one revision or of two, and the first checker that reports decides.
  public static func observed(_ run: Observation) throws -> Outcome {
    let report = run.violations.first?.operation
    run.observe("Core Data reports", report.map { "\($0) off its queue" } ?? "nothing")
    if report != nil { return named }
    if run.number("half drawn") ?? 0 > 0 { return halfDrawn }
    if run.text("the list reports") != "nothing" { return offMain }
    return run.text("shown in the end") == (try inTheFile(run)) ? whole : behind
  }

  /// What the list must show in the end.
  static func inTheFile(_ run: Observation) throws -> String {
    let revisions = try run.stored("SELECT DISTINCT 'revision ' || ZVIEWS FROM ZARTICLE").joined()
    return "\(try run.storedRows(of: "Article")) × \(revisions.joined(separator: ", "))"
  }
}
