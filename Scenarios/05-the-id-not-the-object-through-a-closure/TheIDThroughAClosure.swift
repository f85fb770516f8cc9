import CoreData
import PlaygroundKit

/// A closure that runs later must capture an id, because an object stays alive with all its edits.
///
///     faultline run 5
///     faultline explore 5
public enum TheIDThroughAClosure: Scenario {
  public static let card = Card(
    5, "the-id-not-the-object-through-a-closure", "The id, not the object, through a closure",
    part: .queues,
    claim: "Let a closure that runs later capture an objectID; look the object up when it runs.",
    question: """
      An outbox keeps a closure for each article until the network is back. The closures run \
      while main edits the articles and cancels. What do they send?
      """,
    why: """
      A captured object stays alive with its closure. It is the object that main edits, so the \
      closure can read an unsaved edit, and off main it reads without a lock. A captured id leads \
      to the row in the file.
      """,
    given: """
      uploads of {articles|one article|# articles} wait in an outbox; main edits every article and \
      cancels, {forms|once|# times}
      """,
    guide: "01-queues.md#05",
    sources: [
      .rules("Why NSManagedObjectID is Thread-Safe"), .notes("Use Object IDs to Share Objects"),
    ])

  private static let articles = Parameter(
    "articles", 400, in: 1...10_000, "articles whose uploads wait in the outbox", explored: 1)
  private static let forms = Parameter(
    "forms", 10, in: 1...10_000, "forms in which main edits every article and cancels", explored: 1)
  private static let crashed = Outcome(
    "CRASHED", .forbidden, "the process crashed while an upload read what main was changing",
    when: .crashed)
  private static let named = Outcome(
    "NAMED", .forbidden, "the checker reported the reads outside the queue, whatever was sent")
  private static let draft = Outcome(
    "DRAFT SENT", .forbidden, "some upload sent an edit that was cancelled and never saved")
  private static let lucky = Outcome(
    "LUCKY", .interesting, "no draft was sent, by its timing; the closures kept the objects alive")
  private static let stored = Outcome(
    "STORED", .accepted, "each upload sent what the file has, and no closure kept an object alive")

  public static let parameters = [articles, forms]
  public static let outcomes = [crashed, named, draft, lucky, stored]
  public static let sides: [Side] = [
    .wrong("capture the article", wrong),
    .wrong("the same, checker on", name: "checked", checker: .record, wrong),
    .wrong("read it in its queue", name: "hop", checker: .record, readInItsQueue),
    .right("capture its id", checker: .record, right),
  ]
  public static let repeats = 3
  @MainActor public static var model: NSManagedObjectModel { Library.model }

  // Given stored articles,
  @MainActor public static func given(_ world: World) async throws {
    for _ in 0..<world[articles] {
      Article(context: world.container.viewContext).name = "stored"
    }
    try world.container.viewContext.save()
  }

  // and uploads that return what they send,
  private typealias Upload = @Sendable () async throws -> String

  // when each captures its article,
  // anchor: wrong
  @MainActor private static func wrong(_ world: World) async throws {
    try await uploadLater(world) { article in
      nonisolated(unsafe) let article = article
      return {
        world.mark("this runs off main, later, and main may be editing the article")
        return text(of: article)
      }
    }
  }
  // end: wrong

  // or captures it and reads it in its own queue,
  // anchor: hop
  @MainActor private static func readInItsQueue(_ world: World) async throws {
    let screen = world.container.viewContext
    try await uploadLater(world) { article in
      nonisolated(unsafe) let article = article
      return {
        world.mark("the right queue, but the object has main's unsaved edit")
        return await screen.perform { text(of: article) }
      }
    }
  }
  // end: hop

  // or captures its id and looks it up in a context of the uploads,
  // anchor: right
  @MainActor private static func right(_ world: World) async throws {
    let uploads = world.container.newBackgroundContext()
    try await uploadLater(world) { article in
      let id = article.objectID
      return { try await uploads.perform { try text(of: uploads.existingObject(with: id)) } }
    }
  }
  // end: right

  private static func text(of object: NSManagedObject) -> String {
    (object as? Article)?.name ?? ""
  }

  // while the network is away; and when it is back, the uploads run, while main edits the articles
  // and cancels,
  // anchor: outbox
  @MainActor private static func uploadLater(
    _ world: World, makeUpload: (Article) -> Upload
  ) async throws {
    let screen = world.container.viewContext
    let outbox = try screen.fetch(Article.fetchRequest()).map(makeUpload)
    let kept = screen.registeredObjects.count
    world.observe("articles kept by the outbox", kept, good: kept == 0)
    async let sent = send(outbox)
    for _ in 0..<world[forms] {
      try await screen.perform(schedule: .enqueued) {
        for article in try screen.fetch(Article.fetchRequest()) { article.name = "draft" }
      }
      await screen.perform(schedule: .enqueued) { screen.rollback() }
    }
    note(try await sent, world)
  }
  // end: outbox

  @MainActor private static func send(_ outbox: [Upload]) async throws -> [String] {
    var sent: [String] = []
    for upload in outbox { sent.append(try await upload()) }
    return sent
  }

  // then an upload has sent what is stored, or what never was.
  private static func note(_ sent: [String], _ world: World) {
    let drafts = sent.count { $0 != "stored" }
    world.observe("as stored", sent.count - drafts, of: world[articles], section: "sent")
    world.observe("never stored", drafts, good: drafts == 0, section: "sent")
  }

  public static func observed(_ run: Observation) throws -> Outcome {
    if run.violations.first != nil { return named }
    if run.number("never stored") != 0 { return draft }
    return run.number("articles kept by the outbox") == 0 ? stored : lucky
  }
}
