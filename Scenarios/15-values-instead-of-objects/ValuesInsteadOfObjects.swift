import CoreData
import PlaygroundKit

/// A struct of values may go to another actor; an object may not, whatever is said of it.
///
///     faultline run 15
///     faultline explore 15
public enum ValuesInsteadOfObjects: Scenario {
  public static let card = Card(
    15, "values-instead-of-objects", "Values instead of objects", part: .identity,
    claim: "Send a struct with an id and values; no promise makes an object Sendable.",
    question: """
      A sync hands main articles that it goes on using, and the compiler refuses. So you promise \
      that they are safe: @unchecked Sendable. What does the compiler say, and the list show?
      """,
    why: """
      @unchecked Sendable changes what the compiler checks, and not where an object may be read. \
      A copy is made once, inside the queue; after that nothing changes it, and nothing updates it.
      """,
    given: "{articles|one article|# articles} of revision 1; a list is shown while 2 is published",
    guide: "03-identity.md#15",
    sources: [
      .swiftConcurrency("Data Access Objects (DAO); Erros Comuns: Usar @unchecked Sendable")
    ])

  private static let articles = Parameter(
    "articles", 1_000, in: 1...10_000, "articles that are fetched and shown", explored: 2)

  private static let torn = Outcome(
    "TORN", .forbidden, "the list, or even one of its lines, is of two revisions")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "the list is of one revision, by its timing")
  private static let refused = Outcome(
    "REFUSED", .interesting, "it does not compile, so nothing was run")
  private static let notAsked = Outcome("NOT ASKED", .interesting, "there is no compiler here")
  private static let whole = Outcome(
    "WHOLE", .accepted, "the list is of one revision, copied inside the queue")

  public static let parameters = [articles]
  public static let outcomes = [torn, lucky, refused, notAsked, whole]
  public static let sides: [Side] = [
    .wrong("send it in a box", wrong),
    .column("class", "call the class Sendable", callTheClassSendable),
    .right("send values", right),
    .right("and again after a save", name: "again", sendAgain),
  ]
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given articles at revision 1,
  @MainActor public static func given(_ world: World) async throws {
    for _ in 0..<world[articles] { _ = Article(context: world.container.viewContext) }
    try await ArticleStore(in: world.container.viewContext).publish(revision: 1)
  }

  // when a sync sends each object in a box that promises to be Sendable,
  private static let sendsABox = """
    import CoreData
    struct Box: @unchecked Sendable { let article: NSManagedObject }
    @MainActor func show(_ box: Box) {}
    func sync(_ article: NSManagedObject) async { await show(Box(article: article)) }
    """

  // anchor: wrong
  private struct Box: @unchecked Sendable { let article: Article }

  @MainActor private static func wrong(_ world: World) async throws {
    let sync = world.container.newBackgroundContext()
    let boxes = try await sync.perform {
      try sync.fetch(Article.fetchRequest()).map { Box(article: $0) }
    }
    async let published: Void = ArticleStore(in: sync).publish(revision: 2)
    world.mark("the main thread reads what the context's queue is changing")
    let list = boxes.map { ArticleValue(of: $0.article) }
    try await published
    world.observe("sent", "a box")
    world.observe(list: list)
  }
  // end: wrong

  // or sends the object, whose class promises it,
  private static let sendsAnObject = """
    import CoreData
    // anchor: class
    final class Article: NSManagedObject, @unchecked Sendable {}

    @MainActor func show(_ article: Article) {}

    func sync(_ article: Article) async { await show(article) }
    // end: class
    """

  @MainActor private static func callTheClassSendable(_ world: World) async throws {
    world.observe("sent", "an object")
  }

  // or sends a copy of the values, made inside the queue,
  private static let sendsAValue = """
    import CoreData
    struct Value: Sendable { let id: NSManagedObjectID }
    @MainActor func show(_ value: Value) {}
    func sync(_ article: NSManagedObject) async { await show(Value(id: article.objectID)) }
    """

  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let store = ArticleStore(in: world.container.newBackgroundContext())
    async let published: Void = store.publish(revision: 2)
    let list = try await store.articles()
    try await published
    note(list, world)
  }
  // end: right

  // and another copy when a save has made the first one old,
  // anchor: again
  @MainActor private static func sendAgain(_ world: World) async throws {
    let store = ArticleStore(in: world.container.newBackgroundContext())
    async let published: Void = store.publish(revision: 2)
    var list = try await store.articles()
    try await published
    if list.contains(where: { $0.revision < 2 }) { list = try await store.articles() }
    note(list, world)
  }
  // end: again

  private static func note(_ list: [ArticleValue], _ world: World) {
    world.observe("sent", "values")
    world.observe("bytes copied", list.count * MemoryLayout<ArticleValue>.stride)
    world.observe(list: list)
  }

  // then the compiler has seen the mistake, or the list shows it.
  public static func observed(_ run: Observation) throws -> Outcome {
    let sent = run.text("sent") ?? ""
    if let snippet = ["an object": sendsAnObject, "a box": sendsABox, "values": sendsAValue][sent] {
      switch SwiftCompiler.verdict(of: snippet) {
      case .accepted(let warning): run.observe("the compiler", warning ?? "accepts it")
      case .refused(let error, let warning):
        run.observe("the compiler", "refuses it: \(error)")
        run.observe("and warns", warning ?? "–")
        return refused
      case .notAsked(let reason):
        run.observe("the compiler", reason)
        if sent == "an object" { return notAsked }
      }
    }
    guard run.isOfOneRevision(run[articles]) else { return torn }
    return sent == "a box" ? lucky : whole
  }
}
